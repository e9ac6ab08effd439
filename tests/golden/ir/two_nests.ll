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
  %i9 = phi i64 [ %begin, %start ], [ %v20, %loop8 ]
  %v10 = urem i64 %i9, 2
  %v11 = udiv i64 %i9, 2
  %v12 = mul i64 %v10, 2
  %v13 = mul i64 %v12, 4
  %v14 = mul i64 %v13, 4
  %v15 = getelementptr i8, ptr %v3, i64 %v14
  %v16 = mul i64 %v12, 8
  %v17 = mul i64 %v16, 4
  %v18 = getelementptr i8, ptr %v7, i64 %v17
  %v19 = getelementptr i8, ptr %workspace, i64 0
  call void @nest_43a483dd4272253e(ptr %workspace, ptr %v15, ptr %v5, ptr %v19, i64 %v12)
  call void @nest_8944056be59f4710(ptr %workspace, ptr %v18, ptr %v19, i64 %v12)
  %v20 = add i64 %i9, 1
  %v21 = icmp slt i64 %v20, %end
  br i1 %v21, label %loop8, label %after22
after22:
  ret void
}

define void @nest_43a483dd4272253e(ptr %workspace, ptr %at_x, ptr %at_weight, ptr %at_partial, i64 %from_m) align 64 {
entry:
  br label %loop1
loop1:
  %i2 = phi i64 [ 0, %entry ], [ %v33, %after31 ]
  %p3 = phi ptr [ %at_x, %entry ], [ %v34, %after31 ]
  %p5 = phi ptr [ %at_weight, %entry ], [ %v35, %after31 ]
  %p7 = phi ptr [ %at_partial, %entry ], [ %v36, %after31 ]
  %q4 = call ptr asm "", "=r,0"(ptr %p3)
  %q6 = call ptr asm "", "=r,0"(ptr %p5)
  %q8 = call ptr asm "", "=r,0"(ptr %p7)
  br label %loop9
loop9:
  %i10 = phi i64 [ 0, %loop1 ], [ %v27, %loop9 ]
  %c11 = phi <8 x float> [ zeroinitializer, %loop1 ], [ %v21, %loop9 ]
  %c12 = phi <8 x float> [ zeroinitializer, %loop1 ], [ %v26, %loop9 ]
  %p13 = phi ptr [ %q4, %loop1 ], [ %v28, %loop9 ]
  %p15 = phi ptr [ %q6, %loop1 ], [ %v29, %loop9 ]
  %q14 = call ptr asm "", "=r,0"(ptr %p13)
  %q16 = call ptr asm "", "=r,0"(ptr %p15)
  %v17 = load float, ptr %q14, align 4
  %v18 = insertelement <8 x float> poison, float %v17, i64 0
  %v19 = shufflevector <8 x float> %v18, <8 x float> poison, <8 x i32> zeroinitializer
  %v20 = load <8 x float>, ptr %q16, align 4
  %v21 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v19, <8 x float> %v20, <8 x float> %c11)
  %v22 = getelementptr i8, ptr %q14, i64 16
  %v23 = load float, ptr %v22, align 4
  %v24 = insertelement <8 x float> poison, float %v23, i64 0
  %v25 = shufflevector <8 x float> %v24, <8 x float> poison, <8 x i32> zeroinitializer
  %v26 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v25, <8 x float> %v20, <8 x float> %c12)
  %v27 = add i64 %i10, 1
  %v28 = getelementptr i8, ptr %q14, i64 4
  %v29 = getelementptr i8, ptr %q16, i64 32
  %v30 = icmp slt i64 %v27, 2
  br i1 %v30, label %loop9, label %after31
after31:
  store <8 x float> %v21, ptr %q8, align 4
  %v32 = getelementptr i8, ptr %q8, i64 32
  store <8 x float> %v26, ptr %v32, align 4
  %v33 = add i64 %i2, 1
  %v34 = getelementptr i8, ptr %q4, i64 8
  %v35 = getelementptr i8, ptr %q6, i64 64
  %v36 = getelementptr i8, ptr %q8, i64 64
  %v37 = icmp slt i64 %v33, 2
  br i1 %v37, label %loop1, label %after38
after38:
  ret void
}

define void @nest_8944056be59f4710(ptr %workspace, ptr %at_out, ptr %at_partial, i64 %from_m) align 64 {
entry:
  br label %loop1
loop1:
  %i2 = phi i64 [ 0, %entry ], [ %v12, %loop1 ]
  %p3 = phi ptr [ %at_out, %entry ], [ %v13, %loop1 ]
  %p5 = phi ptr [ %at_partial, %entry ], [ %v14, %loop1 ]
  %q4 = call ptr asm "", "=r,0"(ptr %p3)
  %q6 = call ptr asm "", "=r,0"(ptr %p5)
  %v7 = add i64 %from_m, %i2
  %v8 = load <8 x float>, ptr %q6, align 4
  call void asm sideeffect "", "~{memory}"()
  %v9 = getelementptr i8, ptr %q6, i64 64
  %v10 = load <8 x float>, ptr %v9, align 4
  %v11 = fadd <8 x float> %v8, %v10
  store <8 x float> %v11, ptr %q4, align 4
  %v12 = add i64 %i2, 1
  %v13 = getelementptr i8, ptr %q4, i64 32
  %v14 = getelementptr i8, ptr %q6, i64 32
  %v15 = icmp slt i64 %v12, 2
  br i1 %v15, label %loop1, label %after16
after16:
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
