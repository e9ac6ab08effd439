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
  %v8 = getelementptr i8, ptr %v3, i64 -28
  br label %loop9
loop9:
  %i10 = phi i64 [ 0, %start ], [ %v19, %loop9 ]
  %p11 = phi ptr [ %v8, %start ], [ %v20, %loop9 ]
  %p13 = phi ptr [ %v7, %start ], [ %v21, %loop9 ]
  %q12 = call ptr asm "", "=r,0"(ptr %p11)
  %q14 = call ptr asm "", "=r,0"(ptr %p13)
  %v15 = getelementptr i8, ptr %workspace, i64 1536
  %v16 = getelementptr i8, ptr %workspace, i64 3072
  %v17 = getelementptr i8, ptr %workspace, i64 4608
  %v18 = getelementptr i8, ptr %workspace, i64 6144
  call void @nest_57554d9dae8f3d1a(ptr %workspace, ptr %q12, ptr %v15, i64 %i10)
  call void @nest_4d6b3a4be2f50ca7(ptr %workspace, ptr %v15, ptr %v16, i64 %i10)
  call void @nest_008ae672747616cb(ptr %workspace, ptr %v5, ptr %v16, ptr %v17, i64 %i10)
  call void @nest_2e58c67fac2ecab8(ptr %workspace, ptr %v17, ptr %v18, i64 %i10)
  call void @nest_5440537b173045de(ptr %workspace, ptr %q14, ptr %v18, i64 %i10)
  %v19 = add i64 %i10, 1
  %v20 = getelementptr i8, ptr %q12, i64 48
  %v21 = getelementptr i8, ptr %q14, i64 48
  %v22 = icmp slt i64 %v19, 3
  br i1 %v22, label %loop9, label %after23
after23:
  ret void
}

define void @nest_57554d9dae8f3d1a(ptr %workspace, ptr %at_x, ptr %at_rows, i64 %from_oh_tile) align 64 {
entry:
  %v1 = getelementptr i8, ptr %workspace, i64 0
  %v2 = mul i64 %from_oh_tile, 2
  %v3 = add i64 -1, %v2
  br label %loop4
loop4:
  %i5 = phi i64 [ 0, %entry ], [ %v86, %after85 ]
  %p6 = phi ptr [ %at_x, %entry ], [ %v87, %after85 ]
  %p8 = phi ptr [ %v1, %entry ], [ %v88, %after85 ]
  %q7 = call ptr asm "", "=r,0"(ptr %p6)
  %q9 = call ptr asm "", "=r,0"(ptr %p8)
  br label %loop10
loop10:
  %i11 = phi i64 [ 0, %loop4 ], [ %v81, %join30 ]
  %p12 = phi ptr [ %q7, %loop4 ], [ %v82, %join30 ]
  %p14 = phi ptr [ %q9, %loop4 ], [ %v83, %join30 ]
  %q13 = call ptr asm "", "=r,0"(ptr %p12)
  %q15 = call ptr asm "", "=r,0"(ptr %p14)
  %v16 = add i64 %v3, %i11
  %v17 = icmp ult i64 %v16, 6
  %v18 = xor i1 %v17, true
  br i1 %v18, label %yes19, label %join20
yes19:
  br label %loop21
loop21:
  %i22 = phi i64 [ 0, %yes19 ], [ %v25, %loop21 ]
  %p23 = phi ptr [ %q15, %yes19 ], [ %v26, %loop21 ]
  %q24 = call ptr asm "", "=r,0"(ptr %p23)
  store <8 x float> zeroinitializer, ptr %q24, align 4
  %v25 = add i64 %i22, 1
  %v26 = getelementptr i8, ptr %q24, i64 32
  %v27 = icmp slt i64 %v25, 8
  br i1 %v27, label %loop21, label %after28
after28:
  br label %join20
join20:
  br i1 %v17, label %yes29, label %join30
yes29:
  %v31 = insertelement <8 x i64> poison, i64 -1, i64 0
  %v32 = shufflevector <8 x i64> %v31, <8 x i64> poison, <8 x i32> zeroinitializer
  %v33 = add <8 x i64> %v32, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %v34 = icmp ult <8 x i64> %v33, <i64 6, i64 6, i64 6, i64 6, i64 6, i64 6, i64 6, i64 6>
  %v35 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q13, i32 4, <8 x i1> %v34, <8 x float> zeroinitializer)
  %v36 = getelementptr i8, ptr %q13, i64 144
  %v37 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v36, i32 4, <8 x i1> %v34, <8 x float> zeroinitializer)
  %v38 = getelementptr i8, ptr %q13, i64 288
  %v39 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v38, i32 4, <8 x i1> %v34, <8 x float> zeroinitializer)
  %v40 = getelementptr i8, ptr %q13, i64 432
  %v41 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v40, i32 4, <8 x i1> %v34, <8 x float> zeroinitializer)
  %v42 = getelementptr i8, ptr %q13, i64 576
  %v43 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v42, i32 4, <8 x i1> %v34, <8 x float> zeroinitializer)
  %v44 = getelementptr i8, ptr %q13, i64 720
  %v45 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v44, i32 4, <8 x i1> %v34, <8 x float> zeroinitializer)
  %v46 = getelementptr i8, ptr %q13, i64 864
  %v47 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v46, i32 4, <8 x i1> %v34, <8 x float> zeroinitializer)
  %v48 = getelementptr i8, ptr %q13, i64 1008
  %v49 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v48, i32 4, <8 x i1> %v34, <8 x float> zeroinitializer)
  %v50 = shufflevector <8 x float> %v35, <8 x float> %v43, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v51 = shufflevector <8 x float> %v35, <8 x float> %v43, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v52 = shufflevector <8 x float> %v37, <8 x float> %v45, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v53 = shufflevector <8 x float> %v37, <8 x float> %v45, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v54 = shufflevector <8 x float> %v39, <8 x float> %v47, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v55 = shufflevector <8 x float> %v39, <8 x float> %v47, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v56 = shufflevector <8 x float> %v41, <8 x float> %v49, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v57 = shufflevector <8 x float> %v41, <8 x float> %v49, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v58 = shufflevector <8 x float> %v50, <8 x float> %v54, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v59 = shufflevector <8 x float> %v50, <8 x float> %v54, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v60 = shufflevector <8 x float> %v52, <8 x float> %v56, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v61 = shufflevector <8 x float> %v52, <8 x float> %v56, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v62 = shufflevector <8 x float> %v51, <8 x float> %v55, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v63 = shufflevector <8 x float> %v51, <8 x float> %v55, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v64 = shufflevector <8 x float> %v53, <8 x float> %v57, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v65 = shufflevector <8 x float> %v53, <8 x float> %v57, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v66 = shufflevector <8 x float> %v58, <8 x float> %v60, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v67 = shufflevector <8 x float> %v58, <8 x float> %v60, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v68 = shufflevector <8 x float> %v59, <8 x float> %v61, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v69 = shufflevector <8 x float> %v59, <8 x float> %v61, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v70 = shufflevector <8 x float> %v62, <8 x float> %v64, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v71 = shufflevector <8 x float> %v62, <8 x float> %v64, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v72 = shufflevector <8 x float> %v63, <8 x float> %v65, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v73 = shufflevector <8 x float> %v63, <8 x float> %v65, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  store <8 x float> %v66, ptr %q15, align 4
  %v74 = getelementptr i8, ptr %q15, i64 32
  store <8 x float> %v67, ptr %v74, align 4
  %v75 = getelementptr i8, ptr %q15, i64 64
  store <8 x float> %v68, ptr %v75, align 4
  %v76 = getelementptr i8, ptr %q15, i64 96
  store <8 x float> %v69, ptr %v76, align 4
  %v77 = getelementptr i8, ptr %q15, i64 128
  store <8 x float> %v70, ptr %v77, align 4
  %v78 = getelementptr i8, ptr %q15, i64 160
  store <8 x float> %v71, ptr %v78, align 4
  %v79 = getelementptr i8, ptr %q15, i64 192
  store <8 x float> %v72, ptr %v79, align 4
  %v80 = getelementptr i8, ptr %q15, i64 224
  store <8 x float> %v73, ptr %v80, align 4
  br label %join30
