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
  %i10 = phi i64 [ 0, %start ], [ %v85, %after84 ]
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
  %i20 = phi i64 [ 0, %loop9 ], [ %v82, %after78 ]
  %v21 = mul i64 %i20, 4
  %v22 = getelementptr i8, ptr %v13, i64 %v21
  %v23 = mul i64 %i20, 4
  %v24 = mul i64 %v23, 4
  %v25 = getelementptr i8, ptr %v7, i64 %v24
  %v26 = mul i64 %i20, 4
  %v27 = mul i64 %v26, 4
  %v28 = getelementptr i8, ptr %v8, i64 %v27
  %v29 = xor i1 %v17, true
  br i1 %v29, label %yes30, label %join31
yes30:
  %v32 = load <8 x float>, ptr %v28, align 4
  %v33 = getelementptr i8, ptr %v28, i64 32
  %v34 = load <8 x float>, ptr %v33, align 4
  %v35 = getelementptr i8, ptr %v28, i64 64
  %v36 = load <8 x float>, ptr %v35, align 4
  %v37 = getelementptr i8, ptr %v28, i64 96
  %v38 = load <8 x float>, ptr %v37, align 4
  br label %join31
join31:
  %v39 = phi <8 x float> [ zeroinitializer, %loop19 ], [ %v32, %yes30 ]
  %v40 = phi <8 x float> [ zeroinitializer, %loop19 ], [ %v34, %yes30 ]
  %v41 = phi <8 x float> [ zeroinitializer, %loop19 ], [ %v36, %yes30 ]
  %v42 = phi <8 x float> [ zeroinitializer, %loop19 ], [ %v38, %yes30 ]
  br label %loop43
loop43:
  %i44 = phi i64 [ 0, %join31 ], [ %v76, %loop43 ]
  %c45 = phi <8 x float> [ %v39, %join31 ], [ %v60, %loop43 ]
  %c46 = phi <8 x float> [ %v40, %join31 ], [ %v65, %loop43 ]
  %c47 = phi <8 x float> [ %v41, %join31 ], [ %v70, %loop43 ]
  %c48 = phi <8 x float> [ %v42, %join31 ], [ %v75, %loop43 ]
  %v49 = mul i64 %i44, 16
  %v50 = mul i64 %v49, 4
  %v51 = getelementptr i8, ptr %v22, i64 %v50
  %v52 = mul i64 %i44, 4
  %v53 = mul i64 %v52, 4
  %v54 = getelementptr i8, ptr %v16, i64 %v53
  %v55 = add i64 %i10, %i44
  %v56 = load <8 x float>, ptr %v51, align 4
  %v57 = load float, ptr %v54, align 4
  %v58 = insertelement <8 x float> poison, float %v57, i64 0
  %v59 = shufflevector <8 x float> %v58, <8 x float> poison, <8 x i32> zeroinitializer
  %v60 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v56, <8 x float> %v59, <8 x float> %c45)
  %v61 = getelementptr i8, ptr %v54, i64 4
  %v62 = load float, ptr %v61, align 4
  %v63 = insertelement <8 x float> poison, float %v62, i64 0
  %v64 = shufflevector <8 x float> %v63, <8 x float> poison, <8 x i32> zeroinitializer
  %v65 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v56, <8 x float> %v64, <8 x float> %c46)
  %v66 = getelementptr i8, ptr %v54, i64 8
  %v67 = load float, ptr %v66, align 4
  %v68 = insertelement <8 x float> poison, float %v67, i64 0
  %v69 = shufflevector <8 x float> %v68, <8 x float> poison, <8 x i32> zeroinitializer
  %v70 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v56, <8 x float> %v69, <8 x float> %c47)
  %v71 = getelementptr i8, ptr %v54, i64 12
  %v72 = load float, ptr %v71, align 4
  %v73 = insertelement <8 x float> poison, float %v72, i64 0
  %v74 = shufflevector <8 x float> %v73, <8 x float> poison, <8 x i32> zeroinitializer
  %v75 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v56, <8 x float> %v74, <8 x float> %c48)
  %v76 = add i64 %i44, 1
  %v77 = icmp slt i64 %v76, 3
  br i1 %v77, label %loop43, label %after78
