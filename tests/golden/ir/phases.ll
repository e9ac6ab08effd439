declare <8 x float> @llvm.fmuladd.v8f32(<8 x float>, <8 x float>, <8 x float>)

declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)

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
  %v8 = getelementptr i8, ptr %workspace, i64 0
  br label %loop9
loop9:
  %i10 = phi i64 [ 0, %start ], [ %v44, %after36 ]
  %v11 = mul i64 %i10, 19
  %v12 = mul i64 %v11, 4
  %v13 = getelementptr i8, ptr %v3, i64 %v12
  %v14 = mul i64 %i10, 20
  %v15 = mul i64 %v14, 4
  %v16 = getelementptr i8, ptr %v8, i64 %v15
  br label %loop17
loop17:
  %i18 = phi i64 [ 0, %loop9 ], [ %v34, %loop17 ]
  %v19 = mul i64 %i18, 4
  %v20 = getelementptr i8, ptr %v13, i64 %v19
  %v21 = load <8 x float>, ptr %v20, align 4
  %v22 = add i64 %i18, 8
  %v23 = mul i64 %v22, 4
  %v24 = getelementptr i8, ptr %v13, i64 %v23
  %v25 = load <8 x float>, ptr %v24, align 4
  %v26 = udiv exact i64 %i18, 2
  %v27 = shufflevector <8 x float> %v21, <8 x float> %v25, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %v28 = mul i64 %v26, 4
  %v29 = getelementptr i8, ptr %v16, i64 %v28
  store <8 x float> %v27, ptr %v29, align 4
  %v30 = shufflevector <8 x float> %v21, <8 x float> %v25, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %v31 = add i64 %v26, 10
  %v32 = mul i64 %v31, 4
  %v33 = getelementptr i8, ptr %v16, i64 %v32
  store <8 x float> %v30, ptr %v33, align 4
  %v34 = add i64 %i18, 16
  %v35 = icmp slt i64 %v34, 16
  br i1 %v35, label %loop17, label %after36
after36:
  %v37 = getelementptr i8, ptr %v13, i64 64
  %v38 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v37, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0>, <8 x float> zeroinitializer)
  %v39 = getelementptr i8, ptr %v13, i64 96
  %v40 = shufflevector <8 x float> %v38, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
  %v41 = getelementptr i8, ptr %v16, i64 32
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v40, ptr %v41, i32 4, <8 x i1> <i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  %v42 = shufflevector <8 x float> %v38, <8 x float> zeroinitializer, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
  %v43 = getelementptr i8, ptr %v16, i64 72
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v42, ptr %v43, i32 4, <8 x i1> <i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  %v44 = add i64 %i10, 1
  %v45 = icmp slt i64 %v44, 3
  br i1 %v45, label %loop9, label %after46
after46:
  br label %loop47
loop47:
  %i48 = phi i64 [ 0, %after46 ], [ %v84, %loop47 ]
  %v49 = mul i64 %i48, 40
  %v50 = mul i64 %v49, 4
  %v51 = getelementptr i8, ptr %v8, i64 %v50
  %v52 = mul i64 %i48, 9
  %v53 = mul i64 %v52, 4
  %v54 = getelementptr i8, ptr %v7, i64 %v53
  %v55 = load <8 x float>, ptr %v51, align 4
  %v56 = load float, ptr %v5, align 4
  %v57 = insertelement <8 x float> poison, float %v56, i64 0
  %v58 = shufflevector <8 x float> %v57, <8 x float> poison, <8 x i32> zeroinitializer
  %v59 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v55, <8 x float> %v58, <8 x float> zeroinitializer)
  %v60 = getelementptr i8, ptr %v51, i64 32
  %v61 = load <8 x float>, ptr %v60, align 4
  %v62 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v61, <8 x float> %v58, <8 x float> zeroinitializer)
  %v63 = getelementptr i8, ptr %v51, i64 40
  %v64 = load <8 x float>, ptr %v63, align 4
  %v65 = getelementptr i8, ptr %v5, i64 4
  %v66 = load float, ptr %v65, align 4
  %v67 = insertelement <8 x float> poison, float %v66, i64 0
  %v68 = shufflevector <8 x float> %v67, <8 x float> poison, <8 x i32> zeroinitializer
  %v69 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v64, <8 x float> %v68, <8 x float> %v59)
  %v70 = getelementptr i8, ptr %v51, i64 72
  %v71 = load <8 x float>, ptr %v70, align 4
  %v72 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v71, <8 x float> %v68, <8 x float> %v62)
  %v73 = getelementptr i8, ptr %v51, i64 4
  %v74 = load <8 x float>, ptr %v73, align 4
  %v75 = getelementptr i8, ptr %v5, i64 8
  %v76 = load float, ptr %v75, align 4
  %v77 = insertelement <8 x float> poison, float %v76, i64 0
  %v78 = shufflevector <8 x float> %v77, <8 x float> poison, <8 x i32> zeroinitializer
  %v79 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v74, <8 x float> %v78, <8 x float> %v69)
  %v80 = getelementptr i8, ptr %v51, i64 36
  %v81 = load <8 x float>, ptr %v80, align 4
  %v82 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v81, <8 x float> %v78, <8 x float> %v72)
  store <8 x float> %v79, ptr %v54, align 4
  %v83 = getelementptr i8, ptr %v54, i64 32
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v82, ptr %v83, i32 4, <8 x i1> <i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  %v84 = add i64 %i48, 1
  %v85 = icmp slt i64 %v84, 2
  br i1 %v85, label %loop47, label %after86
after86:
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
