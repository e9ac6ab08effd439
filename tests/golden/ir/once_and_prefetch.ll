declare <8 x float> @llvm.fmuladd.v8f32(<8 x float>, <8 x float>, <8 x float>)

declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)

declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

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
  br label %loop8
loop8:
  %i9 = phi i64 [ 0, %start ], [ %v39, %after37 ]
  %v10 = mul i64 %i9, 4
  %v11 = mul i64 %v10, 4
  %v12 = getelementptr i8, ptr %v5, i64 %v11
  %v13 = mul i64 %i9, 4
  %v14 = getelementptr i8, ptr %v7, i64 %v13
  br label %loop15
loop15:
  %i16 = phi i64 [ 0, %loop8 ], [ %v35, %loop15 ]
  %c17 = phi <8 x float> [ zeroinitializer, %loop8 ], [ %v29, %loop15 ]
  %c18 = phi <8 x float> [ zeroinitializer, %loop8 ], [ %v34, %loop15 ]
  %v19 = mul i64 %i16, 4
  %v20 = getelementptr i8, ptr %v3, i64 %v19
  %v21 = mul i64 %i16, 8
  %v22 = mul i64 %v21, 4
  %v23 = getelementptr i8, ptr %v12, i64 %v22
  %v24 = load float, ptr %v20, align 4
  %v25 = insertelement <8 x float> poison, float %v24, i64 0
  %v26 = shufflevector <8 x float> %v25, <8 x float> poison, <8 x i32> zeroinitializer
  %v27 = load <8 x float>, ptr %v23, align 4
  %v28 = getelementptr i8, ptr %v23, i64 512
  call void @llvm.prefetch.p0(ptr %v28, i32 0, i32 3, i32 1)
  %v29 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v26, <8 x float> %v27, <8 x float> %c17)
  %v30 = getelementptr i8, ptr %v20, i64 16
  %v31 = load float, ptr %v30, align 4
  %v32 = insertelement <8 x float> poison, float %v31, i64 0
  %v33 = shufflevector <8 x float> %v32, <8 x float> poison, <8 x i32> zeroinitializer
  %v34 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v33, <8 x float> %v27, <8 x float> %c18)
  %v35 = add i64 %i16, 1
  %v36 = icmp slt i64 %v35, 4
  br i1 %v36, label %loop15, label %after37
after37:
  store <8 x float> %v29, ptr %v14, align 4
  %v38 = getelementptr i8, ptr %v14, i64 64
  store <8 x float> %v34, ptr %v38, align 4
  %v39 = add i64 %i9, 8
  %v40 = icmp slt i64 %v39, 16
  br i1 %v40, label %loop8, label %after41
after41:
  ret void
}

define void @pack_weight(ptr %source, ptr %target, ptr %workspace) {
entry:
  br label %loop1
loop1:
  %i2 = phi i64 [ 0, %entry ], [ %v51, %loop1 ]
  %v3 = mul i64 %i2, 4
  %v4 = mul i64 %v3, 4
  %v5 = getelementptr i8, ptr %source, i64 %v4
  %v6 = mul i64 %i2, 4
  %v7 = mul i64 %v6, 4
  %v8 = getelementptr i8, ptr %target, i64 %v7
  %v9 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v5, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v10 = getelementptr i8, ptr %v5, i64 16
  %v11 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v10, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v12 = getelementptr i8, ptr %v5, i64 32
  %v13 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v12, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v14 = getelementptr i8, ptr %v5, i64 48
  %v15 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v14, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v16 = getelementptr i8, ptr %v5, i64 64
  %v17 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v16, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v18 = getelementptr i8, ptr %v5, i64 80
  %v19 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v18, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v20 = getelementptr i8, ptr %v5, i64 96
  %v21 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v20, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v22 = getelementptr i8, ptr %v5, i64 112
  %v23 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v22, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v24 = shufflevector <8 x float> %v9, <8 x float> %v17, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v25 = shufflevector <8 x float> %v9, <8 x float> %v17, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v26 = shufflevector <8 x float> %v11, <8 x float> %v19, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v27 = shufflevector <8 x float> %v11, <8 x float> %v19, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v28 = shufflevector <8 x float> %v13, <8 x float> %v21, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v29 = shufflevector <8 x float> %v13, <8 x float> %v21, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v30 = shufflevector <8 x float> %v15, <8 x float> %v23, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v31 = shufflevector <8 x float> %v15, <8 x float> %v23, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v32 = shufflevector <8 x float> %v24, <8 x float> %v28, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v33 = shufflevector <8 x float> %v24, <8 x float> %v28, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v34 = shufflevector <8 x float> %v26, <8 x float> %v30, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v35 = shufflevector <8 x float> %v26, <8 x float> %v30, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v36 = shufflevector <8 x float> %v25, <8 x float> %v29, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v37 = shufflevector <8 x float> %v25, <8 x float> %v29, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v38 = shufflevector <8 x float> %v27, <8 x float> %v31, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v39 = shufflevector <8 x float> %v27, <8 x float> %v31, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v40 = shufflevector <8 x float> %v32, <8 x float> %v34, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v41 = shufflevector <8 x float> %v32, <8 x float> %v34, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v42 = shufflevector <8 x float> %v33, <8 x float> %v35, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v43 = shufflevector <8 x float> %v33, <8 x float> %v35, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v44 = shufflevector <8 x float> %v36, <8 x float> %v38, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v45 = shufflevector <8 x float> %v36, <8 x float> %v38, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v46 = shufflevector <8 x float> %v37, <8 x float> %v39, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v47 = shufflevector <8 x float> %v37, <8 x float> %v39, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  store <8 x float> %v40, ptr %v8, align 4
  %v48 = getelementptr i8, ptr %v8, i64 32
  store <8 x float> %v41, ptr %v48, align 4
  %v49 = getelementptr i8, ptr %v8, i64 64
  store <8 x float> %v42, ptr %v49, align 4
  %v50 = getelementptr i8, ptr %v8, i64 96
  store <8 x float> %v43, ptr %v50, align 4
  %v51 = add i64 %i2, 8
  %v52 = icmp slt i64 %v51, 16
  br i1 %v52, label %loop1, label %after53
after53:
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
