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
  %v8 = getelementptr i8, ptr %workspace, i64 0
  br label %loop9
loop9:
  %i10 = phi i64 [ 0, %start ], [ %v88, %after87 ]
  %p11 = phi ptr [ %v3, %start ], [ %v89, %after87 ]
  %p13 = phi ptr [ %v5, %start ], [ %v90, %after87 ]
  %q12 = call ptr asm "", "=r,0"(ptr %p11)
  %q14 = call ptr asm "", "=r,0"(ptr %p13)
  %v15 = icmp eq i64 %i10, 0
  %v16 = icmp eq i64 %i10, 3
  br label %loop17
loop17:
  %i18 = phi i64 [ 0, %loop9 ], [ %v82, %join63 ]
  %p19 = phi ptr [ %q12, %loop9 ], [ %v83, %join63 ]
  %p21 = phi ptr [ %v7, %loop9 ], [ %v84, %join63 ]
  %p23 = phi ptr [ %v8, %loop9 ], [ %v85, %join63 ]
  %q20 = call ptr asm "", "=r,0"(ptr %p19)
  %q22 = call ptr asm "", "=r,0"(ptr %p21)
  %q24 = call ptr asm "", "=r,0"(ptr %p23)
  br label %loop25
loop25:
  %i26 = phi i64 [ 0, %loop17 ], [ %v56, %loop25 ]
  %c27 = phi <8 x float> [ zeroinitializer, %loop17 ], [ %v40, %loop25 ]
  %c28 = phi <8 x float> [ zeroinitializer, %loop17 ], [ %v45, %loop25 ]
  %c29 = phi <8 x float> [ zeroinitializer, %loop17 ], [ %v50, %loop25 ]
  %c30 = phi <8 x float> [ zeroinitializer, %loop17 ], [ %v55, %loop25 ]
  %p31 = phi ptr [ %q20, %loop17 ], [ %v57, %loop25 ]
  %p33 = phi ptr [ %q14, %loop17 ], [ %v58, %loop25 ]
  %q32 = call ptr asm "", "=r,0"(ptr %p31)
  %q34 = call ptr asm "", "=r,0"(ptr %p33)
  %v35 = add i64 %i10, %i26
  %v36 = load <8 x float>, ptr %q32, align 4
  %v37 = load float, ptr %q34, align 4
  %v38 = insertelement <8 x float> poison, float %v37, i64 0
  %v39 = shufflevector <8 x float> %v38, <8 x float> poison, <8 x i32> zeroinitializer
  %v40 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v36, <8 x float> %v39, <8 x float> %c27)
  %v41 = getelementptr i8, ptr %q34, i64 4
  %v42 = load float, ptr %v41, align 4
  %v43 = insertelement <8 x float> poison, float %v42, i64 0
  %v44 = shufflevector <8 x float> %v43, <8 x float> poison, <8 x i32> zeroinitializer
  %v45 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v36, <8 x float> %v44, <8 x float> %c28)
  %v46 = getelementptr i8, ptr %q34, i64 8
  %v47 = load float, ptr %v46, align 4
  %v48 = insertelement <8 x float> poison, float %v47, i64 0
  %v49 = shufflevector <8 x float> %v48, <8 x float> poison, <8 x i32> zeroinitializer
  %v50 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v36, <8 x float> %v49, <8 x float> %c29)
  %v51 = getelementptr i8, ptr %q34, i64 12
  %v52 = load float, ptr %v51, align 4
  %v53 = insertelement <8 x float> poison, float %v52, i64 0
  %v54 = shufflevector <8 x float> %v53, <8 x float> poison, <8 x i32> zeroinitializer
  %v55 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v36, <8 x float> %v54, <8 x float> %c30)
  %v56 = add i64 %i26, 1
  %v57 = getelementptr i8, ptr %q32, i64 64
  %v58 = getelementptr i8, ptr %q34, i64 16
  %v59 = icmp slt i64 %v56, 3
  br i1 %v59, label %loop25, label %after60
after60:
  %v61 = xor i1 %v15, true
  br i1 %v61, label %yes62, label %join63
yes62:
  %v64 = load <8 x float>, ptr %q24, align 4
  %v65 = fadd <8 x float> %v64, %v40
  %v66 = getelementptr i8, ptr %q24, i64 32
  %v67 = load <8 x float>, ptr %v66, align 4
  %v68 = fadd <8 x float> %v67, %v45
  %v69 = getelementptr i8, ptr %q24, i64 64
  %v70 = load <8 x float>, ptr %v69, align 4
  %v71 = fadd <8 x float> %v70, %v50
  %v72 = getelementptr i8, ptr %q24, i64 96
  %v73 = load <8 x float>, ptr %v72, align 4
  %v74 = fadd <8 x float> %v73, %v55
  br label %join63
