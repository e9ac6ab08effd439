declare <8 x float> @llvm.fmuladd.v8f32(<8 x float>, <8 x float>, <8 x float>)

declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

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
  %v8 = getelementptr i8, ptr %workspace, i64 0
  br label %loop9
loop9:
  %i10 = phi i64 [ 0, %start ], [ %v89, %after88 ]
  %v11 = mul i64 %i10, 16
  %v12 = mul i64 %v11, 4
  %v13 = getelementptr i8, ptr %v3, i64 %v12
  %v14 = mul i64 %i10, 4
  %v15 = mul i64 %v14, 4
  %v16 = getelementptr i8, ptr %v5, i64 %v15
  %v17 = icmp eq i64 %i10, 0
  %v18 = icmp eq i64 %i10, 3
  br label %loop19
loop19:
  %i20 = phi i64 [ 0, %loop9 ], [ %v86, %join67 ]
  %v21 = mul i64 %i20, 4
  %v22 = getelementptr i8, ptr %v13, i64 %v21
  %v23 = mul i64 %i20, 4
  %v24 = mul i64 %v23, 4
  %v25 = getelementptr i8, ptr %v7, i64 %v24
  %v26 = mul i64 %i20, 4
  %v27 = mul i64 %v26, 4
  %v28 = getelementptr i8, ptr %v8, i64 %v27
  br label %loop29
loop29:
  %i30 = phi i64 [ 0, %loop19 ], [ %v62, %loop29 ]
  %c31 = phi <8 x float> [ zeroinitializer, %loop19 ], [ %v46, %loop29 ]
  %c32 = phi <8 x float> [ zeroinitializer, %loop19 ], [ %v51, %loop29 ]
  %c33 = phi <8 x float> [ zeroinitializer, %loop19 ], [ %v56, %loop29 ]
  %c34 = phi <8 x float> [ zeroinitializer, %loop19 ], [ %v61, %loop29 ]
  %v35 = mul i64 %i30, 16
  %v36 = mul i64 %v35, 4
  %v37 = getelementptr i8, ptr %v22, i64 %v36
  %v38 = mul i64 %i30, 4
  %v39 = mul i64 %v38, 4
  %v40 = getelementptr i8, ptr %v16, i64 %v39
  %v41 = add i64 %i10, %i30
  %v42 = load <8 x float>, ptr %v37, align 4
  %v43 = load float, ptr %v40, align 4
  %v44 = insertelement <8 x float> poison, float %v43, i64 0
  %v45 = shufflevector <8 x float> %v44, <8 x float> poison, <8 x i32> zeroinitializer
  %v46 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v42, <8 x float> %v45, <8 x float> %c31)
  %v47 = getelementptr i8, ptr %v40, i64 4
  %v48 = load float, ptr %v47, align 4
  %v49 = insertelement <8 x float> poison, float %v48, i64 0
  %v50 = shufflevector <8 x float> %v49, <8 x float> poison, <8 x i32> zeroinitializer
  %v51 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v42, <8 x float> %v50, <8 x float> %c32)
  %v52 = getelementptr i8, ptr %v40, i64 8
  %v53 = load float, ptr %v52, align 4
  %v54 = insertelement <8 x float> poison, float %v53, i64 0
  %v55 = shufflevector <8 x float> %v54, <8 x float> poison, <8 x i32> zeroinitializer
  %v56 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v42, <8 x float> %v55, <8 x float> %c33)
  %v57 = getelementptr i8, ptr %v40, i64 12
  %v58 = load float, ptr %v57, align 4
  %v59 = insertelement <8 x float> poison, float %v58, i64 0
  %v60 = shufflevector <8 x float> %v59, <8 x float> poison, <8 x i32> zeroinitializer
  %v61 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v42, <8 x float> %v60, <8 x float> %c34)
  %v62 = add i64 %i30, 1
  %v63 = icmp slt i64 %v62, 3
  br i1 %v63, label %loop29, label %after64
after64:
  %v65 = xor i1 %v17, true
  br i1 %v65, label %yes66, label %join67
yes66:
  %v68 = load <8 x float>, ptr %v28, align 4
  %v69 = fadd <8 x float> %v68, %v46
  %v70 = getelementptr i8, ptr %v28, i64 32
  %v71 = load <8 x float>, ptr %v70, align 4
  %v72 = fadd <8 x float> %v71, %v51
  %v73 = getelementptr i8, ptr %v28, i64 64
  %v74 = load <8 x float>, ptr %v73, align 4
  %v75 = fadd <8 x float> %v74, %v56
  %v76 = getelementptr i8, ptr %v28, i64 96
  %v77 = load <8 x float>, ptr %v76, align 4
  %v78 = fadd <8 x float> %v77, %v61
  br label %join67
