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
  br label %loop8
loop8:
  %i9 = phi i64 [ 0, %start ], [ %v26, %loop8 ]
  %p10 = phi ptr [ %v3, %start ], [ %v27, %loop8 ]
  %p12 = phi ptr [ %v7, %start ], [ %v28, %loop8 ]
  %q11 = call ptr asm "", "=r,0"(ptr %p10)
  %q13 = call ptr asm "", "=r,0"(ptr %p12)
  %v14 = load <8 x float>, ptr %q11, align 4
  %v15 = load float, ptr %v5, align 4
  %v16 = insertelement <8 x float> poison, float %v15, i64 0
  %v17 = shufflevector <8 x float> %v16, <8 x float> poison, <8 x i32> zeroinitializer
  %v18 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v14, <8 x float> %v17, <8 x float> zeroinitializer)
  call void asm sideeffect "", "~{memory}"()
  %v19 = getelementptr i8, ptr %q11, i64 64
  %v20 = load <8 x float>, ptr %v19, align 4
  %v21 = getelementptr i8, ptr %v5, i64 4
  %v22 = load float, ptr %v21, align 4
  %v23 = insertelement <8 x float> poison, float %v22, i64 0
  %v24 = shufflevector <8 x float> %v23, <8 x float> poison, <8 x i32> zeroinitializer
  %v25 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v20, <8 x float> %v24, <8 x float> %v18)
  store <8 x float> %v25, ptr %q13, align 4
  %v26 = add i64 %i9, 8
  %v27 = getelementptr i8, ptr %q11, i64 32
  %v28 = getelementptr i8, ptr %q13, i64 32
  %v29 = icmp slt i64 %v26, 16
  br i1 %v29, label %loop8, label %after30
after30:
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