join30:
  %v81 = add i64 %i11, 1
  %v82 = getelementptr i8, ptr %q13, i64 24
  %v83 = getelementptr i8, ptr %q15, i64 256
  %v84 = icmp slt i64 %v81, 4
  br i1 %v84, label %loop10, label %after85
after85:
  %v86 = add i64 %i5, 8
  %v87 = getelementptr i8, ptr %q7, i64 1152
  %v88 = getelementptr i8, ptr %q9, i64 1024
  %v89 = icmp slt i64 %v86, 8
  br i1 %v89, label %loop4, label %after90
after90:
  br label %loop91
loop91:
  %i92 = phi i64 [ 0, %after90 ], [ %v125, %after124 ]
  %p93 = phi ptr [ %v1, %after90 ], [ %v126, %after124 ]
  %p95 = phi ptr [ %at_rows, %after90 ], [ %v127, %after124 ]
  %q94 = call ptr asm "", "=r,0"(ptr %p93)
  %q96 = call ptr asm "", "=r,0"(ptr %p95)
  br label %loop97
loop97:
  %i98 = phi i64 [ 0, %loop91 ], [ %v120, %loop97 ]
  %p99 = phi ptr [ %q94, %loop91 ], [ %v121, %loop97 ]
  %p101 = phi ptr [ %q96, %loop91 ], [ %v122, %loop97 ]
  %q100 = call ptr asm "", "=r,0"(ptr %p99)
  %q102 = call ptr asm "", "=r,0"(ptr %p101)
  %v103 = load <8 x float>, ptr %q100, align 4
  %v104 = fmul <8 x float> %v103, splat (float 0xBFF0000000000000)
  call void asm sideeffect "", "~{memory}"()
  %v105 = getelementptr i8, ptr %q100, i64 256
  %v106 = load <8 x float>, ptr %v105, align 4
  %v107 = fmul <8 x float> %v106, splat (float 0xBFF0000000000000)
  %v108 = fmul <8 x float> %v106, splat (float 0xBFF0000000000000)
  call void asm sideeffect "", "~{memory}"()
  %v109 = getelementptr i8, ptr %q100, i64 512
  %v110 = load <8 x float>, ptr %v109, align 4
  %v111 = fadd <8 x float> %v104, %v110
  %v112 = fadd <8 x float> %v106, %v110
  %v113 = fadd <8 x float> %v107, %v110
  call void asm sideeffect "", "~{memory}"()
  %v114 = getelementptr i8, ptr %q100, i64 768
  %v115 = load <8 x float>, ptr %v114, align 4
  %v116 = fadd <8 x float> %v108, %v115
  store <8 x float> %v111, ptr %q102, align 4
  %v117 = getelementptr i8, ptr %q102, i64 384
  store <8 x float> %v112, ptr %v117, align 4
  %v118 = getelementptr i8, ptr %q102, i64 768
  store <8 x float> %v113, ptr %v118, align 4
  %v119 = getelementptr i8, ptr %q102, i64 1152
  store <8 x float> %v116, ptr %v119, align 4
  %v120 = add i64 %i98, 1
  %v121 = getelementptr i8, ptr %q100, i64 32
  %v122 = getelementptr i8, ptr %q102, i64 96
  %v123 = icmp slt i64 %v120, 4
  br i1 %v123, label %loop97, label %after124
