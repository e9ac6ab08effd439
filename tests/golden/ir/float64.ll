declare <4 x double> @llvm.fmuladd.v4f64(<4 x double>, <4 x double>, <4 x double>)

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
  %i9 = phi i64 [ 0, %start ], [ %v26, %loop8 ]
  %c10 = phi <4 x double> [ zeroinitializer, %start ], [ %v20, %loop8 ]
  %c11 = phi <4 x double> [ zeroinitializer, %start ], [ %v25, %loop8 ]
  %p12 = phi ptr [ %v3, %start ], [ %v27, %loop8 ]
  %p14 = phi ptr [ %v5, %start ], [ %v28, %loop8 ]
  %q13 = call ptr asm "", "=r,0"(ptr %p12)
  %q15 = call ptr asm "", "=r,0"(ptr %p14)
  %v16 = load double, ptr %q13, align 8
  %v17 = insertelement <4 x double> poison, double %v16, i64 0
  %v18 = shufflevector <4 x double> %v17, <4 x double> poison, <4 x i32> zeroinitializer
  %v19 = load <4 x double>, ptr %q15, align 8
  %v20 = call <4 x double> @llvm.fmuladd.v4f64(<4 x double> %v18, <4 x double> %v19, <4 x double> %c10)
  %v21 = getelementptr i8, ptr %q13, i64 24
  %v22 = load double, ptr %v21, align 8
  %v23 = insertelement <4 x double> poison, double %v22, i64 0
  %v24 = shufflevector <4 x double> %v23, <4 x double> poison, <4 x i32> zeroinitializer
  %v25 = call <4 x double> @llvm.fmuladd.v4f64(<4 x double> %v24, <4 x double> %v19, <4 x double> %c11)
  %v26 = add i64 %i9, 1
  %v27 = getelementptr i8, ptr %q13, i64 8
  %v28 = getelementptr i8, ptr %q15, i64 32
  %v29 = icmp slt i64 %v26, 3
  br i1 %v29, label %loop8, label %after30
after30:
  store <4 x double> %v20, ptr %v7, align 8
  %v31 = getelementptr i8, ptr %v7, i64 32
  store <4 x double> %v25, ptr %v31, align 8
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
