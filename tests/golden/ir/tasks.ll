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
  %i9 = phi i64 [ %begin, %start ], [ %v74, %join54 ]
  %v10 = urem i64 %i9, 2
  %v11 = udiv i64 %i9, 2
  %v12 = urem i64 %v11, 3
  %v13 = udiv i64 %v11, 3
  %v14 = icmp ult i64 %v12, 2
  br i1 %v14, label %yes15, label %join16
yes15:
  %v17 = mul i64 %v12, 2
  %v18 = mul i64 %v17, 2
  %v19 = mul i64 %v18, 4
  %v20 = getelementptr i8, ptr %v3, i64 %v19
  %v21 = mul i64 %v17, 16
  %v22 = mul i64 %v21, 4
  %v23 = getelementptr i8, ptr %v7, i64 %v22
  %v24 = mul i64 %v10, 8
  %v25 = mul i64 %v24, 4
  %v26 = getelementptr i8, ptr %v5, i64 %v25
  %v27 = mul i64 %v24, 4
  %v28 = getelementptr i8, ptr %v23, i64 %v27
  %v29 = load float, ptr %v20, align 4
  %v30 = insertelement <8 x float> poison, float %v29, i64 0
  %v31 = shufflevector <8 x float> %v30, <8 x float> poison, <8 x i32> zeroinitializer
  %v32 = load <8 x float>, ptr %v26, align 4
  %v33 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v31, <8 x float> %v32, <8 x float> zeroinitializer)
  %v34 = getelementptr i8, ptr %v20, i64 8
  %v35 = load float, ptr %v34, align 4
  %v36 = insertelement <8 x float> poison, float %v35, i64 0
  %v37 = shufflevector <8 x float> %v36, <8 x float> poison, <8 x i32> zeroinitializer
  %v38 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v37, <8 x float> %v32, <8 x float> zeroinitializer)
  call void asm sideeffect "", "~{memory}"()
  %v39 = getelementptr i8, ptr %v20, i64 4
  %v40 = load float, ptr %v39, align 4
  %v41 = insertelement <8 x float> poison, float %v40, i64 0
  %v42 = shufflevector <8 x float> %v41, <8 x float> poison, <8 x i32> zeroinitializer
  %v43 = getelementptr i8, ptr %v26, i64 64
  %v44 = load <8 x float>, ptr %v43, align 4
  %v45 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v42, <8 x float> %v44, <8 x float> %v33)
  %v46 = getelementptr i8, ptr %v20, i64 12
  %v47 = load float, ptr %v46, align 4
  %v48 = insertelement <8 x float> poison, float %v47, i64 0
  %v49 = shufflevector <8 x float> %v48, <8 x float> poison, <8 x i32> zeroinitializer
  %v50 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v49, <8 x float> %v44, <8 x float> %v38)
  store <8 x float> %v45, ptr %v28, align 4
  %v51 = getelementptr i8, ptr %v28, i64 64
  store <8 x float> %v50, ptr %v51, align 4
  br label %join16
join16:
  %v52 = xor i1 %v14, true
  br i1 %v52, label %yes53, label %join54
yes53:
  %v55 = getelementptr i8, ptr %v3, i64 32
  %v56 = getelementptr i8, ptr %v7, i64 256
  %v57 = mul i64 %v10, 8
  %v58 = mul i64 %v57, 4
  %v59 = getelementptr i8, ptr %v5, i64 %v58
  %v60 = mul i64 %v57, 4
  %v61 = getelementptr i8, ptr %v56, i64 %v60
  %v62 = load float, ptr %v55, align 4
  %v63 = insertelement <8 x float> poison, float %v62, i64 0
  %v64 = shufflevector <8 x float> %v63, <8 x float> poison, <8 x i32> zeroinitializer
  %v65 = load <8 x float>, ptr %v59, align 4
  %v66 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v64, <8 x float> %v65, <8 x float> zeroinitializer)
  call void asm sideeffect "", "~{memory}"()
  %v67 = getelementptr i8, ptr %v55, i64 4
  %v68 = load float, ptr %v67, align 4
  %v69 = insertelement <8 x float> poison, float %v68, i64 0
  %v70 = shufflevector <8 x float> %v69, <8 x float> poison, <8 x i32> zeroinitializer
  %v71 = getelementptr i8, ptr %v59, i64 64
  %v72 = load <8 x float>, ptr %v71, align 4
  %v73 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v70, <8 x float> %v72, <8 x float> %v66)
  store <8 x float> %v73, ptr %v61, align 4
  br label %join54
join54:
  %v74 = add i64 %i9, 1
  %v75 = icmp slt i64 %v74, %end
  br i1 %v75, label %loop8, label %after76
after76:
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