after124:
  %v125 = add i64 %i92, 1
  %v126 = getelementptr i8, ptr %q94, i64 64
  %v127 = getelementptr i8, ptr %q96, i64 32
  %v128 = icmp slt i64 %v125, 3
  br i1 %v128, label %loop91, label %after129
after129:
  ret void
}

define void @nest_4d6b3a4be2f50ca7(ptr %workspace, ptr %at_rows, ptr %at_bands, i64 %from_oh_tile) align 64 {
entry:
  br label %loop1
loop1:
  %i2 = phi i64 [ 0, %entry ], [ %v35, %after34 ]
  %p3 = phi ptr [ %at_rows, %entry ], [ %v36, %after34 ]
  %p5 = phi ptr [ %at_bands, %entry ], [ %v37, %after34 ]
  %q4 = call ptr asm "", "=r,0"(ptr %p3)
  %q6 = call ptr asm "", "=r,0"(ptr %p5)
  br label %loop7
loop7:
  %i8 = phi i64 [ 0, %loop1 ], [ %v30, %loop7 ]
  %p9 = phi ptr [ %q4, %loop1 ], [ %v31, %loop7 ]
  %p11 = phi ptr [ %q6, %loop1 ], [ %v32, %loop7 ]
  %q10 = call ptr asm "", "=r,0"(ptr %p9)
  %q12 = call ptr asm "", "=r,0"(ptr %p11)
  %v13 = load <8 x float>, ptr %q10, align 4
  %v14 = fmul <8 x float> %v13, splat (float 0xBFF0000000000000)
  call void asm sideeffect "", "~{memory}"()
  %v15 = getelementptr i8, ptr %q10, i64 96
  %v16 = load <8 x float>, ptr %v15, align 4
  %v17 = fmul <8 x float> %v16, splat (float 0xBFF0000000000000)
  %v18 = fmul <8 x float> %v16, splat (float 0xBFF0000000000000)
  call void asm sideeffect "", "~{memory}"()
  %v19 = getelementptr i8, ptr %q10, i64 192
  %v20 = load <8 x float>, ptr %v19, align 4
  %v21 = fadd <8 x float> %v14, %v20
  %v22 = fadd <8 x float> %v16, %v20
  %v23 = fadd <8 x float> %v17, %v20
  call void asm sideeffect "", "~{memory}"()
  %v24 = getelementptr i8, ptr %q10, i64 288
  %v25 = load <8 x float>, ptr %v24, align 4
  %v26 = fadd <8 x float> %v18, %v25
  store <8 x float> %v21, ptr %q12, align 4
  %v27 = getelementptr i8, ptr %q12, i64 96
  store <8 x float> %v22, ptr %v27, align 4
  %v28 = getelementptr i8, ptr %q12, i64 192
  store <8 x float> %v23, ptr %v28, align 4
  %v29 = getelementptr i8, ptr %q12, i64 288
  store <8 x float> %v26, ptr %v29, align 4
  %v30 = add i64 %i8, 1
  %v31 = getelementptr i8, ptr %q10, i64 384
  %v32 = getelementptr i8, ptr %q12, i64 384
  %v33 = icmp slt i64 %v30, 4
  br i1 %v33, label %loop7, label %after34
after34:
  %v35 = add i64 %i2, 1
  %v36 = getelementptr i8, ptr %q4, i64 32
  %v37 = getelementptr i8, ptr %q6, i64 32
  %v38 = icmp slt i64 %v35, 3
  br i1 %v38, label %loop1, label %after39
after39:
  ret void
}

