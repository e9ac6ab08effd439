declare <4 x double> @llvm.fmuladd.v4f64(<4 x double>, <4 x double>, <4 x double>)

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
  %i9 = phi i64 [ 0, %start ], [ %v27, %loop8 ]
  %c10 = phi <4 x double> [ zeroinitializer, %start ], [ %v21, %loop8 ]
  %c11 = phi <4 x double> [ zeroinitializer, %start ], [ %v26, %loop8 ]
  %v12 = mul i64 %i9, 8
  %v13 = getelementptr i8, ptr %v3, i64 %v12
  %v14 = mul i64 %i9, 4
  %v15 = mul i64 %v14, 8
  %v16 = getelementptr i8, ptr %v5, i64 %v15
  %v17 = load double, ptr %v13, align 8
  %v18 = insertelement <4 x double> poison, double %v17, i64 0
  %v19 = shufflevector <4 x double> %v18, <4 x double> poison, <4 x i32> zeroinitializer
  %v20 = load <4 x double>, ptr %v16, align 8
  %v21 = call <4 x double> @llvm.fmuladd.v4f64(<4 x double> %v19, <4 x double> %v20, <4 x double> %c10)
  %v22 = getelementptr i8, ptr %v13, i64 24
  %v23 = load double, ptr %v22, align 8
  %v24 = insertelement <4 x double> poison, double %v23, i64 0
  %v25 = shufflevector <4 x double> %v24, <4 x double> poison, <4 x i32> zeroinitializer
  %v26 = call <4 x double> @llvm.fmuladd.v4f64(<4 x double> %v25, <4 x double> %v20, <4 x double> %c11)
  %v27 = add i64 %i9, 1
  %v28 = icmp slt i64 %v27, 3
  br i1 %v28, label %loop8, label %after29
after29:
  store <4 x double> %v21, ptr %v7, align 8
  %v30 = getelementptr i8, ptr %v7, i64 32
  store <4 x double> %v26, ptr %v30, align 8
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
