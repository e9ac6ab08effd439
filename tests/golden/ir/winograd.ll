declare <8 x float> @llvm.fmuladd.v8f32(<8 x float>, <8 x float>, <8 x float>)

declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)

declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

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
  %v8 = getelementptr i8, ptr %v3, i64 -28
  br label %loop9
loop9:
  %i10 = phi i64 [ 0, %start ], [ %v376, %after375 ]
  %p11 = phi ptr [ %v8, %start ], [ %v377, %after375 ]
  %p13 = phi ptr [ %v7, %start ], [ %v378, %after375 ]
  %q12 = call ptr asm "", "=r,0"(ptr %p11)
  %q14 = call ptr asm "", "=r,0"(ptr %p13)
  %v15 = getelementptr i8, ptr %workspace, i64 1536
  %v16 = getelementptr i8, ptr %workspace, i64 3072
  %v17 = getelementptr i8, ptr %workspace, i64 4608
  %v18 = getelementptr i8, ptr %workspace, i64 6144
  %v19 = getelementptr i8, ptr %workspace, i64 0
  %v20 = mul i64 %i10, 2
  %v21 = add i64 -1, %v20
  br label %loop22
loop22:
  %i23 = phi i64 [ 0, %loop9 ], [ %v104, %after103 ]
  %p24 = phi ptr [ %q12, %loop9 ], [ %v105, %after103 ]
  %p26 = phi ptr [ %v19, %loop9 ], [ %v106, %after103 ]
  %q25 = call ptr asm "", "=r,0"(ptr %p24)
  %q27 = call ptr asm "", "=r,0"(ptr %p26)
  br label %loop28
loop28:
  %i29 = phi i64 [ 0, %loop22 ], [ %v99, %join48 ]
  %p30 = phi ptr [ %q25, %loop22 ], [ %v100, %join48 ]
  %p32 = phi ptr [ %q27, %loop22 ], [ %v101, %join48 ]
  %q31 = call ptr asm "", "=r,0"(ptr %p30)
  %q33 = call ptr asm "", "=r,0"(ptr %p32)
  %v34 = add i64 %v21, %i29
  %v35 = icmp ult i64 %v34, 6
  %v36 = xor i1 %v35, true
  br i1 %v36, label %yes37, label %join38
yes37:
  br label %loop39
loop39:
  %i40 = phi i64 [ 0, %yes37 ], [ %v43, %loop39 ]
  %p41 = phi ptr [ %q33, %yes37 ], [ %v44, %loop39 ]
  %q42 = call ptr asm "", "=r,0"(ptr %p41)
  store <8 x float> zeroinitializer, ptr %q42, align 4
  %v43 = add i64 %i40, 1
  %v44 = getelementptr i8, ptr %q42, i64 32
  %v45 = icmp slt i64 %v43, 8
  br i1 %v45, label %loop39, label %after46
after46:
  br label %join38
join38:
  br i1 %v35, label %yes47, label %join48
