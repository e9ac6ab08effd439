declare <8 x float> @llvm.fmuladd.v8f32(<8 x float>, <8 x float>, <8 x float>)

define void @body(ptr %operands, ptr %workspace, i64 %begin, i64 %end) align 64 {
entry:
  %v1 = icmp slt i64 %begin, %end
  br i1 %v1, label %start, label %none
none:
  ret void
start:
  %v2 = getelementptr i8, ptr %operands, i64 0
  %v3 = load ptr, ptr %v2, align 8
  %v4 = getelementptr i8, ptr %operands, i64 8
  %v5 = load ptr, ptr %v4, align 8
  %v6 = getelementptr i8, ptr %operands, i64 16
  %v7 = load ptr, ptr %v6, align 8
  %v8 = getelementptr i8, ptr %operands, i64 24
  %v9 = load ptr, ptr %v8, align 8
  %v10 = getelementptr i8, ptr %operands, i64 32
  %v11 = load ptr, ptr %v10, align 8
  br label %loop12
loop12:
  %i13 = phi i64 [ 0, %start ], [ %v40, %loop12 ]
  %p14 = phi ptr [ %v3, %start ], [ %v41, %loop12 ]
  %p16 = phi ptr [ %v9, %start ], [ %v42, %loop12 ]
  %p18 = phi ptr [ %v11, %start ], [ %v43, %loop12 ]
  %q15 = call ptr asm "", "=r,0"(ptr %p14)
  %q17 = call ptr asm "", "=r,0"(ptr %p16)
  %q19 = call ptr asm "", "=r,0"(ptr %p18)
  %v20 = load float, ptr %q15, align 4
  %v21 = insertelement <8 x float> poison, float %v20, i64 0
  %v22 = shufflevector <8 x float> %v21, <8 x float> poison, <8 x i32> zeroinitializer
  %v23 = load <8 x float>, ptr %v5, align 4
  %v24 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v22, <8 x float> %v23, <8 x float> zeroinitializer)
  call void asm sideeffect "", "~{memory}"()
  %v25 = getelementptr i8, ptr %q15, i64 4
  %v26 = load float, ptr %v25, align 4
  %v27 = insertelement <8 x float> poison, float %v26, i64 0
  %v28 = shufflevector <8 x float> %v27, <8 x float> poison, <8 x i32> zeroinitializer
  %v29 = getelementptr i8, ptr %v5, i64 32
  %v30 = load <8 x float>, ptr %v29, align 4
  %v31 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v28, <8 x float> %v30, <8 x float> %v24)
  %v32 = load <8 x float>, ptr %v7, align 4
  %v33 = fadd <8 x float> %v31, %v32
  %v34 = load <8 x float>, ptr %q17, align 4
  %v35 = fadd <8 x float> %v33, %v34
  %v36 = fcmp olt <8 x float> %v35, splat (float 0x0000000000000000)
  %v37 = select <8 x i1> %v36, <8 x float> splat (float 0x0000000000000000), <8 x float> %v35
  %v38 = fcmp ogt <8 x float> %v37, splat (float 0x4018000000000000)
  %v39 = select <8 x i1> %v38, <8 x float> splat (float 0x4018000000000000), <8 x float> %v37
  store <8 x float> %v39, ptr %q19, align 4
  %v40 = add i64 %i13, 1
  %v41 = getelementptr i8, ptr %q15, i64 8
  %v42 = getelementptr i8, ptr %q17, i64 32
  %v43 = getelementptr i8, ptr %q19, i64 32
  %v44 = icmp slt i64 %v40, 3
  br i1 %v44, label %loop12, label %after45
after45:
  ret void
}

define void @repeat(ptr %operands, ptr %workspace, i64 %begin, i64 %end, i64 %count) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @body(ptr %operands, ptr %workspace, i64 %begin, i64 %end)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}