after78:
  store <8 x float> %v60, ptr %v28, align 4
  %v79 = getelementptr i8, ptr %v28, i64 32
  store <8 x float> %v65, ptr %v79, align 4
  %v80 = getelementptr i8, ptr %v28, i64 64
  store <8 x float> %v70, ptr %v80, align 4
  %v81 = getelementptr i8, ptr %v28, i64 96
  store <8 x float> %v75, ptr %v81, align 4
  %v82 = add i64 %i20, 8
  %v83 = icmp slt i64 %v82, 16
  br i1 %v83, label %loop19, label %after84
after84:
  %v85 = add i64 %i10, 3
  %v86 = icmp slt i64 %v85, 6
  br i1 %v86, label %loop9, label %after87
after87:
  br label %loop88
loop88:
  %i89 = phi i64 [ 0, %after87 ], [ %v136, %loop88 ]
  %v90 = mul i64 %i89, 4
  %v91 = getelementptr i8, ptr %v3, i64 %v90
  %v92 = mul i64 %i89, 4
  %v93 = mul i64 %v92, 4
  %v94 = getelementptr i8, ptr %v7, i64 %v93
  %v95 = mul i64 %i89, 4
  %v96 = mul i64 %v95, 4
  %v97 = getelementptr i8, ptr %v8, i64 %v96
  %v98 = load <8 x float>, ptr %v97, align 4
  %v99 = getelementptr i8, ptr %v97, i64 32
  %v100 = load <8 x float>, ptr %v99, align 4
  %v101 = getelementptr i8, ptr %v97, i64 64
  %v102 = load <8 x float>, ptr %v101, align 4
  %v103 = getelementptr i8, ptr %v97, i64 96
  %v104 = load <8 x float>, ptr %v103, align 4
  %v105 = shufflevector <8 x float> %v98, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v106 = shufflevector <8 x float> %v98, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v107 = shufflevector <8 x float> %v100, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v108 = shufflevector <8 x float> %v100, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v109 = shufflevector <8 x float> %v102, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v110 = shufflevector <8 x float> %v102, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v111 = shufflevector <8 x float> %v104, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v112 = shufflevector <8 x float> %v104, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v113 = shufflevector <8 x float> %v105, <8 x float> %v109, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v114 = shufflevector <8 x float> %v105, <8 x float> %v109, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v115 = shufflevector <8 x float> %v107, <8 x float> %v111, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v116 = shufflevector <8 x float> %v107, <8 x float> %v111, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v117 = shufflevector <8 x float> %v106, <8 x float> %v110, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v118 = shufflevector <8 x float> %v106, <8 x float> %v110, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v119 = shufflevector <8 x float> %v108, <8 x float> %v112, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v120 = shufflevector <8 x float> %v108, <8 x float> %v112, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v121 = shufflevector <8 x float> %v113, <8 x float> %v115, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v122 = shufflevector <8 x float> %v113, <8 x float> %v115, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v123 = shufflevector <8 x float> %v114, <8 x float> %v116, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v124 = shufflevector <8 x float> %v114, <8 x float> %v116, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v125 = shufflevector <8 x float> %v117, <8 x float> %v119, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v126 = shufflevector <8 x float> %v117, <8 x float> %v119, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v127 = shufflevector <8 x float> %v118, <8 x float> %v120, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v128 = shufflevector <8 x float> %v118, <8 x float> %v120, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v121, ptr %v94, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v129 = getelementptr i8, ptr %v94, i64 16
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v122, ptr %v129, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v130 = getelementptr i8, ptr %v94, i64 32
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v123, ptr %v130, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v131 = getelementptr i8, ptr %v94, i64 48
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v124, ptr %v131, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v132 = getelementptr i8, ptr %v94, i64 64
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v125, ptr %v132, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v133 = getelementptr i8, ptr %v94, i64 80
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v126, ptr %v133, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v134 = getelementptr i8, ptr %v94, i64 96
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v127, ptr %v134, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v135 = getelementptr i8, ptr %v94, i64 112
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v128, ptr %v135, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v136 = add i64 %i89, 8
  %v137 = icmp slt i64 %v136, 16
  br i1 %v137, label %loop88, label %after138
after138:
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
