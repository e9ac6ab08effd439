declare <8 x float> @llvm.fmuladd.v8f32(<8 x float>, <8 x float>, <8 x float>)

declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)

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
  %v8 = getelementptr i8, ptr %v3, i64 -36
  br label %loop9
loop9:
  %i10 = phi i64 [ 0, %start ], [ %v99, %after98 ]
  %p11 = phi ptr [ %v5, %start ], [ %v100, %after98 ]
  %p13 = phi ptr [ %v7, %start ], [ %v101, %after98 ]
  %q12 = call ptr asm "", "=r,0"(ptr %p11)
  %q14 = call ptr asm "", "=r,0"(ptr %p13)
  %v15 = getelementptr i8, ptr %workspace, i64 0
  br label %loop16
loop16:
  %i17 = phi i64 [ 0, %loop9 ], [ %v52, %join36 ]
  %p18 = phi ptr [ %v8, %loop9 ], [ %v53, %join36 ]
  %p20 = phi ptr [ %v15, %loop9 ], [ %v54, %join36 ]
  %q19 = call ptr asm "", "=r,0"(ptr %p18)
  %q21 = call ptr asm "", "=r,0"(ptr %p20)
  %v22 = add i64 -1, %i17
  %v23 = icmp ult i64 %v22, 4
  %v24 = xor i1 %v23, true
  br i1 %v24, label %yes25, label %join26
yes25:
  br label %loop27
loop27:
  %i28 = phi i64 [ 0, %yes25 ], [ %v31, %loop27 ]
  %p29 = phi ptr [ %q21, %yes25 ], [ %v32, %loop27 ]
  %q30 = call ptr asm "", "=r,0"(ptr %p29)
  store <8 x float> zeroinitializer, ptr %q30, align 4
  %v31 = add i64 %i28, 8
  %v32 = getelementptr i8, ptr %q30, i64 32
  %v33 = icmp slt i64 %v31, 16
  br i1 %v33, label %loop27, label %after34
after34:
  br label %join26
join26:
  br i1 %v23, label %yes35, label %join36
yes35:
  %v37 = getelementptr i8, ptr %q19, i64 32
  %v38 = getelementptr i8, ptr %q21, i64 32
  %v39 = insertelement <8 x i64> poison, i64 -1, i64 0
  %v40 = shufflevector <8 x i64> %v39, <8 x i64> poison, <8 x i32> zeroinitializer
  %v41 = add <8 x i64> %v40, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %v42 = icmp ult <8 x i64> %v41, <i64 8, i64 8, i64 8, i64 8, i64 8, i64 8, i64 8, i64 8>
  %v43 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q19, i32 4, <8 x i1> %v42, <8 x float> zeroinitializer)
  store <8 x float> %v43, ptr %q21, align 4
  %v44 = getelementptr i8, ptr %q19, i64 32
  %v45 = getelementptr i8, ptr %q21, i64 32
  %v46 = insertelement <8 x i64> poison, i64 7, i64 0
  %v47 = shufflevector <8 x i64> %v46, <8 x i64> poison, <8 x i32> zeroinitializer
  %v48 = add <8 x i64> %v47, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %v49 = icmp ult <8 x i64> %v48, <i64 8, i64 8, i64 8, i64 8, i64 8, i64 8, i64 8, i64 8>
  %v50 = and <8 x i1> %v49, <i1 1, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>
  %v51 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v44, i32 4, <8 x i1> %v50, <8 x float> zeroinitializer)
  store <8 x float> %v51, ptr %v45, align 4
  br label %join36
join36:
  %v52 = add i64 %i17, 1
  %v53 = getelementptr i8, ptr %q19, i64 32
  %v54 = getelementptr i8, ptr %q21, i64 64
  %v55 = icmp slt i64 %v52, 6
  br i1 %v55, label %loop16, label %after56
after56:
  br label %loop57
loop57:
  %i58 = phi i64 [ 0, %after56 ], [ %v94, %after93 ]
  %p59 = phi ptr [ %v15, %after56 ], [ %v95, %after93 ]
  %p61 = phi ptr [ %q14, %after56 ], [ %v96, %after93 ]
  %q60 = call ptr asm "", "=r,0"(ptr %p59)
  %q62 = call ptr asm "", "=r,0"(ptr %p61)
  br label %loop63
loop63:
  %i64 = phi i64 [ 0, %loop57 ], [ %v89, %loop63 ]
  %c65 = phi <8 x float> [ zeroinitializer, %loop57 ], [ %v88, %loop63 ]
  %p66 = phi ptr [ %q60, %loop57 ], [ %v90, %loop63 ]
  %p68 = phi ptr [ %q12, %loop57 ], [ %v91, %loop63 ]
  %q67 = call ptr asm "", "=r,0"(ptr %p66)
  %q69 = call ptr asm "", "=r,0"(ptr %p68)
  %v70 = load <8 x float>, ptr %q67, align 4
  %v71 = load float, ptr %q69, align 4
  %v72 = insertelement <8 x float> poison, float %v71, i64 0
  %v73 = shufflevector <8 x float> %v72, <8 x float> poison, <8 x i32> zeroinitializer
  %v74 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v70, <8 x float> %v73, <8 x float> %c65)
  call void asm sideeffect "", "~{memory}"()
  %v75 = getelementptr i8, ptr %q67, i64 4
  %v76 = load <8 x float>, ptr %v75, align 4
  %v77 = getelementptr i8, ptr %q69, i64 4
  %v78 = load float, ptr %v77, align 4
  %v79 = insertelement <8 x float> poison, float %v78, i64 0
  %v80 = shufflevector <8 x float> %v79, <8 x float> poison, <8 x i32> zeroinitializer
  %v81 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v76, <8 x float> %v80, <8 x float> %v74)
  call void asm sideeffect "", "~{memory}"()
  %v82 = getelementptr i8, ptr %q67, i64 8
  %v83 = load <8 x float>, ptr %v82, align 4
  %v84 = getelementptr i8, ptr %q69, i64 8
  %v85 = load float, ptr %v84, align 4
  %v86 = insertelement <8 x float> poison, float %v85, i64 0
  %v87 = shufflevector <8 x float> %v86, <8 x float> poison, <8 x i32> zeroinitializer
  %v88 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v83, <8 x float> %v87, <8 x float> %v81)
  %v89 = add i64 %i64, 1
  %v90 = getelementptr i8, ptr %q67, i64 64
  %v91 = getelementptr i8, ptr %q69, i64 12
  %v92 = icmp slt i64 %v89, 3
  br i1 %v92, label %loop63, label %after93
after93:
  store <8 x float> %v88, ptr %q62, align 4
  %v94 = add i64 %i58, 1
  %v95 = getelementptr i8, ptr %q60, i64 64
  %v96 = getelementptr i8, ptr %q62, i64 32
  %v97 = icmp slt i64 %v94, 4
  br i1 %v97, label %loop57, label %after98
after98:
  %v99 = add i64 %i10, 1
  %v100 = getelementptr i8, ptr %q12, i64 36
  %v101 = getelementptr i8, ptr %q14, i64 128
  %v102 = icmp slt i64 %v99, 2
  br i1 %v102, label %loop9, label %after103
after103:
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
