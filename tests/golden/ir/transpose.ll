declare <8 x float> @llvm.fmuladd.v8f32(<8 x float>, <8 x float>, <8 x float>)

declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

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
  %i9 = phi i64 [ 0, %start ], [ %v90, %after89 ]
  %v10 = mul i64 %i9, 4
  %v11 = getelementptr i8, ptr %v3, i64 %v10
  %v12 = mul i64 %i9, 8
  %v13 = mul i64 %v12, 4
  %v14 = getelementptr i8, ptr %v7, i64 %v13
  br label %loop15
loop15:
  %i16 = phi i64 [ 0, %loop8 ], [ %v87, %after55 ]
  %v17 = mul i64 %i16, 4
  %v18 = getelementptr i8, ptr %v5, i64 %v17
  %v19 = mul i64 %i16, 4
  %v20 = getelementptr i8, ptr %v14, i64 %v19
  br label %loop21
loop21:
  %i22 = phi i64 [ 0, %loop15 ], [ %v53, %loop21 ]
  %c23 = phi <8 x float> [ zeroinitializer, %loop15 ], [ %v37, %loop21 ]
  %c24 = phi <8 x float> [ zeroinitializer, %loop15 ], [ %v42, %loop21 ]
  %c25 = phi <8 x float> [ zeroinitializer, %loop15 ], [ %v47, %loop21 ]
  %c26 = phi <8 x float> [ zeroinitializer, %loop15 ], [ %v52, %loop21 ]
  %v27 = mul i64 %i22, 16
  %v28 = mul i64 %v27, 4
  %v29 = getelementptr i8, ptr %v11, i64 %v28
  %v30 = mul i64 %i22, 8
  %v31 = mul i64 %v30, 4
  %v32 = getelementptr i8, ptr %v18, i64 %v31
  %v33 = load <8 x float>, ptr %v29, align 4
  %v34 = load float, ptr %v32, align 4
  %v35 = insertelement <8 x float> poison, float %v34, i64 0
  %v36 = shufflevector <8 x float> %v35, <8 x float> poison, <8 x i32> zeroinitializer
  %v37 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v33, <8 x float> %v36, <8 x float> %c23)
  %v38 = getelementptr i8, ptr %v32, i64 4
  %v39 = load float, ptr %v38, align 4
  %v40 = insertelement <8 x float> poison, float %v39, i64 0
  %v41 = shufflevector <8 x float> %v40, <8 x float> poison, <8 x i32> zeroinitializer
  %v42 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v33, <8 x float> %v41, <8 x float> %c24)
  %v43 = getelementptr i8, ptr %v32, i64 8
  %v44 = load float, ptr %v43, align 4
  %v45 = insertelement <8 x float> poison, float %v44, i64 0
  %v46 = shufflevector <8 x float> %v45, <8 x float> poison, <8 x i32> zeroinitializer
  %v47 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v33, <8 x float> %v46, <8 x float> %c25)
  %v48 = getelementptr i8, ptr %v32, i64 12
  %v49 = load float, ptr %v48, align 4
  %v50 = insertelement <8 x float> poison, float %v49, i64 0
  %v51 = shufflevector <8 x float> %v50, <8 x float> poison, <8 x i32> zeroinitializer
  %v52 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v33, <8 x float> %v51, <8 x float> %c26)
  %v53 = add i64 %i22, 1
  %v54 = icmp slt i64 %v53, 3
  br i1 %v54, label %loop21, label %after55
after55:
  %v56 = shufflevector <8 x float> %v37, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v57 = shufflevector <8 x float> %v37, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v58 = shufflevector <8 x float> %v42, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v59 = shufflevector <8 x float> %v42, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v60 = shufflevector <8 x float> %v47, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v61 = shufflevector <8 x float> %v47, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v62 = shufflevector <8 x float> %v52, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v63 = shufflevector <8 x float> %v52, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v64 = shufflevector <8 x float> %v56, <8 x float> %v60, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v65 = shufflevector <8 x float> %v56, <8 x float> %v60, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v66 = shufflevector <8 x float> %v58, <8 x float> %v62, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v67 = shufflevector <8 x float> %v58, <8 x float> %v62, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v68 = shufflevector <8 x float> %v57, <8 x float> %v61, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v69 = shufflevector <8 x float> %v57, <8 x float> %v61, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v70 = shufflevector <8 x float> %v59, <8 x float> %v63, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v71 = shufflevector <8 x float> %v59, <8 x float> %v63, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v72 = shufflevector <8 x float> %v64, <8 x float> %v66, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v73 = shufflevector <8 x float> %v64, <8 x float> %v66, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v74 = shufflevector <8 x float> %v65, <8 x float> %v67, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v75 = shufflevector <8 x float> %v65, <8 x float> %v67, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v76 = shufflevector <8 x float> %v68, <8 x float> %v70, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v77 = shufflevector <8 x float> %v68, <8 x float> %v70, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v78 = shufflevector <8 x float> %v69, <8 x float> %v71, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v79 = shufflevector <8 x float> %v69, <8 x float> %v71, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v72, ptr %v20, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v80 = getelementptr i8, ptr %v20, i64 32
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v73, ptr %v80, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v81 = getelementptr i8, ptr %v20, i64 64
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v74, ptr %v81, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v82 = getelementptr i8, ptr %v20, i64 96
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v75, ptr %v82, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v83 = getelementptr i8, ptr %v20, i64 128
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v76, ptr %v83, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v84 = getelementptr i8, ptr %v20, i64 160
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v77, ptr %v84, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v85 = getelementptr i8, ptr %v20, i64 192
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v78, ptr %v85, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v86 = getelementptr i8, ptr %v20, i64 224
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v79, ptr %v86, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
  %v87 = add i64 %i16, 4
  %v88 = icmp slt i64 %v87, 8
  br i1 %v88, label %loop15, label %after89
after89:
  %v90 = add i64 %i9, 8
  %v91 = icmp slt i64 %v90, 16
  br i1 %v91, label %loop8, label %after92
after92:
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
