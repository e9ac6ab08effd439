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
  %i9 = phi i64 [ 0, %start ], [ %v31, %after30 ]
  %p10 = phi ptr [ %v3, %start ], [ %v32, %after30 ]
  %p12 = phi ptr [ %v7, %start ], [ %v33, %after30 ]
  %q11 = call ptr asm "", "=r,0"(ptr %p10)
  %q13 = call ptr asm "", "=r,0"(ptr %p12)
  br label %loop14
loop14:
  %i15 = phi i64 [ 0, %loop8 ], [ %v26, %loop14 ]
  %c16 = phi <8 x float> [ zeroinitializer, %loop8 ], [ %v25, %loop14 ]
  %p17 = phi ptr [ %q11, %loop8 ], [ %v27, %loop14 ]
  %p19 = phi ptr [ %v5, %loop8 ], [ %v28, %loop14 ]
  %q18 = call ptr asm "", "=r,0"(ptr %p17)
  %q20 = call ptr asm "", "=r,0"(ptr %p19)
  %v21 = load float, ptr %q18, align 4
  %v22 = insertelement <8 x float> poison, float %v21, i64 0
  %v23 = shufflevector <8 x float> %v22, <8 x float> poison, <8 x i32> zeroinitializer
  %v24 = load <8 x float>, ptr %q20, align 4
  %v25 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v23, <8 x float> %v24, <8 x float> %c16)
  %v26 = add i64 %i15, 1
  %v27 = getelementptr i8, ptr %q18, i64 4
  %v28 = getelementptr i8, ptr %q20, i64 32
  %v29 = icmp slt i64 %v26, 4
  br i1 %v29, label %loop14, label %after30
after30:
  store <8 x float> %v25, ptr %q13, align 4
  %v31 = add i64 %i9, 1
  %v32 = getelementptr i8, ptr %q11, i64 28
  %v33 = getelementptr i8, ptr %q13, i64 32
  %v34 = icmp slt i64 %v31, 2
  br i1 %v34, label %loop8, label %after35
after35:
  %v36 = getelementptr i8, ptr %v3, i64 16
  %v37 = getelementptr i8, ptr %v5, i64 128
  br label %loop38
loop38:
  %i39 = phi i64 [ 0, %after35 ], [ %v64, %after61 ]
  %p40 = phi ptr [ %v36, %after35 ], [ %v65, %after61 ]
  %p42 = phi ptr [ %v7, %after35 ], [ %v66, %after61 ]
  %q41 = call ptr asm "", "=r,0"(ptr %p40)
  %q43 = call ptr asm "", "=r,0"(ptr %p42)
  br label %loop44
loop44:
  %i45 = phi i64 [ 0, %loop38 ], [ %v57, %loop44 ]
  %c46 = phi <8 x float> [ zeroinitializer, %loop38 ], [ %v56, %loop44 ]
  %p47 = phi ptr [ %q41, %loop38 ], [ %v58, %loop44 ]
  %p49 = phi ptr [ %v37, %loop38 ], [ %v59, %loop44 ]
  %q48 = call ptr asm "", "=r,0"(ptr %p47)
  %q50 = call ptr asm "", "=r,0"(ptr %p49)
  %v51 = add i64 4, %i45
  %v52 = load float, ptr %q48, align 4
  %v53 = insertelement <8 x float> poison, float %v52, i64 0
  %v54 = shufflevector <8 x float> %v53, <8 x float> poison, <8 x i32> zeroinitializer
  %v55 = load <8 x float>, ptr %q50, align 4
  %v56 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v54, <8 x float> %v55, <8 x float> %c46)
  %v57 = add i64 %i45, 1
  %v58 = getelementptr i8, ptr %q48, i64 4
  %v59 = getelementptr i8, ptr %q50, i64 32
  %v60 = icmp slt i64 %v57, 3
  br i1 %v60, label %loop44, label %after61
after61:
  %v62 = load <8 x float>, ptr %q43, align 4
  %v63 = fadd <8 x float> %v62, %v56
  store <8 x float> %v63, ptr %q43, align 4
  %v64 = add i64 %i39, 1
  %v65 = getelementptr i8, ptr %q41, i64 28
  %v66 = getelementptr i8, ptr %q43, i64 32
  %v67 = icmp slt i64 %v64, 2
  br i1 %v67, label %loop38, label %after68
after68:
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
