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
  %i9 = phi i64 [ %begin, %start ], [ %v74, %after73 ]
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
  %i21 = phi i64 [ 0, %loop8 ], [ %v52, %after50 ]
  %p22 = phi ptr [ %v15, %loop8 ], [ %v53, %after50 ]
  %p24 = phi ptr [ %v5, %loop8 ], [ %v54, %after50 ]
  %p26 = phi ptr [ %v19, %loop8 ], [ %v55, %after50 ]
  %q23 = call ptr asm "", "=r,0"(ptr %p22)
  %q25 = call ptr asm "", "=r,0"(ptr %p24)
  %q27 = call ptr asm "", "=r,0"(ptr %p26)
  br label %loop28
loop28:
  %i29 = phi i64 [ 0, %loop20 ], [ %v46, %loop28 ]
  %c30 = phi <8 x float> [ zeroinitializer, %loop20 ], [ %v40, %loop28 ]
  %c31 = phi <8 x float> [ zeroinitializer, %loop20 ], [ %v45, %loop28 ]
  %p32 = phi ptr [ %q23, %loop20 ], [ %v47, %loop28 ]
  %p34 = phi ptr [ %q25, %loop20 ], [ %v48, %loop28 ]
  %q33 = call ptr asm "", "=r,0"(ptr %p32)
  %q35 = call ptr asm "", "=r,0"(ptr %p34)
  %v36 = load float, ptr %q33, align 4
  %v37 = insertelement <8 x float> poison, float %v36, i64 0
  %v38 = shufflevector <8 x float> %v37, <8 x float> poison, <8 x i32> zeroinitializer
  %v39 = load <8 x float>, ptr %q35, align 4
  %v40 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v38, <8 x float> %v39, <8 x float> %c30)
  %v41 = getelementptr i8, ptr %q33, i64 16
  %v42 = load float, ptr %v41, align 4
  %v43 = insertelement <8 x float> poison, float %v42, i64 0
  %v44 = shufflevector <8 x float> %v43, <8 x float> poison, <8 x i32> zeroinitializer
  %v45 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v44, <8 x float> %v39, <8 x float> %c31)
  %v46 = add i64 %i29, 1
  %v47 = getelementptr i8, ptr %q33, i64 4
  %v48 = getelementptr i8, ptr %q35, i64 32
  %v49 = icmp slt i64 %v46, 2
  br i1 %v49, label %loop28, label %after50
after50:
  store <8 x float> %v40, ptr %q27, align 4
  %v51 = getelementptr i8, ptr %q27, i64 32
  store <8 x float> %v45, ptr %v51, align 4
  %v52 = add i64 %i21, 1
  %v53 = getelementptr i8, ptr %q23, i64 8
  %v54 = getelementptr i8, ptr %q25, i64 64
  %v55 = getelementptr i8, ptr %q27, i64 64
  %v56 = icmp slt i64 %v52, 2
  br i1 %v56, label %loop20, label %after57
after57:
  br label %loop58
loop58:
  %i59 = phi i64 [ 0, %after57 ], [ %v69, %loop58 ]
  %p60 = phi ptr [ %v18, %after57 ], [ %v70, %loop58 ]
  %p62 = phi ptr [ %v19, %after57 ], [ %v71, %loop58 ]
  %q61 = call ptr asm "", "=r,0"(ptr %p60)
  %q63 = call ptr asm "", "=r,0"(ptr %p62)
  %v64 = add i64 %v12, %i59
  %v65 = load <8 x float>, ptr %q63, align 4
  %v66 = getelementptr i8, ptr %q63, i64 64
  %v67 = load <8 x float>, ptr %v66, align 4
  %v68 = fadd <8 x float> %v65, %v67
  store <8 x float> %v68, ptr %q61, align 4
  %v69 = add i64 %i59, 1
  %v70 = getelementptr i8, ptr %q61, i64 32
  %v71 = getelementptr i8, ptr %q63, i64 32
  %v72 = icmp slt i64 %v69, 2
  br i1 %v72, label %loop58, label %after73
after73:
  %v74 = add i64 %i9, 1
  %v75 = icmp slt i64 %v74, %end
  br i1 %v75, label %loop8, label %after76
after76:
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
