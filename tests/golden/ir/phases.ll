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
  %v8 = getelementptr i8, ptr %workspace, i64 0
  br label %loop9
loop9:
  %i10 = phi i64 [ 0, %start ], [ %v30, %loop9 ]
  %p11 = phi ptr [ %v3, %start ], [ %v31, %loop9 ]
  %p13 = phi ptr [ %v8, %start ], [ %v32, %loop9 ]
  %q12 = call ptr asm "", "=r,0"(ptr %p11)
  %q14 = call ptr asm "", "=r,0"(ptr %p13)
  %v15 = load <8 x float>, ptr %q12, align 4
  %v16 = getelementptr i8, ptr %q12, i64 32
  %v17 = load <8 x float>, ptr %v16, align 4
  %v18 = shufflevector <8 x float> %v15, <8 x float> %v17, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  store <8 x float> %v18, ptr %q14, align 4
  %v19 = shufflevector <8 x float> %v15, <8 x float> %v17, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %v20 = getelementptr i8, ptr %q14, i64 40
  store <8 x float> %v19, ptr %v20, align 4
  %v21 = getelementptr i8, ptr %q12, i64 64
  %v22 = getelementptr i8, ptr %q14, i64 32
  %v23 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v21, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v24 = getelementptr i8, ptr %v21, i64 32
  %v25 = shufflevector <8 x float> %v23, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %v26 = shufflevector <8 x float> %v25, <8 x float> poison, <2 x i32> <i32 0, i32 1>
  store <2 x float> %v26, ptr %v22, align 4
  %v27 = shufflevector <8 x float> %v23, <8 x float> zeroinitializer, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %v28 = getelementptr i8, ptr %v22, i64 40
  %v29 = shufflevector <8 x float> %v27, <8 x float> poison, <2 x i32> <i32 0, i32 1>
  store <2 x float> %v29, ptr %v28, align 4
  %v30 = add i64 %i10, 1
  %v31 = getelementptr i8, ptr %q12, i64 76
  %v32 = getelementptr i8, ptr %q14, i64 80
  %v33 = icmp slt i64 %v30, 3
  br i1 %v33, label %loop9, label %after34
after34:
  br label %loop35
loop35:
  %i36 = phi i64 [ 0, %after34 ], [ %v71, %loop35 ]
  %p37 = phi ptr [ %v8, %after34 ], [ %v72, %loop35 ]
  %p39 = phi ptr [ %v7, %after34 ], [ %v73, %loop35 ]
  %q38 = call ptr asm "", "=r,0"(ptr %p37)
  %q40 = call ptr asm "", "=r,0"(ptr %p39)
  %v41 = load <8 x float>, ptr %q38, align 4
  %v42 = load float, ptr %v5, align 4
  %v43 = insertelement <8 x float> poison, float %v42, i64 0
  %v44 = shufflevector <8 x float> %v43, <8 x float> poison, <8 x i32> zeroinitializer
  %v45 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v41, <8 x float> %v44, <8 x float> zeroinitializer)
  %v46 = getelementptr i8, ptr %q38, i64 32
  %v47 = load <8 x float>, ptr %v46, align 4
  %v48 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v47, <8 x float> %v44, <8 x float> zeroinitializer)
  call void asm sideeffect "", "~{memory}"()
  %v49 = getelementptr i8, ptr %q38, i64 40
  %v50 = load <8 x float>, ptr %v49, align 4
  %v51 = getelementptr i8, ptr %v5, i64 4
  %v52 = load float, ptr %v51, align 4
  %v53 = insertelement <8 x float> poison, float %v52, i64 0
  %v54 = shufflevector <8 x float> %v53, <8 x float> poison, <8 x i32> zeroinitializer
  %v55 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v50, <8 x float> %v54, <8 x float> %v45)
  %v56 = getelementptr i8, ptr %q38, i64 72
  %v57 = load <8 x float>, ptr %v56, align 4
  %v58 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v57, <8 x float> %v54, <8 x float> %v48)
  call void asm sideeffect "", "~{memory}"()
  %v59 = getelementptr i8, ptr %q38, i64 4
  %v60 = load <8 x float>, ptr %v59, align 4
  %v61 = getelementptr i8, ptr %v5, i64 8
  %v62 = load float, ptr %v61, align 4
  %v63 = insertelement <8 x float> poison, float %v62, i64 0
  %v64 = shufflevector <8 x float> %v63, <8 x float> poison, <8 x i32> zeroinitializer
  %v65 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v60, <8 x float> %v64, <8 x float> %v55)
  %v66 = getelementptr i8, ptr %q38, i64 36
  %v67 = load <8 x float>, ptr %v66, align 4
  %v68 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v67, <8 x float> %v64, <8 x float> %v58)
  store <8 x float> %v65, ptr %q40, align 4
  %v69 = getelementptr i8, ptr %q40, i64 32
  %v70 = shufflevector <8 x float> %v68, <8 x float> poison, <1 x i32> <i32 0>
  store <1 x float> %v70, ptr %v69, align 4
  %v71 = add i64 %i36, 1
  %v72 = getelementptr i8, ptr %q38, i64 160
  %v73 = getelementptr i8, ptr %q40, i64 36
  %v74 = icmp slt i64 %v71, 2
  br i1 %v74, label %loop35, label %after75
after75:
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
