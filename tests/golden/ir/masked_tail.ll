declare <8 x float> @llvm.fmuladd.v8f32(<8 x float>, <8 x float>, <8 x float>)

declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)

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
  %v8 = load float, ptr %v3, align 4
  %v9 = insertelement <8 x float> poison, float %v8, i64 0
  %v10 = shufflevector <8 x float> %v9, <8 x float> poison, <8 x i32> zeroinitializer
  %v11 = load <8 x float>, ptr %v5, align 4
  %v12 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v10, <8 x float> %v11, <8 x float> zeroinitializer)
  call void asm sideeffect "", "~{memory}"()
  %v13 = getelementptr i8, ptr %v3, i64 4
  %v14 = load float, ptr %v13, align 4
  %v15 = insertelement <8 x float> poison, float %v14, i64 0
  %v16 = shufflevector <8 x float> %v15, <8 x float> poison, <8 x i32> zeroinitializer
  %v17 = getelementptr i8, ptr %v5, i64 52
  %v18 = load <8 x float>, ptr %v17, align 4
  %v19 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v16, <8 x float> %v18, <8 x float> %v12)
  store <8 x float> %v19, ptr %v7, align 4
  %v20 = getelementptr i8, ptr %v5, i64 32
  %v21 = getelementptr i8, ptr %v7, i64 32
  %v22 = load float, ptr %v3, align 4
  %v23 = insertelement <8 x float> poison, float %v22, i64 0
  %v24 = shufflevector <8 x float> %v23, <8 x float> poison, <8 x i32> zeroinitializer
  %v25 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v20, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v26 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v24, <8 x float> %v25, <8 x float> zeroinitializer)
  call void asm sideeffect "", "~{memory}"()
  %v27 = getelementptr i8, ptr %v3, i64 4
  %v28 = load float, ptr %v27, align 4
  %v29 = insertelement <8 x float> poison, float %v28, i64 0
  %v30 = shufflevector <8 x float> %v29, <8 x float> poison, <8 x i32> zeroinitializer
  %v31 = getelementptr i8, ptr %v20, i64 52
  %v32 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v31, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v33 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v30, <8 x float> %v32, <8 x float> %v26)
  %v34 = shufflevector <8 x float> %v33, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v34, ptr %v21, align 4
  %v35 = shufflevector <8 x float> %v33, <8 x float> poison, <1 x i32> <i32 4>
  %v36 = getelementptr i8, ptr %v21, i64 16
  store <1 x float> %v35, ptr %v36, align 4
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