yes47:
  %v49 = insertelement <8 x i64> poison, i64 -1, i64 0
  %v50 = shufflevector <8 x i64> %v49, <8 x i64> poison, <8 x i32> zeroinitializer
  %v51 = add <8 x i64> %v50, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %v52 = icmp ult <8 x i64> %v51, <i64 6, i64 6, i64 6, i64 6, i64 6, i64 6, i64 6, i64 6>
  %v53 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %q31, i32 4, <8 x i1> %v52, <8 x float> zeroinitializer)
  %v54 = getelementptr i8, ptr %q31, i64 144
  %v55 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v54, i32 4, <8 x i1> %v52, <8 x float> zeroinitializer)
  %v56 = getelementptr i8, ptr %q31, i64 288
  %v57 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v56, i32 4, <8 x i1> %v52, <8 x float> zeroinitializer)
  %v58 = getelementptr i8, ptr %q31, i64 432
  %v59 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v58, i32 4, <8 x i1> %v52, <8 x float> zeroinitializer)
  %v60 = getelementptr i8, ptr %q31, i64 576
  %v61 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v60, i32 4, <8 x i1> %v52, <8 x float> zeroinitializer)
  %v62 = getelementptr i8, ptr %q31, i64 720
  %v63 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v62, i32 4, <8 x i1> %v52, <8 x float> zeroinitializer)
  %v64 = getelementptr i8, ptr %q31, i64 864
  %v65 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v64, i32 4, <8 x i1> %v52, <8 x float> zeroinitializer)
  %v66 = getelementptr i8, ptr %q31, i64 1008
  %v67 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v66, i32 4, <8 x i1> %v52, <8 x float> zeroinitializer)
  %v68 = shufflevector <8 x float> %v53, <8 x float> %v61, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v69 = shufflevector <8 x float> %v53, <8 x float> %v61, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v70 = shufflevector <8 x float> %v55, <8 x float> %v63, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v71 = shufflevector <8 x float> %v55, <8 x float> %v63, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v72 = shufflevector <8 x float> %v57, <8 x float> %v65, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v73 = shufflevector <8 x float> %v57, <8 x float> %v65, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v74 = shufflevector <8 x float> %v59, <8 x float> %v67, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v75 = shufflevector <8 x float> %v59, <8 x float> %v67, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v76 = shufflevector <8 x float> %v68, <8 x float> %v72, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v77 = shufflevector <8 x float> %v68, <8 x float> %v72, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v78 = shufflevector <8 x float> %v70, <8 x float> %v74, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v79 = shufflevector <8 x float> %v70, <8 x float> %v74, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v80 = shufflevector <8 x float> %v69, <8 x float> %v73, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v81 = shufflevector <8 x float> %v69, <8 x float> %v73, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v82 = shufflevector <8 x float> %v71, <8 x float> %v75, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v83 = shufflevector <8 x float> %v71, <8 x float> %v75, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v84 = shufflevector <8 x float> %v76, <8 x float> %v78, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v85 = shufflevector <8 x float> %v76, <8 x float> %v78, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v86 = shufflevector <8 x float> %v77, <8 x float> %v79, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v87 = shufflevector <8 x float> %v77, <8 x float> %v79, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v88 = shufflevector <8 x float> %v80, <8 x float> %v82, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v89 = shufflevector <8 x float> %v80, <8 x float> %v82, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v90 = shufflevector <8 x float> %v81, <8 x float> %v83, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v91 = shufflevector <8 x float> %v81, <8 x float> %v83, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  store <8 x float> %v84, ptr %q33, align 4
  %v92 = getelementptr i8, ptr %q33, i64 32
  store <8 x float> %v85, ptr %v92, align 4
  %v93 = getelementptr i8, ptr %q33, i64 64
  store <8 x float> %v86, ptr %v93, align 4
  %v94 = getelementptr i8, ptr %q33, i64 96
  store <8 x float> %v87, ptr %v94, align 4
  %v95 = getelementptr i8, ptr %q33, i64 128
  store <8 x float> %v88, ptr %v95, align 4
  %v96 = getelementptr i8, ptr %q33, i64 160
  store <8 x float> %v89, ptr %v96, align 4
  %v97 = getelementptr i8, ptr %q33, i64 192
  store <8 x float> %v90, ptr %v97, align 4
  %v98 = getelementptr i8, ptr %q33, i64 224
  store <8 x float> %v91, ptr %v98, align 4
  br label %join48
join48:
  %v99 = add i64 %i29, 1
  %v100 = getelementptr i8, ptr %q31, i64 24
  %v101 = getelementptr i8, ptr %q33, i64 256
  %v102 = icmp slt i64 %v99, 4
  br i1 %v102, label %loop28, label %after103
after103:
  %v104 = add i64 %i23, 8
  %v105 = getelementptr i8, ptr %q25, i64 1152
  %v106 = getelementptr i8, ptr %q27, i64 1024
  %v107 = icmp slt i64 %v104, 8
  br i1 %v107, label %loop22, label %after108
after108:
  br label %loop109
loop109:
  %i110 = phi i64 [ 0, %after108 ], [ %v143, %after142 ]
  %p111 = phi ptr [ %v19, %after108 ], [ %v144, %after142 ]
  %p113 = phi ptr [ %v15, %after108 ], [ %v145, %after142 ]
  %q112 = call ptr asm "", "=r,0"(ptr %p111)
  %q114 = call ptr asm "", "=r,0"(ptr %p113)
  br label %loop115
loop115:
  %i116 = phi i64 [ 0, %loop109 ], [ %v138, %loop115 ]
  %p117 = phi ptr [ %q112, %loop109 ], [ %v139, %loop115 ]
  %p119 = phi ptr [ %q114, %loop109 ], [ %v140, %loop115 ]
  %q118 = call ptr asm "", "=r,0"(ptr %p117)
  %q120 = call ptr asm "", "=r,0"(ptr %p119)
  %v121 = load <8 x float>, ptr %q118, align 4
  %v122 = fmul <8 x float> %v121, splat (float 0xBFF0000000000000)
  %v123 = getelementptr i8, ptr %q118, i64 256
  %v124 = load <8 x float>, ptr %v123, align 4
  %v125 = fmul <8 x float> %v124, splat (float 0xBFF0000000000000)
  %v126 = fmul <8 x float> %v124, splat (float 0xBFF0000000000000)
  %v127 = getelementptr i8, ptr %q118, i64 512
  %v128 = load <8 x float>, ptr %v127, align 4
  %v129 = fadd <8 x float> %v122, %v128
  %v130 = fadd <8 x float> %v124, %v128
  %v131 = fadd <8 x float> %v125, %v128
  %v132 = getelementptr i8, ptr %q118, i64 768
  %v133 = load <8 x float>, ptr %v132, align 4
  %v134 = fadd <8 x float> %v126, %v133
  store <8 x float> %v129, ptr %q120, align 4
  %v135 = getelementptr i8, ptr %q120, i64 384
  store <8 x float> %v130, ptr %v135, align 4
  %v136 = getelementptr i8, ptr %q120, i64 768
  store <8 x float> %v131, ptr %v136, align 4
  %v137 = getelementptr i8, ptr %q120, i64 1152
  store <8 x float> %v134, ptr %v137, align 4
  %v138 = add i64 %i116, 1
  %v139 = getelementptr i8, ptr %q118, i64 32
  %v140 = getelementptr i8, ptr %q120, i64 96
  %v141 = icmp slt i64 %v138, 4
  br i1 %v141, label %loop115, label %after142