define void @nest_008ae672747616cb(ptr %workspace, ptr %at_filters, ptr %at_bands, ptr %at_products, i64 %from_oh_tile) align 64 {
entry:
  br label %loop1
loop1:
  %i2 = phi i64 [ 0, %entry ], [ %v54, %after53 ]
  %p3 = phi ptr [ %at_filters, %entry ], [ %v55, %after53 ]
  %p5 = phi ptr [ %at_bands, %entry ], [ %v56, %after53 ]
  %p7 = phi ptr [ %at_products, %entry ], [ %v57, %after53 ]
  %q4 = call ptr asm "", "=r,0"(ptr %p3)
  %q6 = call ptr asm "", "=r,0"(ptr %p5)
  %q8 = call ptr asm "", "=r,0"(ptr %p7)
  br label %loop9
loop9:
  %i10 = phi i64 [ 0, %loop1 ], [ %v48, %after45 ]
  %p11 = phi ptr [ %q4, %loop1 ], [ %v49, %after45 ]
  %p13 = phi ptr [ %q6, %loop1 ], [ %v50, %after45 ]
  %p15 = phi ptr [ %q8, %loop1 ], [ %v51, %after45 ]
  %q12 = call ptr asm "", "=r,0"(ptr %p11)
  %q14 = call ptr asm "", "=r,0"(ptr %p13)
  %q16 = call ptr asm "", "=r,0"(ptr %p15)
  br label %loop17
loop17:
  %i18 = phi i64 [ 0, %loop9 ], [ %v41, %loop17 ]
  %c19 = phi <8 x float> [ zeroinitializer, %loop9 ], [ %v30, %loop17 ]
  %c20 = phi <8 x float> [ zeroinitializer, %loop9 ], [ %v35, %loop17 ]
  %c21 = phi <8 x float> [ zeroinitializer, %loop9 ], [ %v40, %loop17 ]
  %p22 = phi ptr [ %q12, %loop9 ], [ %v42, %loop17 ]
  %p24 = phi ptr [ %q14, %loop9 ], [ %v43, %loop17 ]
  %q23 = call ptr asm "", "=r,0"(ptr %p22)
  %q25 = call ptr asm "", "=r,0"(ptr %p24)
  %v26 = load float, ptr %q25, align 4
  %v27 = insertelement <8 x float> poison, float %v26, i64 0
  %v28 = shufflevector <8 x float> %v27, <8 x float> poison, <8 x i32> zeroinitializer
  %v29 = load <8 x float>, ptr %q23, align 4
  %v30 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v28, <8 x float> %v29, <8 x float> %c19)
  %v31 = getelementptr i8, ptr %q25, i64 32
  %v32 = load float, ptr %v31, align 4
  %v33 = insertelement <8 x float> poison, float %v32, i64 0
  %v34 = shufflevector <8 x float> %v33, <8 x float> poison, <8 x i32> zeroinitializer
  %v35 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v34, <8 x float> %v29, <8 x float> %c20)
  %v36 = getelementptr i8, ptr %q25, i64 64
  %v37 = load float, ptr %v36, align 4
  %v38 = insertelement <8 x float> poison, float %v37, i64 0
  %v39 = shufflevector <8 x float> %v38, <8 x float> poison, <8 x i32> zeroinitializer
  %v40 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v39, <8 x float> %v29, <8 x float> %c21)
  %v41 = add i64 %i18, 1
  %v42 = getelementptr i8, ptr %q23, i64 32
  %v43 = getelementptr i8, ptr %q25, i64 4
  %v44 = icmp slt i64 %v41, 8
  br i1 %v44, label %loop17, label %after45
after45:
  store <8 x float> %v30, ptr %q16, align 4
  %v46 = getelementptr i8, ptr %q16, i64 32
  store <8 x float> %v35, ptr %v46, align 4
  %v47 = getelementptr i8, ptr %q16, i64 64
  store <8 x float> %v40, ptr %v47, align 4
  %v48 = add i64 %i10, 1
  %v49 = getelementptr i8, ptr %q12, i64 256
  %v50 = getelementptr i8, ptr %q14, i64 96
  %v51 = getelementptr i8, ptr %q16, i64 96
  %v52 = icmp slt i64 %v48, 4
  br i1 %v52, label %loop9, label %after53
after53:
  %v54 = add i64 %i2, 1
  %v55 = getelementptr i8, ptr %q4, i64 1024
  %v56 = getelementptr i8, ptr %q6, i64 384
  %v57 = getelementptr i8, ptr %q8, i64 384
  %v58 = icmp slt i64 %v54, 4
  br i1 %v58, label %loop1, label %after59
after59:
  ret void
}

define void @nest_2e58c67fac2ecab8(ptr %workspace, ptr %at_products, ptr %at_sums, i64 %from_oh_tile) align 64 {
entry:
  br label %loop1
loop1:
  %i2 = phi i64 [ 0, %entry ], [ %v30, %after29 ]
  %p3 = phi ptr [ %at_products, %entry ], [ %v31, %after29 ]
  %p5 = phi ptr [ %at_sums, %entry ], [ %v32, %after29 ]
  %q4 = call ptr asm "", "=r,0"(ptr %p3)
  %q6 = call ptr asm "", "=r,0"(ptr %p5)
  br label %loop7
loop7:
  %i8 = phi i64 [ 0, %loop1 ], [ %v25, %loop7 ]
  %p9 = phi ptr [ %q4, %loop1 ], [ %v26, %loop7 ]
  %p11 = phi ptr [ %q6, %loop1 ], [ %v27, %loop7 ]
  %q10 = call ptr asm "", "=r,0"(ptr %p9)
  %q12 = call ptr asm "", "=r,0"(ptr %p11)
  %v13 = load <8 x float>, ptr %q10, align 4
  call void asm sideeffect "", "~{memory}"()
  %v14 = getelementptr i8, ptr %q10, i64 384
  %v15 = load <8 x float>, ptr %v14, align 4
  %v16 = fadd <8 x float> %v13, %v15
  call void asm sideeffect "", "~{memory}"()
  %v17 = getelementptr i8, ptr %q10, i64 768
  %v18 = load <8 x float>, ptr %v17, align 4
  %v19 = fadd <8 x float> %v16, %v18
  %v20 = fsub <8 x float> %v15, %v18
  call void asm sideeffect "", "~{memory}"()
  %v21 = getelementptr i8, ptr %q10, i64 1152
  %v22 = load <8 x float>, ptr %v21, align 4
  %v23 = fadd <8 x float> %v20, %v22
  store <8 x float> %v19, ptr %q12, align 4
  %v24 = getelementptr i8, ptr %q12, i64 384
  store <8 x float> %v23, ptr %v24, align 4
  %v25 = add i64 %i8, 1
  %v26 = getelementptr i8, ptr %q10, i64 32
  %v27 = getelementptr i8, ptr %q12, i64 32
  %v28 = icmp slt i64 %v25, 3
  br i1 %v28, label %loop7, label %after29
after29:
  %v30 = add i64 %i2, 1
  %v31 = getelementptr i8, ptr %q4, i64 96
  %v32 = getelementptr i8, ptr %q6, i64 96
  %v33 = icmp slt i64 %v30, 4
  br i1 %v33, label %loop1, label %after34
after34:
  ret void
}

