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
  %i9 = phi i64 [ 0, %start ], [ %v32, %after31 ]
  %v10 = mul i64 %i9, 7
  %v11 = mul i64 %v10, 4
  %v12 = getelementptr i8, ptr %v3, i64 %v11
  %v13 = mul i64 %i9, 8
  %v14 = mul i64 %v13, 4
  %v15 = getelementptr i8, ptr %v7, i64 %v14
  br label %loop16
loop16:
  %i17 = phi i64 [ 0, %loop8 ], [ %v29, %loop16 ]
  %c18 = phi <8 x float> [ zeroinitializer, %loop8 ], [ %v28, %loop16 ]
  %v19 = mul i64 %i17, 4
  %v20 = getelementptr i8, ptr %v12, i64 %v19
  %v21 = mul i64 %i17, 8
  %v22 = mul i64 %v21, 4
  %v23 = getelementptr i8, ptr %v5, i64 %v22
  %v24 = load float, ptr %v20, align 4
  %v25 = insertelement <8 x float> poison, float %v24, i64 0
  %v26 = shufflevector <8 x float> %v25, <8 x float> poison, <8 x i32> zeroinitializer
  %v27 = load <8 x float>, ptr %v23, align 4
  %v28 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v26, <8 x float> %v27, <8 x float> %c18)
  %v29 = add i64 %i17, 1
  %v30 = icmp slt i64 %v29, 4
  br i1 %v30, label %loop16, label %after31
after31:
  store <8 x float> %v28, ptr %v15, align 4
  %v32 = add i64 %i9, 1
  %v33 = icmp slt i64 %v32, 2
  br i1 %v33, label %loop8, label %after34
after34:
  %v35 = getelementptr i8, ptr %v3, i64 16
  %v36 = getelementptr i8, ptr %v5, i64 128
  br label %loop37
loop37:
  %i38 = phi i64 [ 0, %after34 ], [ %v64, %after61 ]
  %v39 = mul i64 %i38, 7
  %v40 = mul i64 %v39, 4
  %v41 = getelementptr i8, ptr %v35, i64 %v40
  %v42 = mul i64 %i38, 8
  %v43 = mul i64 %v42, 4
  %v44 = getelementptr i8, ptr %v7, i64 %v43
  br label %loop45
loop45:
  %i46 = phi i64 [ 0, %loop37 ], [ %v59, %loop45 ]
  %c47 = phi <8 x float> [ zeroinitializer, %loop37 ], [ %v58, %loop45 ]
  %v48 = mul i64 %i46, 4
  %v49 = getelementptr i8, ptr %v41, i64 %v48
  %v50 = mul i64 %i46, 8
  %v51 = mul i64 %v50, 4
  %v52 = getelementptr i8, ptr %v36, i64 %v51
  %v53 = add i64 4, %i46
  %v54 = load float, ptr %v49, align 4
  %v55 = insertelement <8 x float> poison, float %v54, i64 0
  %v56 = shufflevector <8 x float> %v55, <8 x float> poison, <8 x i32> zeroinitializer
  %v57 = load <8 x float>, ptr %v52, align 4
  %v58 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v56, <8 x float> %v57, <8 x float> %c47)
  %v59 = add i64 %i46, 1
  %v60 = icmp slt i64 %v59, 3
  br i1 %v60, label %loop45, label %after61
after61:
  %v62 = load <8 x float>, ptr %v44, align 4
  %v63 = fadd <8 x float> %v62, %v58
  store <8 x float> %v63, ptr %v44, align 4
  %v64 = add i64 %i38, 1
  %v65 = icmp slt i64 %v64, 2
  br i1 %v65, label %loop37, label %after66
after66:
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
