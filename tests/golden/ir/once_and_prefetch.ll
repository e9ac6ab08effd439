declare <8 x float> @llvm.fmuladd.v8f32(<8 x float>, <8 x float>, <8 x float>)

declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)

declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

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
  %i9 = phi i64 [ 0, %start ], [ %v39, %after37 ]
  %p10 = phi ptr [ %v5, %start ], [ %v40, %after37 ]
  %p12 = phi ptr [ %v7, %start ], [ %v41, %after37 ]
  %q11 = call ptr asm "", "=r,0"(ptr %p10)
  %q13 = call ptr asm "", "=r,0"(ptr %p12)
  br label %loop14
loop14:
  %i15 = phi i64 [ 0, %loop8 ], [ %v33, %loop14 ]
  %c16 = phi <8 x float> [ zeroinitializer, %loop8 ], [ %v27, %loop14 ]
  %c17 = phi <8 x float> [ zeroinitializer, %loop8 ], [ %v32, %loop14 ]
  %p18 = phi ptr [ %v3, %loop8 ], [ %v34, %loop14 ]
  %p20 = phi ptr [ %q11, %loop8 ], [ %v35, %loop14 ]
  %q19 = call ptr asm "", "=r,0"(ptr %p18)
  %q21 = call ptr asm "", "=r,0"(ptr %p20)
  %v22 = load float, ptr %q19, align 4
  %v23 = insertelement <8 x float> poison, float %v22, i64 0
  %v24 = shufflevector <8 x float> %v23, <8 x float> poison, <8 x i32> zeroinitializer
  %v25 = load <8 x float>, ptr %q21, align 4
  %v26 = getelementptr i8, ptr %q21, i64 512
  call void @llvm.prefetch.p0(ptr %v26, i32 0, i32 3, i32 1)
  %v27 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v24, <8 x float> %v25, <8 x float> %c16)
  %v28 = getelementptr i8, ptr %q19, i64 16
  %v29 = load float, ptr %v28, align 4
  %v30 = insertelement <8 x float> poison, float %v29, i64 0
  %v31 = shufflevector <8 x float> %v30, <8 x float> poison, <8 x i32> zeroinitializer
  %v32 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v31, <8 x float> %v25, <8 x float> %c17)
  %v33 = add i64 %i15, 1
  %v34 = getelementptr i8, ptr %q19, i64 4
  %v35 = getelementptr i8, ptr %q21, i64 32
  %v36 = icmp slt i64 %v33, 4
  br i1 %v36, label %loop14, label %after37
after37:
  store <8 x float> %v27, ptr %q13, align 4
  %v38 = getelementptr i8, ptr %q13, i64 64
  store <8 x float> %v32, ptr %v38, align 4
  %v39 = add i64 %i9, 8
  %v40 = getelementptr i8, ptr %q11, i64 128
  %v41 = getelementptr i8, ptr %q13, i64 32
  %v42 = icmp slt i64 %v39, 16
  br i1 %v42, label %loop8, label %after43
after43:
  ret void
}

define void @pack_weight(ptr %source, ptr %target, ptr %workspace) {
entry:
  br label %loop1
loop1:
  %i2 = phi i64 [ 0, %entry ], [ %v49, %loop1 ]
  %p3 = phi ptr [ %source, %entry ], [ %v50, %loop1 ]
  %p5 = phi ptr [ %target, %entry ], [ %v51, %loop1 ]
  %q4 = call ptr asm "", "=r,0"(ptr %p3)
  %q6 = call ptr asm "", "=r,0"(ptr %p5)
  %v7 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q4, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v8 = getelementptr i8, ptr %q4, i64 16
  %v9 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v8, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v10 = getelementptr i8, ptr %q4, i64 32
  %v11 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v10, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v12 = getelementptr i8, ptr %q4, i64 48
  %v13 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v12, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v14 = getelementptr i8, ptr %q4, i64 64
  %v15 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v14, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v16 = getelementptr i8, ptr %q4, i64 80
  %v17 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v16, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v18 = getelementptr i8, ptr %q4, i64 96
  %v19 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v18, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v20 = getelementptr i8, ptr %q4, i64 112
  %v21 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v20, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v22 = shufflevector <8 x float> %v7, <8 x float> %v15, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v23 = shufflevector <8 x float> %v7, <8 x float> %v15, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v24 = shufflevector <8 x float> %v9, <8 x float> %v17, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v25 = shufflevector <8 x float> %v9, <8 x float> %v17, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v26 = shufflevector <8 x float> %v11, <8 x float> %v19, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v27 = shufflevector <8 x float> %v11, <8 x float> %v19, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v28 = shufflevector <8 x float> %v13, <8 x float> %v21, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v29 = shufflevector <8 x float> %v13, <8 x float> %v21, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v30 = shufflevector <8 x float> %v22, <8 x float> %v26, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v31 = shufflevector <8 x float> %v22, <8 x float> %v26, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v32 = shufflevector <8 x float> %v24, <8 x float> %v28, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v33 = shufflevector <8 x float> %v24, <8 x float> %v28, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v34 = shufflevector <8 x float> %v23, <8 x float> %v27, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v35 = shufflevector <8 x float> %v23, <8 x float> %v27, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v36 = shufflevector <8 x float> %v25, <8 x float> %v29, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v37 = shufflevector <8 x float> %v25, <8 x float> %v29, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v38 = shufflevector <8 x float> %v30, <8 x float> %v32, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v39 = shufflevector <8 x float> %v30, <8 x float> %v32, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v40 = shufflevector <8 x float> %v31, <8 x float> %v33, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v41 = shufflevector <8 x float> %v31, <8 x float> %v33, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v42 = shufflevector <8 x float> %v34, <8 x float> %v36, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v43 = shufflevector <8 x float> %v34, <8 x float> %v36, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v44 = shufflevector <8 x float> %v35, <8 x float> %v37, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v45 = shufflevector <8 x float> %v35, <8 x float> %v37, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  store <8 x float> %v38, ptr %q6, align 4
  %v46 = getelementptr i8, ptr %q6, i64 32
  store <8 x float> %v39, ptr %v46, align 4
  %v47 = getelementptr i8, ptr %q6, i64 64
  store <8 x float> %v40, ptr %v47, align 4
  %v48 = getelementptr i8, ptr %q6, i64 96
  store <8 x float> %v41, ptr %v48, align 4
  %v49 = add i64 %i2, 8
  %v50 = getelementptr i8, ptr %q4, i64 128
  %v51 = getelementptr i8, ptr %q6, i64 128
  %v52 = icmp slt i64 %v49, 16
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
