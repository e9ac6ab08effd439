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
  %c10 = phi <8 x float> [ zeroinitializer, %start ], [ %v20, %loop8 ]
  %c11 = phi <8 x float> [ zeroinitializer, %start ], [ %v25, %loop8 ]
  %p12 = phi ptr [ %v3, %start ], [ %v27, %loop8 ]
  %p14 = phi ptr [ %v5, %start ], [ %v28, %loop8 ]
  %q13 = call ptr asm "", "=r,0"(ptr %p12)
  %q15 = call ptr asm "", "=r,0"(ptr %p14)
  %v16 = load <8 x float>, ptr %q13, align 4
  %v17 = load float, ptr %q15, align 4
  %v18 = insertelement <8 x float> poison, float %v17, i64 0
  %v19 = shufflevector <8 x float> %v18, <8 x float> poison, <8 x i32> zeroinitializer
  %v20 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v16, <8 x float> %v19, <8 x float> %c10)
  %v21 = getelementptr i8, ptr %q15, i64 4
  %v22 = load float, ptr %v21, align 4
  %v23 = insertelement <8 x float> poison, float %v22, i64 0
  %v24 = shufflevector <8 x float> %v23, <8 x float> poison, <8 x i32> zeroinitializer
  %v25 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v16, <8 x float> %v24, <8 x float> %c11)
  %v26 = add i64 %i9, 1
  %v27 = getelementptr i8, ptr %q13, i64 32
  %v28 = getelementptr i8, ptr %q15, i64 8
  %v29 = icmp slt i64 %v26, 3
  br i1 %v29, label %loop8, label %after30
after30:
  %v31 = extractelement <8 x float> %v20, i64 0
  store float %v31, ptr %v7, align 4
  %v32 = getelementptr i8, ptr %v7, i64 8
  %v33 = extractelement <8 x float> %v20, i64 1
  store float %v33, ptr %v32, align 4
  %v34 = getelementptr i8, ptr %v7, i64 16
  %v35 = extractelement <8 x float> %v20, i64 2
  store float %v35, ptr %v34, align 4
  %v36 = getelementptr i8, ptr %v7, i64 24
  %v37 = extractelement <8 x float> %v20, i64 3
  store float %v37, ptr %v36, align 4
  %v38 = getelementptr i8, ptr %v7, i64 32
  %v39 = extractelement <8 x float> %v20, i64 4
  store float %v39, ptr %v38, align 4
  %v40 = getelementptr i8, ptr %v7, i64 40
  %v41 = extractelement <8 x float> %v20, i64 5
  store float %v41, ptr %v40, align 4
  %v42 = getelementptr i8, ptr %v7, i64 48
  %v43 = extractelement <8 x float> %v20, i64 6
  store float %v43, ptr %v42, align 4
  %v44 = getelementptr i8, ptr %v7, i64 56
  %v45 = extractelement <8 x float> %v20, i64 7
  store float %v45, ptr %v44, align 4
  %v46 = getelementptr i8, ptr %v7, i64 4
  %v47 = extractelement <8 x float> %v25, i64 0
  store float %v47, ptr %v46, align 4
  %v48 = getelementptr i8, ptr %v7, i64 12
  %v49 = extractelement <8 x float> %v25, i64 1
  store float %v49, ptr %v48, align 4
  %v50 = getelementptr i8, ptr %v7, i64 20
  %v51 = extractelement <8 x float> %v25, i64 2
  store float %v51, ptr %v50, align 4
  %v52 = getelementptr i8, ptr %v7, i64 28
  %v53 = extractelement <8 x float> %v25, i64 3
  store float %v53, ptr %v52, align 4
  %v54 = getelementptr i8, ptr %v7, i64 36
  %v55 = extractelement <8 x float> %v25, i64 4
  store float %v55, ptr %v54, align 4
  %v56 = getelementptr i8, ptr %v7, i64 44
  %v57 = extractelement <8 x float> %v25, i64 5
  store float %v57, ptr %v56, align 4
  %v58 = getelementptr i8, ptr %v7, i64 52
  %v59 = extractelement <8 x float> %v25, i64 6
  store float %v59, ptr %v58, align 4
  %v60 = getelementptr i8, ptr %v7, i64 60
  %v61 = extractelement <8 x float> %v25, i64 7
  store float %v61, ptr %v60, align 4
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