after142:
  %v143 = add i64 %i110, 1
  %v144 = getelementptr i8, ptr %q112, i64 64
  %v145 = getelementptr i8, ptr %q114, i64 32
  %v146 = icmp slt i64 %v143, 3
  br i1 %v146, label %loop109, label %after147
after147:
  br label %loop148
loop148:
  %i149 = phi i64 [ 0, %after147 ], [ %v182, %after181 ]
  %p150 = phi ptr [ %v15, %after147 ], [ %v183, %after181 ]
  %p152 = phi ptr [ %v16, %after147 ], [ %v184, %after181 ]
  %q151 = call ptr asm "", "=r,0"(ptr %p150)
  %q153 = call ptr asm "", "=r,0"(ptr %p152)
  br label %loop154
loop154:
  %i155 = phi i64 [ 0, %loop148 ], [ %v177, %loop154 ]
  %p156 = phi ptr [ %q151, %loop148 ], [ %v178, %loop154 ]
  %p158 = phi ptr [ %q153, %loop148 ], [ %v179, %loop154 ]
  %q157 = call ptr asm "", "=r,0"(ptr %p156)
  %q159 = call ptr asm "", "=r,0"(ptr %p158)
  %v160 = load <8 x float>, ptr %q157, align 4
  %v161 = fmul <8 x float> %v160, splat (float 0xBFF0000000000000)
  %v162 = getelementptr i8, ptr %q157, i64 96
  %v163 = load <8 x float>, ptr %v162, align 4
  %v164 = fmul <8 x float> %v163, splat (float 0xBFF0000000000000)
  %v165 = fmul <8 x float> %v163, splat (float 0xBFF0000000000000)
  %v166 = getelementptr i8, ptr %q157, i64 192
  %v167 = load <8 x float>, ptr %v166, align 4
  %v168 = fadd <8 x float> %v161, %v167
  %v169 = fadd <8 x float> %v163, %v167
  %v170 = fadd <8 x float> %v164, %v167
  %v171 = getelementptr i8, ptr %q157, i64 288
  %v172 = load <8 x float>, ptr %v171, align 4
  %v173 = fadd <8 x float> %v165, %v172
  store <8 x float> %v168, ptr %q159, align 4
  %v174 = getelementptr i8, ptr %q159, i64 96
  store <8 x float> %v169, ptr %v174, align 4
  %v175 = getelementptr i8, ptr %q159, i64 192
  store <8 x float> %v170, ptr %v175, align 4
  %v176 = getelementptr i8, ptr %q159, i64 288
  store <8 x float> %v173, ptr %v176, align 4
  %v177 = add i64 %i155, 1
  %v178 = getelementptr i8, ptr %q157, i64 384
  %v179 = getelementptr i8, ptr %q159, i64 384
  %v180 = icmp slt i64 %v177, 4
  br i1 %v180, label %loop154, label %after181
after181:
  %v182 = add i64 %i149, 1
  %v183 = getelementptr i8, ptr %q151, i64 32
  %v184 = getelementptr i8, ptr %q153, i64 32
  %v185 = icmp slt i64 %v182, 3
  br i1 %v185, label %loop148, label %after186
after186:
  br label %loop187
loop187:
  %i188 = phi i64 [ 0, %after186 ], [ %v240, %after239 ]
  %p189 = phi ptr [ %v5, %after186 ], [ %v241, %after239 ]
  %p191 = phi ptr [ %v16, %after186 ], [ %v242, %after239 ]
  %p193 = phi ptr [ %v17, %after186 ], [ %v243, %after239 ]
  %q190 = call ptr asm "", "=r,0"(ptr %p189)
  %q192 = call ptr asm "", "=r,0"(ptr %p191)
  %q194 = call ptr asm "", "=r,0"(ptr %p193)
  br label %loop195
loop195:
  %i196 = phi i64 [ 0, %loop187 ], [ %v234, %after231 ]
  %p197 = phi ptr [ %q190, %loop187 ], [ %v235, %after231 ]
  %p199 = phi ptr [ %q192, %loop187 ], [ %v236, %after231 ]
  %p201 = phi ptr [ %q194, %loop187 ], [ %v237, %after231 ]
  %q198 = call ptr asm "", "=r,0"(ptr %p197)
  %q200 = call ptr asm "", "=r,0"(ptr %p199)
  %q202 = call ptr asm "", "=r,0"(ptr %p201)
  br label %loop203