define void @nest_5440537b173045de(ptr %workspace, ptr %at_out, ptr %at_sums, i64 %from_oh_tile) align 64 {
entry:
  %v1 = getelementptr i8, ptr %workspace, i64 1088
  br label %loop2
loop2:
  %i3 = phi i64 [ 0, %entry ], [ %v36, %after35 ]
  %p4 = phi ptr [ %at_out, %entry ], [ %v37, %after35 ]
  %p6 = phi ptr [ %at_sums, %entry ], [ %v38, %after35 ]
  %p8 = phi ptr [ %v1, %entry ], [ %v39, %after35 ]
  %q5 = call ptr asm "", "=r,0"(ptr %p4)
  %q7 = call ptr asm "", "=r,0"(ptr %p6)
  %q9 = call ptr asm "", "=r,0"(ptr %p8)
  br label %loop10
loop10:
  %i11 = phi i64 [ 0, %loop2 ], [ %v30, %loop10 ]
  %p12 = phi ptr [ %q5, %loop2 ], [ %v31, %loop10 ]
  %p14 = phi ptr [ %q7, %loop2 ], [ %v32, %loop10 ]
  %p16 = phi ptr [ %q9, %loop2 ], [ %v33, %loop10 ]
  %q13 = call ptr asm "", "=r,0"(ptr %p12)
  %q15 = call ptr asm "", "=r,0"(ptr %p14)
  %q17 = call ptr asm "", "=r,0"(ptr %p16)
  %v18 = load <8 x float>, ptr %q15, align 4
  call void asm sideeffect "", "~{memory}"()
  %v19 = getelementptr i8, ptr %q15, i64 96
  %v20 = load <8 x float>, ptr %v19, align 4
  %v21 = fadd <8 x float> %v18, %v20
  call void asm sideeffect "", "~{memory}"()
  %v22 = getelementptr i8, ptr %q15, i64 192
  %v23 = load <8 x float>, ptr %v22, align 4
  %v24 = fadd <8 x float> %v21, %v23
  %v25 = fsub <8 x float> %v20, %v23
  call void asm sideeffect "", "~{memory}"()
  %v26 = getelementptr i8, ptr %q15, i64 288
  %v27 = load <8 x float>, ptr %v26, align 4
  %v28 = fadd <8 x float> %v25, %v27
  store <8 x float> %v24, ptr %q17, align 4
  %v29 = getelementptr i8, ptr %q17, i64 32
  store <8 x float> %v28, ptr %v29, align 4
  %v30 = add i64 %i11, 1
  %v31 = getelementptr i8, ptr %q13, i64 8
  %v32 = getelementptr i8, ptr %q15, i64 32
  %v33 = getelementptr i8, ptr %q17, i64 64
  %v34 = icmp slt i64 %v30, 3
  br i1 %v34, label %loop10, label %after35
after35:
  %v36 = add i64 %i3, 1
  %v37 = getelementptr i8, ptr %q5, i64 24
  %v38 = getelementptr i8, ptr %q7, i64 384
  %v39 = getelementptr i8, ptr %q9, i64 192
  %v40 = icmp slt i64 %v36, 2
  br i1 %v40, label %loop2, label %after41
after41:
  %v42 = mul i64 %from_oh_tile, 2
  br label %loop43
loop43:
  %i44 = phi i64 [ 0, %after41 ], [ %v116, %loop43 ]
  %p45 = phi ptr [ %at_out, %after41 ], [ %v117, %loop43 ]
  %p47 = phi ptr [ %v1, %after41 ], [ %v118, %loop43 ]
  %q46 = call ptr asm "", "=r,0"(ptr %p45)
  %q48 = call ptr asm "", "=r,0"(ptr %p47)
  %v49 = add i64 %v42, %i44
  %v50 = load <8 x float>, ptr %q48, align 4
  %v51 = getelementptr i8, ptr %q48, i64 32
  %v52 = load <8 x float>, ptr %v51, align 4
  %v53 = getelementptr i8, ptr %q48, i64 64
  %v54 = load <8 x float>, ptr %v53, align 4
  %v55 = getelementptr i8, ptr %q48, i64 96
  %v56 = load <8 x float>, ptr %v55, align 4
  %v57 = getelementptr i8, ptr %q48, i64 128
  %v58 = load <8 x float>, ptr %v57, align 4
  %v59 = getelementptr i8, ptr %q48, i64 160
  %v60 = load <8 x float>, ptr %v59, align 4
  %v61 = shufflevector <8 x float> %v50, <8 x float> %v58, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v62 = shufflevector <8 x float> %v50, <8 x float> %v58, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v63 = shufflevector <8 x float> %v52, <8 x float> %v60, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v64 = shufflevector <8 x float> %v52, <8 x float> %v60, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v65 = shufflevector <8 x float> %v54, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v66 = shufflevector <8 x float> %v54, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v67 = shufflevector <8 x float> %v56, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v68 = shufflevector <8 x float> %v56, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v69 = shufflevector <8 x float> %v61, <8 x float> %v65, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v70 = shufflevector <8 x float> %v61, <8 x float> %v65, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v71 = shufflevector <8 x float> %v63, <8 x float> %v67, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v72 = shufflevector <8 x float> %v63, <8 x float> %v67, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v73 = shufflevector <8 x float> %v62, <8 x float> %v66, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v74 = shufflevector <8 x float> %v62, <8 x float> %v66, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v75 = shufflevector <8 x float> %v64, <8 x float> %v68, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v76 = shufflevector <8 x float> %v64, <8 x float> %v68, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v77 = shufflevector <8 x float> %v69, <8 x float> %v71, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v78 = shufflevector <8 x float> %v69, <8 x float> %v71, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v79 = shufflevector <8 x float> %v70, <8 x float> %v72, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v80 = shufflevector <8 x float> %v70, <8 x float> %v72, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v81 = shufflevector <8 x float> %v73, <8 x float> %v75, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v82 = shufflevector <8 x float> %v73, <8 x float> %v75, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v83 = shufflevector <8 x float> %v74, <8 x float> %v76, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v84 = shufflevector <8 x float> %v74, <8 x float> %v76, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v85 = shufflevector <8 x float> %v77, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v85, ptr %q46, align 4
  %v86 = shufflevector <8 x float> %v77, <8 x float> poison, <2 x i32> <i32 4, i32 5>
  %v87 = getelementptr i8, ptr %q46, i64 16
  store <2 x float> %v86, ptr %v87, align 4
  %v88 = getelementptr i8, ptr %q46, i64 144
  %v89 = shufflevector <8 x float> %v78, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v89, ptr %v88, align 4
  %v90 = shufflevector <8 x float> %v78, <8 x float> poison, <2 x i32> <i32 4, i32 5>
  %v91 = getelementptr i8, ptr %v88, i64 16
  store <2 x float> %v90, ptr %v91, align 4
  %v92 = getelementptr i8, ptr %q46, i64 288
  %v93 = shufflevector <8 x float> %v79, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v93, ptr %v92, align 4
  %v94 = shufflevector <8 x float> %v79, <8 x float> poison, <2 x i32> <i32 4, i32 5>
  %v95 = getelementptr i8, ptr %v92, i64 16
  store <2 x float> %v94, ptr %v95, align 4
  %v96 = getelementptr i8, ptr %q46, i64 432
  %v97 = shufflevector <8 x float> %v80, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v97, ptr %v96, align 4
  %v98 = shufflevector <8 x float> %v80, <8 x float> poison, <2 x i32> <i32 4, i32 5>
  %v99 = getelementptr i8, ptr %v96, i64 16
  store <2 x float> %v98, ptr %v99, align 4
  %v100 = getelementptr i8, ptr %q46, i64 576
  %v101 = shufflevector <8 x float> %v81, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v101, ptr %v100, align 4
  %v102 = shufflevector <8 x float> %v81, <8 x float> poison, <2 x i32> <i32 4, i32 5>
  %v103 = getelementptr i8, ptr %v100, i64 16
  store <2 x float> %v102, ptr %v103, align 4
  %v104 = getelementptr i8, ptr %q46, i64 720
  %v105 = shufflevector <8 x float> %v82, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v105, ptr %v104, align 4
  %v106 = shufflevector <8 x float> %v82, <8 x float> poison, <2 x i32> <i32 4, i32 5>
  %v107 = getelementptr i8, ptr %v104, i64 16
  store <2 x float> %v106, ptr %v107, align 4
  %v108 = getelementptr i8, ptr %q46, i64 864
  %v109 = shufflevector <8 x float> %v83, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v109, ptr %v108, align 4
  %v110 = shufflevector <8 x float> %v83, <8 x float> poison, <2 x i32> <i32 4, i32 5>
  %v111 = getelementptr i8, ptr %v108, i64 16
  store <2 x float> %v110, ptr %v111, align 4
  %v112 = getelementptr i8, ptr %q46, i64 1008
  %v113 = shufflevector <8 x float> %v84, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x float> %v113, ptr %v112, align 4
  %v114 = shufflevector <8 x float> %v84, <8 x float> poison, <2 x i32> <i32 4, i32 5>
  %v115 = getelementptr i8, ptr %v112, i64 16
  store <2 x float> %v114, ptr %v115, align 4
  %v116 = add i64 %i44, 1
  %v117 = getelementptr i8, ptr %q46, i64 24
  %v118 = getelementptr i8, ptr %q48, i64 192
  %v119 = icmp slt i64 %v116, 2
  br i1 %v119, label %loop43, label %after120
after120:
  ret void
}

