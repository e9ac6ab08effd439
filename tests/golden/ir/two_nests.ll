declare <8 x float> @llvm.fmuladd.v8f32(<8 x float>, <8 x float>, <8 x float>)

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
  %i9 = phi i64 [ %begin, %start ], [ %v73, %after72 ]
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
  br label %loop20
loop20:
  %i21 = phi i64 [ 0, %loop8 ], [ %v54, %after52 ]
  %v22 = mul i64 %i21, 2
  %v23 = mul i64 %v22, 4
  %v24 = getelementptr i8, ptr %v15, i64 %v23
  %v25 = mul i64 %i21, 16
  %v26 = mul i64 %v25, 4
  %v27 = getelementptr i8, ptr %v5, i64 %v26
  %v28 = mul i64 %i21, 16
  %v29 = mul i64 %v28, 4
  %v30 = getelementptr i8, ptr %v19, i64 %v29
  br label %loop31
loop31:
  %i32 = phi i64 [ 0, %loop20 ], [ %v50, %loop31 ]
  %c33 = phi <8 x float> [ zeroinitializer, %loop20 ], [ %v44, %loop31 ]
  %c34 = phi <8 x float> [ zeroinitializer, %loop20 ], [ %v49, %loop31 ]
  %v35 = mul i64 %i32, 4
  %v36 = getelementptr i8, ptr %v24, i64 %v35
  %v37 = mul i64 %i32, 8
  %v38 = mul i64 %v37, 4
  %v39 = getelementptr i8, ptr %v27, i64 %v38
  %v40 = load float, ptr %v36, align 4
  %v41 = insertelement <8 x float> poison, float %v40, i64 0
  %v42 = shufflevector <8 x float> %v41, <8 x float> poison, <8 x i32> zeroinitializer
  %v43 = load <8 x float>, ptr %v39, align 4
  %v44 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v42, <8 x float> %v43, <8 x float> %c33)
  %v45 = getelementptr i8, ptr %v36, i64 16
  %v46 = load float, ptr %v45, align 4
  %v47 = insertelement <8 x float> poison, float %v46, i64 0
  %v48 = shufflevector <8 x float> %v47, <8 x float> poison, <8 x i32> zeroinitializer
  %v49 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v48, <8 x float> %v43, <8 x float> %c34)
  %v50 = add i64 %i32, 1
  %v51 = icmp slt i64 %v50, 2
  br i1 %v51, label %loop31, label %after52
after52:
  store <8 x float> %v44, ptr %v30, align 4
  %v53 = getelementptr i8, ptr %v30, i64 32
  store <8 x float> %v49, ptr %v53, align 4
  %v54 = add i64 %i21, 1
  %v55 = icmp slt i64 %v54, 2
  br i1 %v55, label %loop20, label %after56
after56:
  br label %loop57
loop57:
  %i58 = phi i64 [ 0, %after56 ], [ %v70, %loop57 ]
  %v59 = mul i64 %i58, 8
  %v60 = mul i64 %v59, 4
  %v61 = getelementptr i8, ptr %v18, i64 %v60
  %v62 = mul i64 %i58, 8
  %v63 = mul i64 %v62, 4
  %v64 = getelementptr i8, ptr %v19, i64 %v63
  %v65 = add i64 %v12, %i58
  %v66 = load <8 x float>, ptr %v64, align 4
  %v67 = getelementptr i8, ptr %v64, i64 64
  %v68 = load <8 x float>, ptr %v67, align 4
  %v69 = fadd <8 x float> %v66, %v68
  store <8 x float> %v69, ptr %v61, align 4
  %v70 = add i64 %i58, 1
  %v71 = icmp slt i64 %v70, 2
  br i1 %v71, label %loop57, label %after72
after72:
  %v73 = add i64 %i9, 1
  %v74 = icmp slt i64 %v73, %end
  br i1 %v74, label %loop8, label %after75
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