loop203:
  %i204 = phi i64 [ 0, %loop195 ], [ %v227, %loop203 ]
  %c205 = phi <8 x float> [ zeroinitializer, %loop195 ], [ %v216, %loop203 ]
  %c206 = phi <8 x float> [ zeroinitializer, %loop195 ], [ %v221, %loop203 ]
  %c207 = phi <8 x float> [ zeroinitializer, %loop195 ], [ %v226, %loop203 ]
  %p208 = phi ptr [ %q198, %loop195 ], [ %v228, %loop203 ]
  %p210 = phi ptr [ %q200, %loop195 ], [ %v229, %loop203 ]
  %q209 = call ptr asm "", "=r,0"(ptr %p208)
  %q211 = call ptr asm "", "=r,0"(ptr %p210)
  %v212 = load float, ptr %q211, align 4
  %v213 = insertelement <8 x float> poison, float %v212, i64 0
  %v214 = shufflevector <8 x float> %v213, <8 x float> poison, <8 x i32> zeroinitializer
  %v215 = load <8 x float>, ptr %q209, align 4
  %v216 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v214, <8 x float> %v215, <8 x float> %c205)
  %v217 = getelementptr i8, ptr %q211, i64 32
  %v218 = load float, ptr %v217, align 4
  %v219 = insertelement <8 x float> poison, float %v218, i64 0
  %v220 = shufflevector <8 x float> %v219, <8 x float> poison, <8 x i32> zeroinitializer
  %v221 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v220, <8 x float> %v215, <8 x float> %c206)
  %v222 = getelementptr i8, ptr %q211, i64 64
  %v223 = load float, ptr %v222, align 4
  %v224 = insertelement <8 x float> poison, float %v223, i64 0
  %v225 = shufflevector <8 x float> %v224, <8 x float> poison, <8 x i32> zeroinitializer
  %v226 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v225, <8 x float> %v215, <8 x float> %c207)
  %v227 = add i64 %i204, 1
  %v228 = getelementptr i8, ptr %q209, i64 32
  %v229 = getelementptr i8, ptr %q211, i64 4
  %v230 = icmp slt i64 %v227, 8
  br i1 %v230, label %loop203, label %after231
after231:
  store <8 x float> %v216, ptr %q202, align 4
  %v232 = getelementptr i8, ptr %q202, i64 32
  store <8 x float> %v221, ptr %v232, align 4
  %v233 = getelementptr i8, ptr %q202, i64 64
  store <8 x float> %v226, ptr %v233, align 4
  %v234 = add i64 %i196, 1
  %v235 = getelementptr i8, ptr %q198, i64 256
  %v236 = getelementptr i8, ptr %q200, i64 96
  %v237 = getelementptr i8, ptr %q202, i64 96
  %v238 = icmp slt i64 %v234, 4
  br i1 %v238, label %loop195, label %after239
after239:
  %v240 = add i64 %i188, 1
  %v241 = getelementptr i8, ptr %q190, i64 1024
  %v242 = getelementptr i8, ptr %q192, i64 384
  %v243 = getelementptr i8, ptr %q194, i64 384
  %v244 = icmp slt i64 %v240, 4
  br i1 %v244, label %loop187, label %after245
after245:
  br label %loop246
loop246:
  %i247 = phi i64 [ 0, %after245 ], [ %v275, %after274 ]
  %p248 = phi ptr [ %v17, %after245 ], [ %v276, %after274 ]
  %p250 = phi ptr [ %v18, %after245 ], [ %v277, %after274 ]
  %q249 = call ptr asm "", "=r,0"(ptr %p248)
  %q251 = call ptr asm "", "=r,0"(ptr %p250)
  br label %loop252
loop252:
  %i253 = phi i64 [ 0, %loop246 ], [ %v270, %loop252 ]
  %p254 = phi ptr [ %q249, %loop246 ], [ %v271, %loop252 ]
  %p256 = phi ptr [ %q251, %loop246 ], [ %v272, %loop252 ]
  %q255 = call ptr asm "", "=r,0"(ptr %p254)
  %q257 = call ptr asm "", "=r,0"(ptr %p256)
  %v258 = load <8 x float>, ptr %q255, align 4
  %v259 = getelementptr i8, ptr %q255, i64 384
  %v260 = load <8 x float>, ptr %v259, align 4
  %v261 = fadd <8 x float> %v258, %v260
  %v262 = getelementptr i8, ptr %q255, i64 768
  %v263 = load <8 x float>, ptr %v262, align 4
  %v264 = fadd <8 x float> %v261, %v263
  %v265 = fsub <8 x float> %v260, %v263
  %v266 = getelementptr i8, ptr %q255, i64 1152
  %v267 = load <8 x float>, ptr %v266, align 4
  %v268 = fadd <8 x float> %v265, %v267
  store <8 x float> %v264, ptr %q257, align 4
  %v269 = getelementptr i8, ptr %q257, i64 384
  store <8 x float> %v268, ptr %v269, align 4
  %v270 = add i64 %i253, 1
  %v271 = getelementptr i8, ptr %q255, i64 32
  %v272 = getelementptr i8, ptr %q257, i64 32
  %v273 = icmp slt i64 %v270, 3
  br i1 %v273, label %loop252, label %after274