define void @pack_weight(ptr %source, ptr %target, ptr %workspace) {
entry:
  %v1 = getelementptr i8, ptr %workspace, i64 0
  br label %loop2
loop2:
  %i3 = phi i64 [ 0, %entry ], [ %v66, %after65 ]
  %p4 = phi ptr [ %source, %entry ], [ %v67, %after65 ]
  %p6 = phi ptr [ %v1, %entry ], [ %v68, %after65 ]
  %q5 = call ptr asm "", "=r,0"(ptr %p4)
  %q7 = call ptr asm "", "=r,0"(ptr %p6)
  br label %loop8
loop8:
  %i9 = phi i64 [ 0, %loop2 ], [ %v63, %loop8 ]
  %v10 = icmp sgt i64 %i9, 1
  %v11 = select i1 %v10, i64 1, i64 %i9
  %v12 = mul i64 %v11, 4
  %v13 = getelementptr i8, ptr %q5, i64 %v12
  %v14 = mul i64 %v11, 8
  %v15 = mul i64 %v14, 4
  %v16 = getelementptr i8, ptr %q7, i64 %v15
  %v17 = load <8 x float>, ptr %v13, align 4
  %v18 = getelementptr i8, ptr %v13, i64 288
  %v19 = load <8 x float>, ptr %v18, align 4
  %v20 = getelementptr i8, ptr %v13, i64 576
  %v21 = load <8 x float>, ptr %v20, align 4
  %v22 = getelementptr i8, ptr %v13, i64 864
  %v23 = load <8 x float>, ptr %v22, align 4
  %v24 = getelementptr i8, ptr %v13, i64 1152
  %v25 = load <8 x float>, ptr %v24, align 4
  %v26 = getelementptr i8, ptr %v13, i64 1440
  %v27 = load <8 x float>, ptr %v26, align 4
  %v28 = getelementptr i8, ptr %v13, i64 1728
  %v29 = load <8 x float>, ptr %v28, align 4
  %v30 = getelementptr i8, ptr %v13, i64 2016
  %v31 = load <8 x float>, ptr %v30, align 4
  %v32 = shufflevector <8 x float> %v17, <8 x float> %v25, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v33 = shufflevector <8 x float> %v17, <8 x float> %v25, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v34 = shufflevector <8 x float> %v19, <8 x float> %v27, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v35 = shufflevector <8 x float> %v19, <8 x float> %v27, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v36 = shufflevector <8 x float> %v21, <8 x float> %v29, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v37 = shufflevector <8 x float> %v21, <8 x float> %v29, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v38 = shufflevector <8 x float> %v23, <8 x float> %v31, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v39 = shufflevector <8 x float> %v23, <8 x float> %v31, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v40 = shufflevector <8 x float> %v32, <8 x float> %v36, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v41 = shufflevector <8 x float> %v32, <8 x float> %v36, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v42 = shufflevector <8 x float> %v34, <8 x float> %v38, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v43 = shufflevector <8 x float> %v34, <8 x float> %v38, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v44 = shufflevector <8 x float> %v33, <8 x float> %v37, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v45 = shufflevector <8 x float> %v33, <8 x float> %v37, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v46 = shufflevector <8 x float> %v35, <8 x float> %v39, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v47 = shufflevector <8 x float> %v35, <8 x float> %v39, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v48 = shufflevector <8 x float> %v40, <8 x float> %v42, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v49 = shufflevector <8 x float> %v40, <8 x float> %v42, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v50 = shufflevector <8 x float> %v41, <8 x float> %v43, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v51 = shufflevector <8 x float> %v41, <8 x float> %v43, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v52 = shufflevector <8 x float> %v44, <8 x float> %v46, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v53 = shufflevector <8 x float> %v44, <8 x float> %v46, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v54 = shufflevector <8 x float> %v45, <8 x float> %v47, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v55 = shufflevector <8 x float> %v45, <8 x float> %v47, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  store <8 x float> %v48, ptr %v16, align 4
  %v56 = getelementptr i8, ptr %v16, i64 32
  store <8 x float> %v49, ptr %v56, align 4
  %v57 = getelementptr i8, ptr %v16, i64 64
  store <8 x float> %v50, ptr %v57, align 4
  %v58 = getelementptr i8, ptr %v16, i64 96
  store <8 x float> %v51, ptr %v58, align 4
  %v59 = getelementptr i8, ptr %v16, i64 128
  store <8 x float> %v52, ptr %v59, align 4
  %v60 = getelementptr i8, ptr %v16, i64 160
  store <8 x float> %v53, ptr %v60, align 4
  %v61 = getelementptr i8, ptr %v16, i64 192
  store <8 x float> %v54, ptr %v61, align 4
  %v62 = getelementptr i8, ptr %v16, i64 224
  store <8 x float> %v55, ptr %v62, align 4
  %v63 = add i64 %i9, 8
  %v64 = icmp slt i64 %v63, 9
  br i1 %v64, label %loop8, label %after65
after65:
  %v66 = add i64 %i3, 1
  %v67 = getelementptr i8, ptr %q5, i64 36
  %v68 = getelementptr i8, ptr %q7, i64 288
  %v69 = icmp slt i64 %v66, 8
  br i1 %v69, label %loop2, label %after70
after70:
  br label %loop71
loop71:
  %i72 = phi i64 [ 0, %after70 ], [ %v171, %loop71 ]
  %p73 = phi ptr [ %v1, %after70 ], [ %v172, %loop71 ]
  %p75 = phi ptr [ %target, %after70 ], [ %v173, %loop71 ]
  %q74 = call ptr asm "", "=r,0"(ptr %p73)
  %q76 = call ptr asm "", "=r,0"(ptr %p75)
  %v77 = load <8 x float>, ptr %q74, align 4
  %v78 = fmul <8 x float> %v77, splat (float 0xBFE0000000000000)
  %v79 = fmul <8 x float> %v77, splat (float 0xBFE0000000000000)
  %v80 = fmul <8 x float> %v77, splat (float 0xBFE0000000000000)
  %v81 = fmul <8 x float> %v77, splat (float 0x3FD0000000000000)
  %v82 = fmul <8 x float> %v77, splat (float 0x3FD0000000000000)
  %v83 = fmul <8 x float> %v77, splat (float 0xBFE0000000000000)
  %v84 = fmul <8 x float> %v77, splat (float 0x3FD0000000000000)
  %v85 = fmul <8 x float> %v77, splat (float 0x3FD0000000000000)
  call void asm sideeffect "", "~{memory}"()
  %v86 = getelementptr i8, ptr %q74, i64 32
  %v87 = load <8 x float>, ptr %v86, align 4
  %v88 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v87, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v78)
  %v89 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v87, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v79)
  %v90 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v87, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v81)
  %v91 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v87, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v82)
  %v92 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v87, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v84)
  %v93 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v87, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v85)
  call void asm sideeffect "", "~{memory}"()
  %v94 = getelementptr i8, ptr %q74, i64 64
  %v95 = load <8 x float>, ptr %v94, align 4
  %v96 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v95, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v88)
  %v97 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v95, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v89)
  %v98 = fmul <8 x float> %v95, splat (float 0xBFF0000000000000)
  %v99 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v95, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v90)
  %v100 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v95, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v91)
  %v101 = fmul <8 x float> %v95, splat (float 0x3FE0000000000000)
  %v102 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v95, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v92)
  %v103 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v95, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v93)
  %v104 = fmul <8 x float> %v95, splat (float 0x3FE0000000000000)
  call void asm sideeffect "", "~{memory}"()
  %v105 = getelementptr i8, ptr %q74, i64 96
  %v106 = load <8 x float>, ptr %v105, align 4
  %v107 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v106, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v80)
  %v108 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v106, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v99)
  %v109 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v106, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v100)
  %v110 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v106, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v83)
  %v111 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v106, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v102)
  %v112 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v106, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v103)
  call void asm sideeffect "", "~{memory}"()
  %v113 = getelementptr i8, ptr %q74, i64 128
  %v114 = load <8 x float>, ptr %v113, align 4
  %v115 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v114, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v108)
  %v116 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v114, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v109)
  %v117 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v114, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v111)
  %v118 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v114, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v112)
  call void asm sideeffect "", "~{memory}"()
  %v119 = getelementptr i8, ptr %q74, i64 160
  %v120 = load <8 x float>, ptr %v119, align 4
  %v121 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v120, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v115)
  %v122 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v120, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v116)
  %v123 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v120, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v101)
  %v124 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v120, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v117)
  %v125 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v120, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v118)
  %v126 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v120, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v104)
  call void asm sideeffect "", "~{memory}"()
  %v127 = getelementptr i8, ptr %q74, i64 192
  %v128 = load <8 x float>, ptr %v127, align 4
  %v129 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v128, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v107)
  %v130 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v128, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v121)
  %v131 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v128, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v122)
  %v132 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v128, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v110)
  %v133 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v128, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v124)
  %v134 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v128, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v125)
  %v135 = fmul <8 x float> %v128, splat (float 0xBFF0000000000000)
  %v136 = fmul <8 x float> %v128, splat (float 0x3FE0000000000000)
  %v137 = fmul <8 x float> %v128, splat (float 0x3FE0000000000000)
  call void asm sideeffect "", "~{memory}"()
  %v138 = getelementptr i8, ptr %q74, i64 224
  %v139 = load <8 x float>, ptr %v138, align 4
  %v140 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v139, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v130)
  %v141 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v139, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v131)
  %v142 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v139, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v133)
  %v143 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v139, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v134)
  %v144 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v139, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v136)
  %v145 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v139, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v137)
  call void asm sideeffect "", "~{memory}"()
  %v146 = getelementptr i8, ptr %q74, i64 256
  %v147 = load <8 x float>, ptr %v146, align 4
  %v148 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v147, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v140)
  %v149 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v147, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v141)
  %v150 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v147, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v123)
  %v151 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v147, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v142)
  %v152 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v147, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v143)
  %v153 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v147, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v126)
  %v154 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v147, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v144)
  %v155 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v147, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v145)
  store <8 x float> %v77, ptr %q76, align 4
  %v156 = getelementptr i8, ptr %q76, i64 256
  store <8 x float> %v96, ptr %v156, align 4
  %v157 = getelementptr i8, ptr %q76, i64 512
  store <8 x float> %v97, ptr %v157, align 4
  %v158 = getelementptr i8, ptr %q76, i64 768
  store <8 x float> %v98, ptr %v158, align 4
  %v159 = getelementptr i8, ptr %q76, i64 1024
  store <8 x float> %v129, ptr %v159, align 4
  %v160 = getelementptr i8, ptr %q76, i64 1280
  store <8 x float> %v148, ptr %v160, align 4
  %v161 = getelementptr i8, ptr %q76, i64 1536
  store <8 x float> %v149, ptr %v161, align 4
  %v162 = getelementptr i8, ptr %q76, i64 1792
  store <8 x float> %v150, ptr %v162, align 4
  %v163 = getelementptr i8, ptr %q76, i64 2048
  store <8 x float> %v132, ptr %v163, align 4
  %v164 = getelementptr i8, ptr %q76, i64 2304
  store <8 x float> %v151, ptr %v164, align 4
  %v165 = getelementptr i8, ptr %q76, i64 2560
  store <8 x float> %v152, ptr %v165, align 4
  %v166 = getelementptr i8, ptr %q76, i64 2816
  store <8 x float> %v153, ptr %v166, align 4
  %v167 = getelementptr i8, ptr %q76, i64 3072
  store <8 x float> %v135, ptr %v167, align 4
  %v168 = getelementptr i8, ptr %q76, i64 3328
  store <8 x float> %v154, ptr %v168, align 4
  %v169 = getelementptr i8, ptr %q76, i64 3584
  store <8 x float> %v155, ptr %v169, align 4
  %v170 = getelementptr i8, ptr %q76, i64 3840
  store <8 x float> %v147, ptr %v170, align 4
  %v171 = add i64 %i72, 1
  %v172 = getelementptr i8, ptr %q74, i64 288
  %v173 = getelementptr i8, ptr %q76, i64 32
  %v174 = icmp slt i64 %v171, 8
  br i1 %v174, label %loop71, label %after175
after175:
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
