declare <8 x float> @llvm.fmuladd.v8f32(<8 x float>, <8 x float>, <8 x float>)

declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)

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
  %v8 = getelementptr i8, ptr %v3, i64 -36
  br label %loop9
loop9:
  %i10 = phi i64 [ 0, %start ], [ %v108, %after107 ]
  %v11 = mul i64 %i10, 9
  %v12 = mul i64 %v11, 4
  %v13 = getelementptr i8, ptr %v5, i64 %v12
  %v14 = mul i64 %i10, 32
  %v15 = mul i64 %v14, 4
  %v16 = getelementptr i8, ptr %v7, i64 %v15
  %v17 = getelementptr i8, ptr %workspace, i64 0
  br label %loop18
loop18:
  %i19 = phi i64 [ 0, %loop9 ], [ %v63, %join39 ]
  %v20 = mul i64 %i19, 8
  %v21 = mul i64 %v20, 4
  %v22 = getelementptr i8, ptr %v8, i64 %v21
  %v23 = mul i64 %i19, 16
  %v24 = mul i64 %v23, 4
  %v25 = getelementptr i8, ptr %v17, i64 %v24
  %v26 = add i64 -1, %i19
  %v27 = icmp ult i64 %v26, 4
  %v28 = xor i1 %v27, true
  br i1 %v28, label %yes29, label %join30
yes29:
  br label %loop31
loop31:
  %i32 = phi i64 [ 0, %yes29 ], [ %v35, %loop31 ]
  %v33 = mul i64 %i32, 4
  %v34 = getelementptr i8, ptr %v25, i64 %v33
  store <8 x float> zeroinitializer, ptr %v34, align 4
  %v35 = add i64 %i32, 8
  %v36 = icmp slt i64 %v35, 16
  br i1 %v36, label %loop31, label %after37
after37:
  br label %join30
join30:
  br i1 %v27, label %yes38, label %join39
yes38:
  br label %loop40
loop40:
  %i41 = phi i64 [ 0, %yes38 ], [ %v52, %loop40 ]
  %v42 = mul i64 %i41, 4
  %v43 = getelementptr i8, ptr %v22, i64 %v42
  %v44 = add i64 -1, %i41
  %v45 = insertelement <8 x i64> poison, i64 %v44, i64 0
  %v46 = shufflevector <8 x i64> %v45, <8 x i64> poison, <8 x i32> zeroinitializer
  %v47 = add <8 x i64> %v46, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %v48 = icmp ult <8 x i64> %v47, <i64 8, i64 8, i64 8, i64 8, i64 8, i64 8, i64 8, i64 8>
  %v49 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v43, i32 4, <8 x i1> %v48, <8 x float> zeroinitializer)
  %v50 = mul i64 %i41, 4
  %v51 = getelementptr i8, ptr %v25, i64 %v50
  store <8 x float> %v49, ptr %v51, align 4
  %v52 = add i64 %i41, 8
  %v53 = icmp slt i64 %v52, 8
  br i1 %v53, label %loop40, label %after54
after54:
  %v55 = getelementptr i8, ptr %v22, i64 32
  %v56 = insertelement <8 x i64> poison, i64 7, i64 0
  %v57 = shufflevector <8 x i64> %v56, <8 x i64> poison, <8 x i32> zeroinitializer
  %v58 = add <8 x i64> %v57, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %v59 = icmp ult <8 x i64> %v58, <i64 8, i64 8, i64 8, i64 8, i64 8, i64 8, i64 8, i64 8>
  %v60 = and <8 x i1> %v59, <i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>
  %v61 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v55, i32 4, <8 x i1> %v60, <8 x float> zeroinitializer)
  %v62 = getelementptr i8, ptr %v25, i64 32
  store <8 x float> %v61, ptr %v62, align 4
  br label %join39
join39:
  %v63 = add i64 %i19, 1
  %v64 = icmp slt i64 %v63, 6
  br i1 %v64, label %loop18, label %after65
after65:
  br label %loop66
loop66:
  %i67 = phi i64 [ 0, %after65 ], [ %v105, %after104 ]
  %v68 = mul i64 %i67, 16
  %v69 = mul i64 %v68, 4
  %v70 = getelementptr i8, ptr %v17, i64 %v69
  %v71 = mul i64 %i67, 8
  %v72 = mul i64 %v71, 4
  %v73 = getelementptr i8, ptr %v16, i64 %v72
  br label %loop74
loop74:
  %i75 = phi i64 [ 0, %loop66 ], [ %v102, %loop74 ]
  %c76 = phi <8 x float> [ zeroinitializer, %loop66 ], [ %v101, %loop74 ]
  %v77 = mul i64 %i75, 16
  %v78 = mul i64 %v77, 4
  %v79 = getelementptr i8, ptr %v70, i64 %v78
  %v80 = mul i64 %i75, 3
  %v81 = mul i64 %v80, 4
  %v82 = getelementptr i8, ptr %v13, i64 %v81
  %v83 = load <8 x float>, ptr %v79, align 4
  %v84 = load float, ptr %v82, align 4
  %v85 = insertelement <8 x float> poison, float %v84, i64 0
  %v86 = shufflevector <8 x float> %v85, <8 x float> poison, <8 x i32> zeroinitializer
  %v87 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v83, <8 x float> %v86, <8 x float> %c76)
  %v88 = getelementptr i8, ptr %v79, i64 4
  %v89 = load <8 x float>, ptr %v88, align 4
  %v90 = getelementptr i8, ptr %v82, i64 4
  %v91 = load float, ptr %v90, align 4
  %v92 = insertelement <8 x float> poison, float %v91, i64 0
  %v93 = shufflevector <8 x float> %v92, <8 x float> poison, <8 x i32> zeroinitializer
  %v94 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v89, <8 x float> %v93, <8 x float> %v87)
  %v95 = getelementptr i8, ptr %v79, i64 8
  %v96 = load <8 x float>, ptr %v95, align 4
  %v97 = getelementptr i8, ptr %v82, i64 8
  %v98 = load float, ptr %v97, align 4
  %v99 = insertelement <8 x float> poison, float %v98, i64 0
  %v100 = shufflevector <8 x float> %v99, <8 x float> poison, <8 x i32> zeroinitializer
  %v101 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v96, <8 x float> %v100, <8 x float> %v94)
  %v102 = add i64 %i75, 1
  %v103 = icmp slt i64 %v102, 3
  br i1 %v103, label %loop74, label %after104
after104:
  store <8 x float> %v101, ptr %v73, align 4
  %v105 = add i64 %i67, 1
  %v106 = icmp slt i64 %v105, 4
  br i1 %v106, label %loop66, label %after107
after107:
  %v108 = add i64 %i10, 1
  %v109 = icmp slt i64 %v108, 2
  br i1 %v109, label %loop9, label %after110
after110:
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