after274:
  %v275 = add i64 %i247, 1
  %v276 = getelementptr i8, ptr %q249, i64 96
  %v277 = getelementptr i8, ptr %q251, i64 96
  %v278 = icmp slt i64 %v275, 4
  br i1 %v278, label %loop246, label %after279
after279:
  %v280 = getelementptr i8, ptr %workspace, i64 1088
  br label %loop281
loop281:
  %i282 = phi i64 [ 0, %after279 ], [ %v315, %after314 ]
  %p283 = phi ptr [ %q14, %after279 ], [ %v316, %after314 ]
  %p285 = phi ptr [ %v18, %after279 ], [ %v317, %after314 ]
  %p287 = phi ptr [ %v280, %after279 ], [ %v318, %after314 ]
  %q284 = call ptr asm "", "=r,0"(ptr %p283)
  %q286 = call ptr asm "", "=r,0"(ptr %p285)
  %q288 = call ptr asm "", "=r,0"(ptr %p287)
  br label %loop289
loop289:
  %i290 = phi i64 [ 0, %loop281 ], [ %v309, %loop289 ]
  %p291 = phi ptr [ %q284, %loop281 ], [ %v310, %loop289 ]
  %p293 = phi ptr [ %q286, %loop281 ], [ %v311, %loop289 ]
  %p295 = phi ptr [ %q288, %loop281 ], [ %v312, %loop289 ]
  %q292 = call ptr asm "", "=r,0"(ptr %p291)
  %q294 = call ptr asm "", "=r,0"(ptr %p293)
  %q296 = call ptr asm "", "=r,0"(ptr %p295)
  %v297 = load <8 x float>, ptr %q294, align 4
  %v298 = getelementptr i8, ptr %q294, i64 96
  %v299 = load <8 x float>, ptr %v298, align 4
  %v300 = fadd <8 x float> %v297, %v299
  %v301 = getelementptr i8, ptr %q294, i64 192
  %v302 = load <8 x float>, ptr %v301, align 4
  %v303 = fadd <8 x float> %v300, %v302
  %v304 = fsub <8 x float> %v299, %v302
  %v305 = getelementptr i8, ptr %q294, i64 288
  %v306 = load <8 x float>, ptr %v305, align 4
  %v307 = fadd <8 x float> %v304, %v306
  store <8 x float> %v303, ptr %q296, align 4
  %v308 = getelementptr i8, ptr %q296, i64 32
  store <8 x float> %v307, ptr %v308, align 4
  %v309 = add i64 %i290, 1
  %v310 = getelementptr i8, ptr %q292, i64 8
  %v311 = getelementptr i8, ptr %q294, i64 32
  %v312 = getelementptr i8, ptr %q296, i64 64
  %v313 = icmp slt i64 %v309, 3
  br i1 %v313, label %loop289, label %after314
after314:
  %v315 = add i64 %i282, 1
  %v316 = getelementptr i8, ptr %q284, i64 24
  %v317 = getelementptr i8, ptr %q286, i64 384
  %v318 = getelementptr i8, ptr %q288, i64 192
  %v319 = icmp slt i64 %v315, 2
  br i1 %v319, label %loop281, label %after320
after320:
  %v321 = mul i64 %i10, 2
  br label %loop322