join67:
  %v79 = phi <8 x float> [ %v46, %after64 ], [ %v69, %yes66 ]
  %v80 = phi <8 x float> [ %v51, %after64 ], [ %v72, %yes66 ]
  %v81 = phi <8 x float> [ %v56, %after64 ], [ %v75, %yes66 ]
  %v82 = phi <8 x float> [ %v61, %after64 ], [ %v78, %yes66 ]
  store <8 x float> %v79, ptr %v28, align 4
  %v83 = getelementptr i8, ptr %v28, i64 32
  store <8 x float> %v80, ptr %v83, align 4
  %v84 = getelementptr i8, ptr %v28, i64 64
  store <8 x float> %v81, ptr %v84, align 4
  %v85 = getelementptr i8, ptr %v28, i64 96
  store <8 x float> %v82, ptr %v85, align 4
  %v86 = add i64 %i20, 8
  %v87 = icmp slt i64 %v86, 16
  br i1 %v87, label %loop19, label %after88
after88:
  %v89 = add i64 %i10, 3
  %v90 = icmp slt i64 %v89, 6
  br i1 %v90, label %loop9, label %after91
after91:
  br label %loop92
loop92:
  %i93 = phi i64 [ 0, %after91 ], [ %v140, %loop92 ]
  %v94 = mul i64 %i93, 4
  %v95 = getelementptr i8, ptr %v3, i64 %v94
  %v96 = mul i64 %i93, 4
  %v97 = mul i64 %v96, 4
  %v98 = getelementptr i8, ptr %v7, i64 %v97
  %v99 = mul i64 %i93, 4
  %v100 = mul i64 %v99, 4
  %v101 = getelementptr i8, ptr %v8, i64 %v100
  %v102 = load <8 x float>, ptr %v101, align 4
  %v103 = getelementptr i8, ptr %v101, i64 32
  %v104 = load <8 x float>, ptr %v103, align 4
  %v105 = getelementptr i8, ptr %v101, i64 64
  %v106 = load <8 x float>, ptr %v105, align 4
  %v107 = getelementptr i8, ptr %v101, i64 96
  %v108 = load <8 x float>, ptr %v107, align 4
  %v109 = shufflevector <8 x float> %v102, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v110 = shufflevector <8 x float> %v102, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v111 = shufflevector <8 x float> %v104, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v112 = shufflevector <8 x float> %v104, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v113 = shufflevector <8 x float> %v106, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v114 = shufflevector <8 x float> %v106, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v115 = shufflevector <8 x float> %v108, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v116 = shufflevector <8 x float> %v108, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v117 = shufflevector <8 x float> %v109, <8 x float> %v113, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v118 = shufflevector <8 x float> %v109, <8 x float> %v113, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v119 = shufflevector <8 x float> %v111, <8 x float> %v115, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v120 = shufflevector <8 x float> %v111, <8 x float> %v115, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v121 = shufflevector <8 x float> %v110, <8 x float> %v114, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v122 = shufflevector <8 x float> %v110, <8 x float> %v114, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v123 = shufflevector <8 x float> %v112, <8 x float> %v116, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v124 = shufflevector <8 x float> %v112, <8 x float> %v116, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v125 = shufflevector <8 x float> %v117, <8 x float> %v119, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v126 = shufflevector <8 x float> %v117, <8 x float> %v119, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v127 = shufflevector <8 x float> %v118, <8 x float> %v120, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v128 = shufflevector <8 x float> %v118, <8 x float> %v120, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v129 = shufflevector <8 x float> %v121, <8 x float> %v123, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v130 = shufflevector <8 x float> %v121, <8 x float> %v123, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v131 = shufflevector <8 x float> %v122, <8 x float> %v124, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v132 = shufflevector <8 x float> %v122, <8 x float> %v124, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v125, ptr %v98, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v133 = getelementptr i8, ptr %v98, i64 16
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v126, ptr %v133, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v134 = getelementptr i8, ptr %v98, i64 32
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v127, ptr %v134, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v135 = getelementptr i8, ptr %v98, i64 48
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v128, ptr %v135, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v136 = getelementptr i8, ptr %v98, i64 64
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v129, ptr %v136, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v137 = getelementptr i8, ptr %v98, i64 80
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v130, ptr %v137, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v138 = getelementptr i8, ptr %v98, i64 96
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v131, ptr %v138, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v139 = getelementptr i8, ptr %v98, i64 112
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v132, ptr %v139, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v140 = add i64 %i93, 8
  %v141 = icmp slt i64 %v140, 16
  br i1 %v141, label %loop92, label %after142
after142:
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
