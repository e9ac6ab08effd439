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
  %i9 = phi i64 [ 0, %start ], [ %v99, %after98 ]
  %p10 = phi ptr [ %v3, %start ], [ %v100, %after98 ]
  %p12 = phi ptr [ %v7, %start ], [ %v101, %after98 ]
  %q11 = call ptr asm "", "=r,0"(ptr %p10)
  %q13 = call ptr asm "", "=r,0"(ptr %p12)
  br label %loop14
loop14:
  %i15 = phi i64 [ 0, %loop8 ], [ %v94, %after54 ]
  %p16 = phi ptr [ %v5, %loop8 ], [ %v95, %after54 ]
  %p18 = phi ptr [ %q13, %loop8 ], [ %v96, %after54 ]
  %q17 = call ptr asm "", "=r,0"(ptr %p16)
  %q19 = call ptr asm "", "=r,0"(ptr %p18)
  br label %loop20
loop20:
  %i21 = phi i64 [ 0, %loop14 ], [ %v50, %loop20 ]
  %c22 = phi <8 x float> [ zeroinitializer, %loop14 ], [ %v34, %loop20 ]
  %c23 = phi <8 x float> [ zeroinitializer, %loop14 ], [ %v39, %loop20 ]
  %c24 = phi <8 x float> [ zeroinitializer, %loop14 ], [ %v44, %loop20 ]
  %c25 = phi <8 x float> [ zeroinitializer, %loop14 ], [ %v49, %loop20 ]
  %p26 = phi ptr [ %q11, %loop14 ], [ %v51, %loop20 ]
  %p28 = phi ptr [ %q17, %loop14 ], [ %v52, %loop20 ]
  %q27 = call ptr asm "", "=r,0"(ptr %p26)
  %q29 = call ptr asm "", "=r,0"(ptr %p28)
  %v30 = load <8 x float>, ptr %q27, align 4
  %v31 = load float, ptr %q29, align 4
  %v32 = insertelement <8 x float> poison, float %v31, i64 0
  %v33 = shufflevector <8 x float> %v32, <8 x float> poison, <8 x i32> zeroinitializer
  %v34 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v30, <8 x float> %v33, <8 x float> %c22)
  %v35 = getelementptr i8, ptr %q29, i64 4
  %v36 = load float, ptr %v35, align 4
  %v37 = insertelement <8 x float> poison, float %v36, i64 0
  %v38 = shufflevector <8 x float> %v37, <8 x float> poison, <8 x i32> zeroinitializer
  %v39 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v30, <8 x float> %v38, <8 x float> %c23)
  %v40 = getelementptr i8, ptr %q29, i64 8
  %v41 = load float, ptr %v40, align 4
  %v42 = insertelement <8 x float> poison, float %v41, i64 0
  %v43 = shufflevector <8 x float> %v42, <8 x float> poison, <8 x i32> zeroinitializer
  %v44 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v30, <8 x float> %v43, <8 x float> %c24)
  %v45 = getelementptr i8, ptr %q29, i64 12
  %v46 = load float, ptr %v45, align 4
  %v47 = insertelement <8 x float> poison, float %v46, i64 0
  %v48 = shufflevector <8 x float> %v47, <8 x float> poison, <8 x i32> zeroinitializer
  %v49 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v30, <8 x float> %v48, <8 x float> %c25)
  %v50 = add i64 %i21, 1
  %v51 = getelementptr i8, ptr %q27, i64 64
  %v52 = getelementptr i8, ptr %q29, i64 32
  %v53 = icmp slt i64 %v50, 3
  br i1 %v53, label %loop20, label %after54
after54:
  %v55 = shufflevector <8 x float> %v34, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v56 = shufflevector <8 x float> %v34, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v57 = shufflevector <8 x float> %v39, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v58 = shufflevector <8 x float> %v39, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v59 = shufflevector <8 x float> %v44, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v60 = shufflevector <8 x float> %v44, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v61 = shufflevector <8 x float> %v49, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v62 = shufflevector <8 x float> %v49, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v63 = shufflevector <8 x float> %v55, <8 x float> %v59, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v64 = shufflevector <8 x float> %v55, <8 x float> %v59, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v65 = shufflevector <8 x float> %v57, <8 x float> %v61, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v66 = shufflevector <8 x float> %v57, <8 x float> %v61, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v67 = shufflevector <8 x float> %v56, <8 x float> %v60, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v68 = shufflevector <8 x float> %v56, <8 x float> %v60, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v69 = shufflevector <8 x float> %v58, <8 x float> %v62, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v70 = shufflevector <8 x float> %v58, <8 x float> %v62, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v71 = shufflevector <8 x float> %v63, <8 x float> %v65, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v72 = shufflevector <8 x float> %v63, <8 x float> %v65, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v73 = shufflevector <8 x float> %v64, <8 x float> %v66, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v74 = shufflevector <8 x float> %v64, <8 x float> %v66, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v75 = shufflevector <8 x float> %v67, <8 x float> %v69, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v76 = shufflevector <8 x float> %v67, <8 x float> %v69, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v77 = shufflevector <8 x float> %v68, <8 x float> %v70, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v78 = shufflevector <8 x float> %v68, <8 x float> %v70, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v79 = shufflevector <8 x float> %v71, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v79, ptr %q19, align 4
  %v80 = getelementptr i8, ptr %q19, i64 32
  %v81 = shufflevector <8 x float> %v72, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v81, ptr %v80, align 4
  %v82 = getelementptr i8, ptr %q19, i64 64
  %v83 = shufflevector <8 x float> %v73, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v83, ptr %v82, align 4
  %v84 = getelementptr i8, ptr %q19, i64 96
  %v85 = shufflevector <8 x float> %v74, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v85, ptr %v84, align 4
  %v86 = getelementptr i8, ptr %q19, i64 128
  %v87 = shufflevector <8 x float> %v75, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v87, ptr %v86, align 4
  %v88 = getelementptr i8, ptr %q19, i64 160
  %v89 = shufflevector <8 x float> %v76, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v89, ptr %v88, align 4
  %v90 = getelementptr i8, ptr %q19, i64 192
  %v91 = shufflevector <8 x float> %v77, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v91, ptr %v90, align 4
  %v92 = getelementptr i8, ptr %q19, i64 224
  %v93 = shufflevector <8 x float> %v78, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v93, ptr %v92, align 4
  %v94 = add i64 %i15, 4
  %v95 = getelementptr i8, ptr %q17, i64 16
  %v96 = getelementptr i8, ptr %q19, i64 16
  %v97 = icmp slt i64 %v94, 8
  br i1 %v97, label %loop14, label %after98
after98:
  %v99 = add i64 %i9, 8
  %v100 = getelementptr i8, ptr %q11, i64 32
  %v101 = getelementptr i8, ptr %q13, i64 256
  %v102 = icmp slt i64 %v99, 16
  br i1 %v102, label %loop8, label %after103
after103:
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