join63:
  %v75 = phi <8 x float> [ %v40, %after60 ], [ %v65, %yes62 ]
  %v76 = phi <8 x float> [ %v45, %after60 ], [ %v68, %yes62 ]
  %v77 = phi <8 x float> [ %v50, %after60 ], [ %v71, %yes62 ]
  %v78 = phi <8 x float> [ %v55, %after60 ], [ %v74, %yes62 ]
  store <8 x float> %v75, ptr %q24, align 4
  %v79 = getelementptr i8, ptr %q24, i64 32
  store <8 x float> %v76, ptr %v79, align 4
  %v80 = getelementptr i8, ptr %q24, i64 64
  store <8 x float> %v77, ptr %v80, align 4
  %v81 = getelementptr i8, ptr %q24, i64 96
  store <8 x float> %v78, ptr %v81, align 4
  %v82 = add i64 %i18, 8
  %v83 = getelementptr i8, ptr %q20, i64 32
  %v84 = getelementptr i8, ptr %q22, i64 128
  %v85 = getelementptr i8, ptr %q24, i64 128
  %v86 = icmp slt i64 %v82, 16
  br i1 %v86, label %loop17, label %after87
after87:
  %v88 = add i64 %i10, 3
  %v89 = getelementptr i8, ptr %q12, i64 192
  %v90 = getelementptr i8, ptr %q14, i64 48
  %v91 = icmp slt i64 %v88, 6
  br i1 %v91, label %loop9, label %after92
after92:
  br label %loop93
loop93:
  %i94 = phi i64 [ 0, %after92 ], [ %v147, %loop93 ]
  %p95 = phi ptr [ %v3, %after92 ], [ %v148, %loop93 ]
  %p97 = phi ptr [ %v7, %after92 ], [ %v149, %loop93 ]
  %p99 = phi ptr [ %v8, %after92 ], [ %v150, %loop93 ]
  %q96 = call ptr asm "", "=r,0"(ptr %p95)
  %q98 = call ptr asm "", "=r,0"(ptr %p97)
  %q100 = call ptr asm "", "=r,0"(ptr %p99)
  %v101 = load <8 x float>, ptr %q100, align 4
  %v102 = getelementptr i8, ptr %q100, i64 32
  %v103 = load <8 x float>, ptr %v102, align 4
  %v104 = getelementptr i8, ptr %q100, i64 64
  %v105 = load <8 x float>, ptr %v104, align 4
  %v106 = getelementptr i8, ptr %q100, i64 96
  %v107 = load <8 x float>, ptr %v106, align 4
  %v108 = shufflevector <8 x float> %v101, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v109 = shufflevector <8 x float> %v101, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v110 = shufflevector <8 x float> %v103, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v111 = shufflevector <8 x float> %v103, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v112 = shufflevector <8 x float> %v105, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v113 = shufflevector <8 x float> %v105, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v114 = shufflevector <8 x float> %v107, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v115 = shufflevector <8 x float> %v107, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v116 = shufflevector <8 x float> %v108, <8 x float> %v112, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v117 = shufflevector <8 x float> %v108, <8 x float> %v112, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v118 = shufflevector <8 x float> %v110, <8 x float> %v114, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v119 = shufflevector <8 x float> %v110, <8 x float> %v114, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v120 = shufflevector <8 x float> %v109, <8 x float> %v113, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v121 = shufflevector <8 x float> %v109, <8 x float> %v113, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v122 = shufflevector <8 x float> %v111, <8 x float> %v115, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v123 = shufflevector <8 x float> %v111, <8 x float> %v115, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v124 = shufflevector <8 x float> %v116, <8 x float> %v118, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v125 = shufflevector <8 x float> %v116, <8 x float> %v118, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v126 = shufflevector <8 x float> %v117, <8 x float> %v119, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v127 = shufflevector <8 x float> %v117, <8 x float> %v119, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v128 = shufflevector <8 x float> %v120, <8 x float> %v122, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v129 = shufflevector <8 x float> %v120, <8 x float> %v122, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v130 = shufflevector <8 x float> %v121, <8 x float> %v123, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v131 = shufflevector <8 x float> %v121, <8 x float> %v123, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v132 = shufflevector <8 x float> %v124, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v132, ptr %q98, align 4
  %v133 = getelementptr i8, ptr %q98, i64 16
  %v134 = shufflevector <8 x float> %v125, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v134, ptr %v133, align 4
  %v135 = getelementptr i8, ptr %q98, i64 32
  %v136 = shufflevector <8 x float> %v126, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v136, ptr %v135, align 4
  %v137 = getelementptr i8, ptr %q98, i64 48
  %v138 = shufflevector <8 x float> %v127, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v138, ptr %v137, align 4
  %v139 = getelementptr i8, ptr %q98, i64 64
  %v140 = shufflevector <8 x float> %v128, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v140, ptr %v139, align 4
  %v141 = getelementptr i8, ptr %q98, i64 80
  %v142 = shufflevector <8 x float> %v129, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v142, ptr %v141, align 4
  %v143 = getelementptr i8, ptr %q98, i64 96
  %v144 = shufflevector <8 x float> %v130, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v144, ptr %v143, align 4
  %v145 = getelementptr i8, ptr %q98, i64 112
  %v146 = shufflevector <8 x float> %v131, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v146, ptr %v145, align 4
  %v147 = add i64 %i94, 8
  %v148 = getelementptr i8, ptr %q96, i64 32
  %v149 = getelementptr i8, ptr %q98, i64 128
  %v150 = getelementptr i8, ptr %q100, i64 128
  %v151 = icmp slt i64 %v147, 16
  br i1 %v151, label %loop93, label %after152
after152:
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
