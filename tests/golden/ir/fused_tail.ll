declare <8 x float> @llvm.fmuladd.v8f32(<8 x float>, <8 x float>, <8 x float>)

define void @body(ptr %operands, ptr %workspace, i64 %begin, i64 %end) {
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
  %i13 = phi i64 [ 0, %start ], [ %v43, %loop12 ]
  %v14 = mul i64 %i13, 2
  %v15 = mul i64 %v14, 4
  %v16 = getelementptr i8, ptr %v3, i64 %v15
  %v17 = mul i64 %i13, 8
  %v18 = mul i64 %v17, 4
  %v19 = getelementptr i8, ptr %v9, i64 %v18
  %v20 = mul i64 %i13, 8
  %v21 = mul i64 %v20, 4
  %v22 = getelementptr i8, ptr %v11, i64 %v21
  %v23 = load float, ptr %v16, align 4
  %v24 = insertelement <8 x float> poison, float %v23, i64 0
  %v25 = shufflevector <8 x float> %v24, <8 x float> poison, <8 x i32> zeroinitializer
  %v26 = load <8 x float>, ptr %v5, align 4
  %v27 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v25, <8 x float> %v26, <8 x float> zeroinitializer)
  %v28 = getelementptr i8, ptr %v16, i64 4
  %v29 = load float, ptr %v28, align 4
  %v30 = insertelement <8 x float> poison, float %v29, i64 0
  %v31 = shufflevector <8 x float> %v30, <8 x float> poison, <8 x i32> zeroinitializer
  %v32 = getelementptr i8, ptr %v5, i64 32
  %v33 = load <8 x float>, ptr %v32, align 4
  %v34 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v31, <8 x float> %v33, <8 x float> %v27)
  %v35 = load <8 x float>, ptr %v7, align 4
  %v36 = fadd <8 x float> %v34, %v35
  %v37 = load <8 x float>, ptr %v19, align 4
  %v38 = fadd <8 x float> %v36, %v37
  %v39 = fcmp olt <8 x float> %v38, splat (float 0x0000000000000000)
  %v40 = select <8 x i1> %v39, <8 x float> splat (float 0x0000000000000000), <8 x float> %v38
  %v41 = fcmp ogt <8 x float> %v40, splat (float 0x4018000000000000)
  %v42 = select <8 x i1> %v41, <8 x float> splat (float 0x4018000000000000), <8 x float> %v40
  store <8 x float> %v42, ptr %v22, align 4
  %v43 = add i64 %i13, 1
  %v44 = icmp slt i64 %v43, 3
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
