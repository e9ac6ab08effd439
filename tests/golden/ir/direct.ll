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
  %i9 = phi i64 [ 0, %start ], [ %v73, %after72 ]
  %p10 = phi ptr [ %v3, %start ], [ %v74, %after72 ]
  %p12 = phi ptr [ %v7, %start ], [ %v75, %after72 ]
  %q11 = call ptr asm "", "=r,0"(ptr %p10)
  %q13 = call ptr asm "", "=r,0"(ptr %p12)
  br label %loop14
loop14:
  %i15 = phi i64 [ 0, %loop8 ], [ %v68, %after54 ]
  %p16 = phi ptr [ %v5, %loop8 ], [ %v69, %after54 ]
  %p18 = phi ptr [ %q13, %loop8 ], [ %v70, %after54 ]
  %q17 = call ptr asm "", "=r,0"(ptr %p16)
  %q19 = call ptr asm "", "=r,0"(ptr %p18)
  br label %loop20
loop20:
  %i21 = phi i64 [ 0, %loop14 ], [ %v50, %loop20 ]
  %c22 = phi <8 x float> [ zeroinitializer, %loop14 ], [ %v44, %loop20 ]
  %c23 = phi <8 x float> [ zeroinitializer, %loop14 ], [ %v49, %loop20 ]
  %p24 = phi ptr [ %q11, %loop14 ], [ %v51, %loop20 ]
  %p26 = phi ptr [ %q17, %loop14 ], [ %v52, %loop20 ]
  %q25 = call ptr asm "", "=r,0"(ptr %p24)
  %q27 = call ptr asm "", "=r,0"(ptr %p26)
  %v28 = load float, ptr %q25, align 4
  %v29 = insertelement <8 x float> poison, float %v28, i64 0
  %v30 = shufflevector <8 x float> %v29, <8 x float> poison, <8 x i32> zeroinitializer
  %v31 = load <8 x float>, ptr %q27, align 4
  %v32 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v30, <8 x float> %v31, <8 x float> %c22)
  %v33 = getelementptr i8, ptr %q25, i64 20
  %v34 = load float, ptr %v33, align 4
  %v35 = insertelement <8 x float> poison, float %v34, i64 0
  %v36 = shufflevector <8 x float> %v35, <8 x float> poison, <8 x i32> zeroinitializer
  %v37 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v36, <8 x float> %v31, <8 x float> %c23)
  call void asm sideeffect "", "~{memory}"()
  %v38 = getelementptr i8, ptr %q25, i64 4
  %v39 = load float, ptr %v38, align 4
  %v40 = insertelement <8 x float> poison, float %v39, i64 0
  %v41 = shufflevector <8 x float> %v40, <8 x float> poison, <8 x i32> zeroinitializer
  %v42 = getelementptr i8, ptr %q27, i64 64
  %v43 = load <8 x float>, ptr %v42, align 4
  %v44 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v41, <8 x float> %v43, <8 x float> %v32)
  %v45 = getelementptr i8, ptr %q25, i64 24
  %v46 = load float, ptr %v45, align 4
  %v47 = insertelement <8 x float> poison, float %v46, i64 0
  %v48 = shufflevector <8 x float> %v47, <8 x float> poison, <8 x i32> zeroinitializer
  %v49 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v48, <8 x float> %v43, <8 x float> %v37)
  %v50 = add i64 %i21, 2
  %v51 = getelementptr i8, ptr %q25, i64 8
  %v52 = getelementptr i8, ptr %q27, i64 128
  %v53 = icmp slt i64 %v50, 4
  br i1 %v53, label %loop20, label %after54
after54:
  %v55 = getelementptr i8, ptr %q11, i64 16
  %v56 = load float, ptr %v55, align 4
  %v57 = insertelement <8 x float> poison, float %v56, i64 0
  %v58 = shufflevector <8 x float> %v57, <8 x float> poison, <8 x i32> zeroinitializer
  %v59 = getelementptr i8, ptr %q17, i64 256
  %v60 = load <8 x float>, ptr %v59, align 4
  %v61 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v58, <8 x float> %v60, <8 x float> %v44)
  %v62 = getelementptr i8, ptr %q11, i64 36
  %v63 = load float, ptr %v62, align 4
  %v64 = insertelement <8 x float> poison, float %v63, i64 0
  %v65 = shufflevector <8 x float> %v64, <8 x float> poison, <8 x i32> zeroinitializer
  %v66 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v65, <8 x float> %v60, <8 x float> %v49)
  store <8 x float> %v61, ptr %q19, align 4
  %v67 = getelementptr i8, ptr %q19, i64 64
  store <8 x float> %v66, ptr %v67, align 4
  %v68 = add i64 %i15, 8
  %v69 = getelementptr i8, ptr %q17, i64 32
  %v70 = getelementptr i8, ptr %q19, i64 32
  %v71 = icmp slt i64 %v68, 16
  br i1 %v71, label %loop14, label %after72
after72:
  %v73 = add i64 %i9, 2
  %v74 = getelementptr i8, ptr %q11, i64 40
  %v75 = getelementptr i8, ptr %q13, i64 128
  %v76 = icmp slt i64 %v73, 4
  br i1 %v76, label %loop8, label %after77
after77:
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