loop322:
  %i323 = phi i64 [ 0, %after320 ], [ %v371, %loop322 ]
  %p324 = phi ptr [ %q14, %after320 ], [ %v372, %loop322 ]
  %p326 = phi ptr [ %v280, %after320 ], [ %v373, %loop322 ]
  %q325 = call ptr asm "", "=r,0"(ptr %p324)
  %q327 = call ptr asm "", "=r,0"(ptr %p326)
  %v328 = add i64 %v321, %i323
  %v329 = load <8 x float>, ptr %q327, align 4
  %v330 = getelementptr i8, ptr %q327, i64 32
  %v331 = load <8 x float>, ptr %v330, align 4
  %v332 = getelementptr i8, ptr %q327, i64 64
  %v333 = load <8 x float>, ptr %v332, align 4
  %v334 = getelementptr i8, ptr %q327, i64 96
  %v335 = load <8 x float>, ptr %v334, align 4
  %v336 = getelementptr i8, ptr %q327, i64 128
  %v337 = load <8 x float>, ptr %v336, align 4
  %v338 = getelementptr i8, ptr %q327, i64 160
  %v339 = load <8 x float>, ptr %v338, align 4
  %v340 = shufflevector <8 x float> %v329, <8 x float> %v337, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v341 = shufflevector <8 x float> %v329, <8 x float> %v337, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v342 = shufflevector <8 x float> %v331, <8 x float> %v339, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v343 = shufflevector <8 x float> %v331, <8 x float> %v339, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v344 = shufflevector <8 x float> %v333, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v345 = shufflevector <8 x float> %v333, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v346 = shufflevector <8 x float> %v335, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v347 = shufflevector <8 x float> %v335, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v348 = shufflevector <8 x float> %v340, <8 x float> %v344, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v349 = shufflevector <8 x float> %v340, <8 x float> %v344, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v350 = shufflevector <8 x float> %v342, <8 x float> %v346, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v351 = shufflevector <8 x float> %v342, <8 x float> %v346, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v352 = shufflevector <8 x float> %v341, <8 x float> %v345, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v353 = shufflevector <8 x float> %v341, <8 x float> %v345, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v354 = shufflevector <8 x float> %v343, <8 x float> %v347, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v355 = shufflevector <8 x float> %v343, <8 x float> %v347, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v356 = shufflevector <8 x float> %v348, <8 x float> %v350, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v357 = shufflevector <8 x float> %v348, <8 x float> %v350, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v358 = shufflevector <8 x float> %v349, <8 x float> %v351, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v359 = shufflevector <8 x float> %v349, <8 x float> %v351, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v360 = shufflevector <8 x float> %v352, <8 x float> %v354, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v361 = shufflevector <8 x float> %v352, <8 x float> %v354, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v362 = shufflevector <8 x float> %v353, <8 x float> %v355, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v363 = shufflevector <8 x float> %v353, <8 x float> %v355, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v356, ptr %q325, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0>)
  %v364 = getelementptr i8, ptr %q325, i64 144
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v357, ptr %v364, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0>)
  %v365 = getelementptr i8, ptr %q325, i64 288
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v358, ptr %v365, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0>)
  %v366 = getelementptr i8, ptr %q325, i64 432
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v359, ptr %v366, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0>)
  %v367 = getelementptr i8, ptr %q325, i64 576
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v360, ptr %v367, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0>)
  %v368 = getelementptr i8, ptr %q325, i64 720
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v361, ptr %v368, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0>)
  %v369 = getelementptr i8, ptr %q325, i64 864
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v362, ptr %v369, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0>)
  %v370 = getelementptr i8, ptr %q325, i64 1008
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v363, ptr %v370, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0>)
  %v371 = add i64 %i323, 1
  %v372 = getelementptr i8, ptr %q325, i64 24
  %v373 = getelementptr i8, ptr %q327, i64 192
  %v374 = icmp slt i64 %v371, 2
  br i1 %v374, label %loop322, label %after375
after375:
  %v376 = add i64 %i10, 1
  %v377 = getelementptr i8, ptr %q12, i64 48
  %v378 = getelementptr i8, ptr %q14, i64 48
  %v379 = icmp slt i64 %v376, 3
  br i1 %v379, label %loop9, label %after380
after380:
  ret void
}

