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
  br label %loop8
loop8:
  %i9 = phi i64 [ 0, %start ], [ %v72, %after71 ]
  %v10 = mul i64 %i9, 5
  %v11 = mul i64 %v10, 4
  %v12 = getelementptr i8, ptr %v3, i64 %v11
  %v13 = mul i64 %i9, 16
  %v14 = mul i64 %v13, 4
  %v15 = getelementptr i8, ptr %v7, i64 %v14
  br label %loop16
loop16:
  %i17 = phi i64 [ 0, %loop8 ], [ %v69, %after55 ]
  %v18 = mul i64 %i17, 4
  %v19 = getelementptr i8, ptr %v5, i64 %v18
  %v20 = mul i64 %i17, 4
  %v21 = getelementptr i8, ptr %v15, i64 %v20
  br label %loop22
loop22:
  %i23 = phi i64 [ 0, %loop16 ], [ %v53, %loop22 ]
  %c24 = phi <8 x float> [ zeroinitializer, %loop16 ], [ %v47, %loop22 ]
  %c25 = phi <8 x float> [ zeroinitializer, %loop16 ], [ %v52, %loop22 ]
  %v26 = mul i64 %i23, 4
  %v27 = getelementptr i8, ptr %v12, i64 %v26
  %v28 = mul i64 %i23, 16
  %v29 = mul i64 %v28, 4
  %v30 = getelementptr i8, ptr %v19, i64 %v29
  %v31 = load float, ptr %v27, align 4
  %v32 = insertelement <8 x float> poison, float %v31, i64 0
  %v33 = shufflevector <8 x float> %v32, <8 x float> poison, <8 x i32> zeroinitializer
  %v34 = load <8 x float>, ptr %v30, align 4
  %v35 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v33, <8 x float> %v34, <8 x float> %c24)
  %v36 = getelementptr i8, ptr %v27, i64 20
  %v37 = load float, ptr %v36, align 4
  %v38 = insertelement <8 x float> poison, float %v37, i64 0
  %v39 = shufflevector <8 x float> %v38, <8 x float> poison, <8 x i32> zeroinitializer
  %v40 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v39, <8 x float> %v34, <8 x float> %c25)
  %v41 = getelementptr i8, ptr %v27, i64 4
  %v42 = load float, ptr %v41, align 4
  %v43 = insertelement <8 x float> poison, float %v42, i64 0
  %v44 = shufflevector <8 x float> %v43, <8 x float> poison, <8 x i32> zeroinitializer
  %v45 = getelementptr i8, ptr %v30, i64 64
  %v46 = load <8 x float>, ptr %v45, align 4
  %v47 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v44, <8 x float> %v46, <8 x float> %v35)
  %v48 = getelementptr i8, ptr %v27, i64 24
  %v49 = load float, ptr %v48, align 4
  %v50 = insertelement <8 x float> poison, float %v49, i64 0
  %v51 = shufflevector <8 x float> %v50, <8 x float> poison, <8 x i32> zeroinitializer
  %v52 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v51, <8 x float> %v46, <8 x float> %v40)
  %v53 = add i64 %i23, 2
  %v54 = icmp slt i64 %v53, 4
  br i1 %v54, label %loop22, label %after55
after55:
  %v56 = getelementptr i8, ptr %v12, i64 16
  %v57 = load float, ptr %v56, align 4
  %v58 = insertelement <8 x float> poison, float %v57, i64 0
  %v59 = shufflevector <8 x float> %v58, <8 x float> poison, <8 x i32> zeroinitializer
  %v60 = getelementptr i8, ptr %v19, i64 256
  %v61 = load <8 x float>, ptr %v60, align 4
  %v62 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v59, <8 x float> %v61, <8 x float> %v47)
  %v63 = getelementptr i8, ptr %v12, i64 36
  %v64 = load float, ptr %v63, align 4
  %v65 = insertelement <8 x float> poison, float %v64, i64 0
  %v66 = shufflevector <8 x float> %v65, <8 x float> poison, <8 x i32> zeroinitializer
  %v67 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v66, <8 x float> %v61, <8 x float> %v52)
  store <8 x float> %v62, ptr %v21, align 4
  %v68 = getelementptr i8, ptr %v21, i64 64
  store <8 x float> %v67, ptr %v68, align 4
  %v69 = add i64 %i17, 8
  %v70 = icmp slt i64 %v69, 16
  br i1 %v70, label %loop16, label %after71
after71:
  %v72 = add i64 %i9, 2
  %v73 = icmp slt i64 %v72, 4
  br i1 %v73, label %loop8, label %after74
after74:
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
