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
  %v8 = getelementptr i8, ptr %v3, i64 -36
  br label %loop9
loop9:
  %i10 = phi i64 [ 0, %start ], [ %v109, %after108 ]
  %p11 = phi ptr [ %v5, %start ], [ %v110, %after108 ]
  %p13 = phi ptr [ %v7, %start ], [ %v111, %after108 ]
  %q12 = call ptr asm "", "=r,0"(ptr %p11)
  %q14 = call ptr asm "", "=r,0"(ptr %p13)
  %v15 = getelementptr i8, ptr %workspace, i64 0
  br label %loop16
loop16:
  %i17 = phi i64 [ 0, %loop9 ], [ %v62, %join36 ]
  %p18 = phi ptr [ %v8, %loop9 ], [ %v63, %join36 ]
  %p20 = phi ptr [ %v15, %loop9 ], [ %v64, %join36 ]
  %q19 = call ptr asm "", "=r,0"(ptr %p18)
  %q21 = call ptr asm "", "=r,0"(ptr %p20)
  %v22 = add i64 -1, %i17
  %v23 = icmp ult i64 %v22, 4
  %v24 = xor i1 %v23, true
  br i1 %v24, label %yes25, label %join26
yes25:
  br label %loop27
loop27:
  %i28 = phi i64 [ 0, %yes25 ], [ %v31, %loop27 ]
  %p29 = phi ptr [ %q21, %yes25 ], [ %v32, %loop27 ]
  %q30 = call ptr asm "", "=r,0"(ptr %p29)
  store <8 x float> zeroinitializer, ptr %q30, align 4
  %v31 = add i64 %i28, 8
  %v32 = getelementptr i8, ptr %q30, i64 32
  %v33 = icmp slt i64 %v31, 16
  br i1 %v33, label %loop27, label %after34
after34:
  br label %join26
join26:
  br i1 %v23, label %yes35, label %join36
yes35:
  br label %loop37
loop37:
  %i38 = phi i64 [ 0, %yes35 ], [ %v49, %loop37 ]
  %p39 = phi ptr [ %q19, %yes35 ], [ %v50, %loop37 ]
  %p47 = phi ptr [ %q21, %yes35 ], [ %v51, %loop37 ]
  %q40 = call ptr asm "", "=r,0"(ptr %p39)
  %q48 = call ptr asm "", "=r,0"(ptr %p47)
  %v41 = add i64 -1, %i38
  %v42 = insertelement <8 x i64> poison, i64 %v41, i64 0
  %v43 = shufflevector <8 x i64> %v42, <8 x i64> poison, <8 x i32> zeroinitializer
  %v44 = add <8 x i64> %v43, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %v45 = icmp ult <8 x i64> %v44, <i64 8, i64 8, i64 8, i64 8, i64 8, i64 8, i64 8, i64 8>
  %v46 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q40, i32 4, <8 x i1> %v45, <8 x float> zeroinitializer)
  store <8 x float> %v46, ptr %q48, align 4
  %v49 = add i64 %i38, 8
  %v50 = getelementptr i8, ptr %q40, i64 32
  %v51 = getelementptr i8, ptr %q48, i64 32
  %v52 = icmp slt i64 %v49, 8
  br i1 %v52, label %loop37, label %after53
after53:
  %v54 = getelementptr i8, ptr %q19, i64 32
  %v55 = insertelement <8 x i64> poison, i64 7, i64 0
  %v56 = shufflevector <8 x i64> %v55, <8 x i64> poison, <8 x i32> zeroinitializer
  %v57 = add <8 x i64> %v56, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %v58 = icmp ult <8 x i64> %v57, <i64 8, i64 8, i64 8, i64 8, i64 8, i64 8, i64 8, i64 8>
  %v59 = and <8 x i1> %v58, <i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>
  %v60 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v54, i32 4, <8 x i1> %v59, <8 x float> zeroinitializer)
  %v61 = getelementptr i8, ptr %q21, i64 32
  store <8 x float> %v60, ptr %v61, align 4
  br label %join36
join36:
  %v62 = add i64 %i17, 1
  %v63 = getelementptr i8, ptr %q19, i64 32
  %v64 = getelementptr i8, ptr %q21, i64 64
  %v65 = icmp slt i64 %v62, 6
  br i1 %v65, label %loop16, label %after66
after66:
  br label %loop67
loop67:
  %i68 = phi i64 [ 0, %after66 ], [ %v104, %after103 ]
  %p69 = phi ptr [ %v15, %after66 ], [ %v105, %after103 ]
  %p71 = phi ptr [ %q14, %after66 ], [ %v106, %after103 ]
  %q70 = call ptr asm "", "=r,0"(ptr %p69)
  %q72 = call ptr asm "", "=r,0"(ptr %p71)
  br label %loop73
loop73:
  %i74 = phi i64 [ 0, %loop67 ], [ %v99, %loop73 ]
  %c75 = phi <8 x float> [ zeroinitializer, %loop67 ], [ %v98, %loop73 ]
  %p76 = phi ptr [ %q70, %loop67 ], [ %v100, %loop73 ]
  %p78 = phi ptr [ %q12, %loop67 ], [ %v101, %loop73 ]
  %q77 = call ptr asm "", "=r,0"(ptr %p76)
  %q79 = call ptr asm "", "=r,0"(ptr %p78)
  %v80 = load <8 x float>, ptr %q77, align 4
  %v81 = load float, ptr %q79, align 4
  %v82 = insertelement <8 x float> poison, float %v81, i64 0
  %v83 = shufflevector <8 x float> %v82, <8 x float> poison, <8 x i32> zeroinitializer
  %v84 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v80, <8 x float> %v83, <8 x float> %c75)
  %v85 = getelementptr i8, ptr %q77, i64 4
  %v86 = load <8 x float>, ptr %v85, align 4
  %v87 = getelementptr i8, ptr %q79, i64 4
  %v88 = load float, ptr %v87, align 4
  %v89 = insertelement <8 x float> poison, float %v88, i64 0
  %v90 = shufflevector <8 x float> %v89, <8 x float> poison, <8 x i32> zeroinitializer
  %v91 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v86, <8 x float> %v90, <8 x float> %v84)
  %v92 = getelementptr i8, ptr %q77, i64 8
  %v93 = load <8 x float>, ptr %v92, align 4
  %v94 = getelementptr i8, ptr %q79, i64 8
  %v95 = load float, ptr %v94, align 4
  %v96 = insertelement <8 x float> poison, float %v95, i64 0
  %v97 = shufflevector <8 x float> %v96, <8 x float> poison, <8 x i32> zeroinitializer
  %v98 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v93, <8 x float> %v97, <8 x float> %v91)
  %v99 = add i64 %i74, 1
  %v100 = getelementptr i8, ptr %q77, i64 64
  %v101 = getelementptr i8, ptr %q79, i64 12
  %v102 = icmp slt i64 %v99, 3
  br i1 %v102, label %loop73, label %after103
after103:
  store <8 x float> %v98, ptr %q72, align 4
  %v104 = add i64 %i68, 1
  %v105 = getelementptr i8, ptr %q70, i64 64
  %v106 = getelementptr i8, ptr %q72, i64 32
  %v107 = icmp slt i64 %v104, 4
  br i1 %v107, label %loop67, label %after108
after108:
  %v109 = add i64 %i10, 1
  %v110 = getelementptr i8, ptr %q12, i64 36
  %v111 = getelementptr i8, ptr %q14, i64 128
  %v112 = icmp slt i64 %v109, 2
  br i1 %v112, label %loop9, label %after113
after113:
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