define void @pack_weight(ptr %source, ptr %target, ptr %workspace) {
entry:
  %v1 = getelementptr i8, ptr %workspace, i64 0
  br label %loop2
loop2:
  %i3 = phi i64 [ 0, %entry ], [ %v66, %after65 ]
  %p4 = phi ptr [ %source, %entry ], [ %v67, %after65 ]
  %p6 = phi ptr [ %v1, %entry ], [ %v68, %after65 ]
  %q5 = call ptr asm "", "=r,0"(ptr %p4)
  %q7 = call ptr asm "", "=r,0"(ptr %p6)
  br label %loop8
loop8:
  %i9 = phi i64 [ 0, %loop2 ], [ %v63, %loop8 ]
  %v10 = icmp sgt i64 %i9, 1
  %v11 = select i1 %v10, i64 1, i64 %i9
  %v12 = mul i64 %v11, 4
  %v13 = getelementptr i8, ptr %q5, i64 %v12
  %v14 = mul i64 %v11, 8
  %v15 = mul i64 %v14, 4
  %v16 = getelementptr i8, ptr %q7, i64 %v15
  %v17 = load <8 x float>, ptr %v13, align 4
  %v18 = getelementptr i8, ptr %v13, i64 288
  %v19 = load <8 x float>, ptr %v18, align 4
  %v20 = getelementptr i8, ptr %v13, i64 576
  %v21 = load <8 x float>, ptr %v20, align 4
  %v22 = getelementptr i8, ptr %v13, i64 864
  %v23 = load <8 x float>, ptr %v22, align 4
  %v24 = getelementptr i8, ptr %v13, i64 1152
  %v25 = load <8 x float>, ptr %v24, align 4
  %v26 = getelementptr i8, ptr %v13, i64 1440
  %v27 = load <8 x float>, ptr %v26, align 4
  %v28 = getelementptr i8, ptr %v13, i64 1728
  %v29 = load <8 x float>, ptr %v28, align 4
  %v30 = getelementptr i8, ptr %v13, i64 2016
  %v31 = load <8 x float>, ptr %v30, align 4
  %v32 = shufflevector <8 x float> %v17, <8 x float> %v25, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v33 = shufflevector <8 x float> %v17, <8 x float> %v25, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v34 = shufflevector <8 x float> %v19, <8 x float> %v27, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v35 = shufflevector <8 x float> %v19, <8 x float> %v27, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v36 = shufflevector <8 x float> %v21, <8 x float> %v29, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v37 = shufflevector <8 x float> %v21, <8 x float> %v29, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v38 = shufflevector <8 x float> %v23, <8 x float> %v31, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v39 = shufflevector <8 x float> %v23, <8 x float> %v31, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v40 = shufflevector <8 x float> %v32, <8 x float> %v36, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v41 = shufflevector <8 x float> %v32, <8 x float> %v36, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v42 = shufflevector <8 x float> %v34, <8 x float> %v38, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v43 = shufflevector <8 x float> %v34, <8 x float> %v38, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v44 = shufflevector <8 x float> %v33, <8 x float> %v37, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v45 = shufflevector <8 x float> %v33, <8 x float> %v37, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v46 = shufflevector <8 x float> %v35, <8 x float> %v39, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v47 = shufflevector <8 x float> %v35, <8 x float> %v39, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v48 = shufflevector <8 x float> %v40, <8 x float> %v42, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v49 = shufflevector <8 x float> %v40, <8 x float> %v42, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v50 = shufflevector <8 x float> %v41, <8 x float> %v43, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v51 = shufflevector <8 x float> %v41, <8 x float> %v43, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v52 = shufflevector <8 x float> %v44, <8 x float> %v46, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v53 = shufflevector <8 x float> %v44, <8 x float> %v46, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v54 = shufflevector <8 x float> %v45, <8 x float> %v47, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v55 = shufflevector <8 x float> %v45, <8 x float> %v47, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  store <8 x float> %v48, ptr %v16, align 4
  %v56 = getelementptr i8, ptr %v16, i64 32
  store <8 x float> %v49, ptr %v56, align 4
  %v57 = getelementptr i8, ptr %v16, i64 64
  store <8 x float> %v50, ptr %v57, align 4
  %v58 = getelementptr i8, ptr %v16, i64 96
  store <8 x float> %v51, ptr %v58, align 4
  %v59 = getelementptr i8, ptr %v16, i64 128
  store <8 x float> %v52, ptr %v59, align 4
  %v60 = getelementptr i8, ptr %v16, i64 160
  store <8 x float> %v53, ptr %v60, align 4
  %v61 = getelementptr i8, ptr %v16, i64 192
  store <8 x float> %v54, ptr %v61, align 4
  %v62 = getelementptr i8, ptr %v16, i64 224
  store <8 x float> %v55, ptr %v62, align 4
  %v63 = add i64 %i9, 8
  %v64 = icmp slt i64 %v63, 9
  br i1 %v64, label %loop8, label %after65
after65:
  %v66 = add i64 %i3, 1
  %v67 = getelementptr i8, ptr %q5, i64 36
  %v68 = getelementptr i8, ptr %q7, i64 288
  %v69 = icmp slt i64 %v66, 8
  br i1 %v69, label %loop2, label %after70
after70:
  br label %loop71
loop71:
  %i72 = phi i64 [ 0, %after70 ], [ %v171, %loop71 ]
  %p73 = phi ptr [ %v1, %after70 ], [ %v172, %loop71 ]
  %p75 = phi ptr [ %target, %after70 ], [ %v173, %loop71 ]
  %q74 = call ptr asm "", "=r,0"(ptr %p73)
  %q76 = call ptr asm "", "=r,0"(ptr %p75)
  %v77 = load <8 x float>, ptr %q74, align 4
  %v78 = fmul <8 x float> %v77, splat (float 0xBFE0000000000000)
  %v79 = fmul <8 x float> %v77, splat (float 0xBFE0000000000000)
  %v80 = fmul <8 x float> %v77, splat (float 0xBFE0000000000000)
  %v81 = fmul <8 x float> %v77, splat (float 0x3FD0000000000000)
  %v82 = fmul <8 x float> %v77, splat (float 0x3FD0000000000000)
  %v83 = fmul <8 x float> %v77, splat (float 0xBFE0000000000000)
  %v84 = fmul <8 x float> %v77, splat (float 0x3FD0000000000000)
  %v85 = fmul <8 x float> %v77, splat (float 0x3FD0000000000000)
  %v86 = getelementptr i8, ptr %q74, i64 32
  %v87 = load <8 x float>, ptr %v86, align 4
  %v88 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v87, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v78)
  %v89 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v87, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v79)
  %v90 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v87, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v81)
  %v91 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v87, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v82)
  %v92 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v87, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v84)
  %v93 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v87, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v85)
  %v94 = getelementptr i8, ptr %q74, i64 64
  %v95 = load <8 x float>, ptr %v94, align 4
  %v96 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v95, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v88)
  %v97 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v95, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v89)
  %v98 = fmul <8 x float> %v95, splat (float 0xBFF0000000000000)
  %v99 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v95, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v90)
  %v100 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v95, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v91)
  %v101 = fmul <8 x float> %v95, splat (float 0x3FE0000000000000)
  %v102 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v95, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v92)
  %v103 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v95, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v93)
  %v104 = fmul <8 x float> %v95, splat (float 0x3FE0000000000000)
  %v105 = getelementptr i8, ptr %q74, i64 96
  %v106 = load <8 x float>, ptr %v105, align 4
  %v107 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v106, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v80)
  %v108 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v106, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v99)
  %v109 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v106, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v100)
  %v110 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v106, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v83)
  %v111 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v106, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v102)
  %v112 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v106, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v103)
  %v113 = getelementptr i8, ptr %q74, i64 128
  %v114 = load <8 x float>, ptr %v113, align 4
  %v115 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v114, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v108)
  %v116 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v114, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v109)
  %v117 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v114, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v111)
  %v118 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v114, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v112)
  %v119 = getelementptr i8, ptr %q74, i64 160
  %v120 = load <8 x float>, ptr %v119, align 4
  %v121 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v120, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v115)
  %v122 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v120, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v116)
  %v123 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v120, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v101)
  %v124 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v120, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v117)
  %v125 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v120, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v118)
  %v126 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v120, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v104)
  %v127 = getelementptr i8, ptr %q74, i64 192
  %v128 = load <8 x float>, ptr %v127, align 4
  %v129 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v128, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v107)
  %v130 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v128, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v121)
  %v131 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v128, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v122)
  %v132 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v128, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v110)
  %v133 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v128, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v124)
  %v134 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v128, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v125)
  %v135 = fmul <8 x float> %v128, splat (float 0xBFF0000000000000)
  %v136 = fmul <8 x float> %v128, splat (float 0x3FE0000000000000)
  %v137 = fmul <8 x float> %v128, splat (float 0x3FE0000000000000)
  %v138 = getelementptr i8, ptr %q74, i64 224
  %v139 = load <8 x float>, ptr %v138, align 4
  %v140 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v139, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v130)
  %v141 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v139, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v131)
  %v142 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v139, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v133)
  %v143 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v139, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v134)
  %v144 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v139, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v136)
  %v145 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v139, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v137)
  %v146 = getelementptr i8, ptr %q74, i64 256
  %v147 = load <8 x float>, ptr %v146, align 4
  %v148 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v147, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v140)
  %v149 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v147, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v141)
  %v150 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v147, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v123)
  %v151 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v147, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v142)
  %v152 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v147, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v143)
  %v153 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v147, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v126)
  %v154 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v147, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v144)
  %v155 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v147, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v145)
  store <8 x float> %v77, ptr %q76, align 4
  %v156 = getelementptr i8, ptr %q76, i64 256
  store <8 x float> %v96, ptr %v156, align 4
  %v157 = getelementptr i8, ptr %q76, i64 512
  store <8 x float> %v97, ptr %v157, align 4
  %v158 = getelementptr i8, ptr %q76, i64 768
  store <8 x float> %v98, ptr %v158, align 4
  %v159 = getelementptr i8, ptr %q76, i64 1024
  store <8 x float> %v129, ptr %v159, align 4
  %v160 = getelementptr i8, ptr %q76, i64 1280
  store <8 x float> %v148, ptr %v160, align 4
  %v161 = getelementptr i8, ptr %q76, i64 1536
  store <8 x float> %v149, ptr %v161, align 4
  %v162 = getelementptr i8, ptr %q76, i64 1792
  store <8 x float> %v150, ptr %v162, align 4
  %v163 = getelementptr i8, ptr %q76, i64 2048
  store <8 x float> %v132, ptr %v163, align 4
  %v164 = getelementptr i8, ptr %q76, i64 2304
  store <8 x float> %v151, ptr %v164, align 4
  %v165 = getelementptr i8, ptr %q76, i64 2560
  store <8 x float> %v152, ptr %v165, align 4
  %v166 = getelementptr i8, ptr %q76, i64 2816
  store <8 x float> %v153, ptr %v166, align 4
  %v167 = getelementptr i8, ptr %q76, i64 3072
  store <8 x float> %v135, ptr %v167, align 4
  %v168 = getelementptr i8, ptr %q76, i64 3328
  store <8 x float> %v154, ptr %v168, align 4
  %v169 = getelementptr i8, ptr %q76, i64 3584
  store <8 x float> %v155, ptr %v169, align 4
  %v170 = getelementptr i8, ptr %q76, i64 3840
  store <8 x float> %v147, ptr %v170, align 4
  %v171 = add i64 %i72, 1
  %v172 = getelementptr i8, ptr %q74, i64 288
  %v173 = getelementptr i8, ptr %q76, i64 32
  %v174 = icmp slt i64 %v171, 8
  br i1 %v174, label %loop71, label %after175
after175:
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
