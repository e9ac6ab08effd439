declare <8 x float> @llvm.fmuladd.v8f32(<8 x float>, <8 x float>, <8 x float>)

declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)

declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

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
  %i10 = phi i64 [ 0, %start ], [ %v40, %after32 ]
  %p11 = phi ptr [ %v3, %start ], [ %v41, %after32 ]
  %p13 = phi ptr [ %v8, %start ], [ %v42, %after32 ]
  %q12 = call ptr asm "", "=r,0"(ptr %p11)
  %q14 = call ptr asm "", "=r,0"(ptr %p13)
  br label %loop15
loop15:
  %i16 = phi i64 [ 0, %loop9 ], [ %v28, %loop15 ]
  %p17 = phi ptr [ %q12, %loop9 ], [ %v29, %loop15 ]
  %p19 = phi ptr [ %q14, %loop9 ], [ %v30, %loop15 ]
  %q18 = call ptr asm "", "=r,0"(ptr %p17)
  %q20 = call ptr asm "", "=r,0"(ptr %p19)
  %v21 = load <8 x float>, ptr %q18, align 4
  %v22 = getelementptr i8, ptr %q18, i64 32
  %v23 = add i64 %i16, 8
  %v24 = load <8 x float>, ptr %v22, align 4
  %v25 = shufflevector <8 x float> %v21, <8 x float> %v24, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  store <8 x float> %v25, ptr %q20, align 4
  %v26 = shufflevector <8 x float> %v21, <8 x float> %v24, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %v27 = getelementptr i8, ptr %q20, i64 40
  store <8 x float> %v26, ptr %v27, align 4
  %v28 = add i64 %i16, 16
  %v29 = getelementptr i8, ptr %q18, i64 64
  %v30 = getelementptr i8, ptr %q20, i64 32
  %v31 = icmp slt i64 %v28, 16
  br i1 %v31, label %loop15, label %after32
after32:
  %v33 = getelementptr i8, ptr %q12, i64 64
  %v34 = getelementptr i8, ptr %q14, i64 32
  %v35 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v33, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v36 = getelementptr i8, ptr %v33, i64 32
  %v37 = shufflevector <8 x float> %v35, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v37, ptr %v34, i32 4, <8 x i1> <i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  %v38 = shufflevector <8 x float> %v35, <8 x float> zeroinitializer, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %v39 = getelementptr i8, ptr %v34, i64 40
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v38, ptr %v39, i32 4, <8 x i1> <i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  %v40 = add i64 %i10, 1
  %v41 = getelementptr i8, ptr %q12, i64 76
  %v42 = getelementptr i8, ptr %q14, i64 80
  %v43 = icmp slt i64 %v40, 3
  br i1 %v43, label %loop9, label %after44
after44:
  br label %loop45
loop45:
  %i46 = phi i64 [ 0, %after44 ], [ %v80, %loop45 ]
  %p47 = phi ptr [ %v8, %after44 ], [ %v81, %loop45 ]
  %p49 = phi ptr [ %v7, %after44 ], [ %v82, %loop45 ]
  %q48 = call ptr asm "", "=r,0"(ptr %p47)
  %q50 = call ptr asm "", "=r,0"(ptr %p49)
  %v51 = load <8 x float>, ptr %q48, align 4
  %v52 = load float, ptr %v5, align 4
  %v53 = insertelement <8 x float> poison, float %v52, i64 0
  %v54 = shufflevector <8 x float> %v53, <8 x float> poison, <8 x i32> zeroinitializer
  %v55 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v51, <8 x float> %v54, <8 x float> zeroinitializer)
  %v56 = getelementptr i8, ptr %q48, i64 32
  %v57 = load <8 x float>, ptr %v56, align 4
  %v58 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v57, <8 x float> %v54, <8 x float> zeroinitializer)
  %v59 = getelementptr i8, ptr %q48, i64 40
  %v60 = load <8 x float>, ptr %v59, align 4
  %v61 = getelementptr i8, ptr %v5, i64 4
  %v62 = load float, ptr %v61, align 4
  %v63 = insertelement <8 x float> poison, float %v62, i64 0
  %v64 = shufflevector <8 x float> %v63, <8 x float> poison, <8 x i32> zeroinitializer
  %v65 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v60, <8 x float> %v64, <8 x float> %v55)
  %v66 = getelementptr i8, ptr %q48, i64 72
  %v67 = load <8 x float>, ptr %v66, align 4
  %v68 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v67, <8 x float> %v64, <8 x float> %v58)
  %v69 = getelementptr i8, ptr %q48, i64 4
  %v70 = load <8 x float>, ptr %v69, align 4
  %v71 = getelementptr i8, ptr %v5, i64 8
  %v72 = load float, ptr %v71, align 4
  %v73 = insertelement <8 x float> poison, float %v72, i64 0
  %v74 = shufflevector <8 x float> %v73, <8 x float> poison, <8 x i32> zeroinitializer
  %v75 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v70, <8 x float> %v74, <8 x float> %v65)
  %v76 = getelementptr i8, ptr %q48, i64 36
  %v77 = load <8 x float>, ptr %v76, align 4
  %v78 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v77, <8 x float> %v74, <8 x float> %v68)
  store <8 x float> %v75, ptr %q50, align 4
  %v79 = getelementptr i8, ptr %q50, i64 32
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v78, ptr %v79, i32 4, <8 x i1> <i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  %v80 = add i64 %i46, 1
  %v81 = getelementptr i8, ptr %q48, i64 160
  %v82 = getelementptr i8, ptr %q50, i64 36
  %v83 = icmp slt i64 %v80, 2
  br i1 %v83, label %loop45, label %after84
after84:
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
