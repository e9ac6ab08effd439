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
  %v8 = getelementptr i8, ptr %v3, i64 -28
  br label %loop9
loop9:
  %i10 = phi i64 [ 0, %start ], [ %v378, %after377 ]
  %v11 = mul i64 %i10, 12
  %v12 = mul i64 %v11, 4
  %v13 = getelementptr i8, ptr %v8, i64 %v12
  %v14 = mul i64 %i10, 12
  %v15 = mul i64 %v14, 4
  %v16 = getelementptr i8, ptr %v7, i64 %v15
  %v17 = getelementptr i8, ptr %workspace, i64 1536
  %v18 = getelementptr i8, ptr %workspace, i64 3072
  %v19 = getelementptr i8, ptr %workspace, i64 4608
  %v20 = getelementptr i8, ptr %workspace, i64 6144
  %v21 = getelementptr i8, ptr %workspace, i64 0
  %v22 = mul i64 %i10, 2
  %v23 = add i64 -1, %v22
  br label %loop24
loop24:
  %i25 = phi i64 [ 0, %loop9 ], [ %v109, %after108 ]
  %v26 = mul i64 %i25, 36
  %v27 = udiv exact i64 %i25, 8
  %v28 = mul i64 %v27, 256
  %v29 = mul i64 %v26, 4
  %v30 = getelementptr i8, ptr %v13, i64 %v29
  %v31 = mul i64 %v28, 4
  %v32 = getelementptr i8, ptr %v21, i64 %v31
  br label %loop33
loop33:
  %i34 = phi i64 [ 0, %loop24 ], [ %v106, %join55 ]
  %v35 = mul i64 %i34, 6
  %v36 = mul i64 %v35, 4
  %v37 = getelementptr i8, ptr %v30, i64 %v36
  %v38 = mul i64 %i34, 64
  %v39 = mul i64 %v38, 4
  %v40 = getelementptr i8, ptr %v32, i64 %v39
  %v41 = add i64 %v23, %i34
  %v42 = icmp ult i64 %v41, 6
  %v43 = xor i1 %v42, true
  br i1 %v43, label %yes44, label %join45
yes44:
  br label %loop46
loop46:
  %i47 = phi i64 [ 0, %yes44 ], [ %v51, %loop46 ]
  %v48 = mul i64 %i47, 8
  %v49 = mul i64 %v48, 4
  %v50 = getelementptr i8, ptr %v40, i64 %v49
  store <8 x float> zeroinitializer, ptr %v50, align 4
  %v51 = add i64 %i47, 1
  %v52 = icmp slt i64 %v51, 8
  br i1 %v52, label %loop46, label %after53
after53:
  br label %join45
join45:
  br i1 %v42, label %yes54, label %join55
yes54:
  %v56 = insertelement <8 x i64> poison, i64 -1, i64 0
  %v57 = shufflevector <8 x i64> %v56, <8 x i64> poison, <8 x i32> zeroinitializer
  %v58 = add <8 x i64> %v57, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
  %v59 = icmp ult <8 x i64> %v58, <i64 6, i64 6, i64 6, i64 6, i64 6, i64 6, i64 6, i64 6>
  %v60 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v37, i32 4, <8 x i1> %v59, <8 x float> zeroinitializer)
  %v61 = getelementptr i8, ptr %v37, i64 144
  %v62 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v61, i32 4, <8 x i1> %v59, <8 x float> zeroinitializer)
  %v63 = getelementptr i8, ptr %v37, i64 288
  %v64 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v63, i32 4, <8 x i1> %v59, <8 x float> zeroinitializer)
  %v65 = getelementptr i8, ptr %v37, i64 432
  %v66 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v65, i32 4, <8 x i1> %v59, <8 x float> zeroinitializer)
  %v67 = getelementptr i8, ptr %v37, i64 576
  %v68 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v67, i32 4, <8 x i1> %v59, <8 x float> zeroinitializer)
  %v69 = getelementptr i8, ptr %v37, i64 720
  %v70 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v69, i32 4, <8 x i1> %v59, <8 x float> zeroinitializer)
  %v71 = getelementptr i8, ptr %v37, i64 864
  %v72 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v71, i32 4, <8 x i1> %v59, <8 x float> zeroinitializer)
  %v73 = getelementptr i8, ptr %v37, i64 1008
  %v74 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v73, i32 4, <8 x i1> %v59, <8 x float> zeroinitializer)
  %v75 = shufflevector <8 x float> %v60, <8 x float> %v68, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v76 = shufflevector <8 x float> %v60, <8 x float> %v68, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v77 = shufflevector <8 x float> %v62, <8 x float> %v70, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v78 = shufflevector <8 x float> %v62, <8 x float> %v70, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v79 = shufflevector <8 x float> %v64, <8 x float> %v72, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v80 = shufflevector <8 x float> %v64, <8 x float> %v72, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v81 = shufflevector <8 x float> %v66, <8 x float> %v74, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v82 = shufflevector <8 x float> %v66, <8 x float> %v74, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v83 = shufflevector <8 x float> %v75, <8 x float> %v79, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v84 = shufflevector <8 x float> %v75, <8 x float> %v79, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v85 = shufflevector <8 x float> %v77, <8 x float> %v81, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v86 = shufflevector <8 x float> %v77, <8 x float> %v81, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v87 = shufflevector <8 x float> %v76, <8 x float> %v80, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v88 = shufflevector <8 x float> %v76, <8 x float> %v80, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v89 = shufflevector <8 x float> %v78, <8 x float> %v82, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v90 = shufflevector <8 x float> %v78, <8 x float> %v82, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v91 = shufflevector <8 x float> %v83, <8 x float> %v85, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v92 = shufflevector <8 x float> %v83, <8 x float> %v85, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v93 = shufflevector <8 x float> %v84, <8 x float> %v86, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v94 = shufflevector <8 x float> %v84, <8 x float> %v86, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v95 = shufflevector <8 x float> %v87, <8 x float> %v89, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v96 = shufflevector <8 x float> %v87, <8 x float> %v89, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v97 = shufflevector <8 x float> %v88, <8 x float> %v90, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v98 = shufflevector <8 x float> %v88, <8 x float> %v90, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  store <8 x float> %v91, ptr %v40, align 4
  %v99 = getelementptr i8, ptr %v40, i64 32
  store <8 x float> %v92, ptr %v99, align 4
  %v100 = getelementptr i8, ptr %v40, i64 64
  store <8 x float> %v93, ptr %v100, align 4
  %v101 = getelementptr i8, ptr %v40, i64 96
  store <8 x float> %v94, ptr %v101, align 4
  %v102 = getelementptr i8, ptr %v40, i64 128
  store <8 x float> %v95, ptr %v102, align 4
  %v103 = getelementptr i8, ptr %v40, i64 160
  store <8 x float> %v96, ptr %v103, align 4
  %v104 = getelementptr i8, ptr %v40, i64 192
  store <8 x float> %v97, ptr %v104, align 4
  %v105 = getelementptr i8, ptr %v40, i64 224
  store <8 x float> %v98, ptr %v105, align 4
  br label %join55
join55:
  %v106 = add i64 %i34, 1
  %v107 = icmp slt i64 %v106, 4
  br i1 %v107, label %loop33, label %after108
after108:
  %v109 = add i64 %i25, 8
  %v110 = icmp slt i64 %v109, 8
  br i1 %v110, label %loop24, label %after111
after111:
  br label %loop112
loop112:
  %i113 = phi i64 [ 0, %after111 ], [ %v148, %after147 ]
  %v114 = mul i64 %i113, 16
  %v115 = mul i64 %v114, 4
  %v116 = getelementptr i8, ptr %v21, i64 %v115
  %v117 = mul i64 %i113, 8
  %v118 = mul i64 %v117, 4
  %v119 = getelementptr i8, ptr %v17, i64 %v118
  br label %loop120
loop120:
  %i121 = phi i64 [ 0, %loop112 ], [ %v145, %loop120 ]
  %v122 = mul i64 %i121, 8
  %v123 = mul i64 %v122, 4
  %v124 = getelementptr i8, ptr %v116, i64 %v123
  %v125 = mul i64 %i121, 24
  %v126 = mul i64 %v125, 4
  %v127 = getelementptr i8, ptr %v119, i64 %v126
  %v128 = load <8 x float>, ptr %v124, align 4
  %v129 = fmul <8 x float> %v128, splat (float 0xBFF0000000000000)
  %v130 = getelementptr i8, ptr %v124, i64 256
  %v131 = load <8 x float>, ptr %v130, align 4
  %v132 = fmul <8 x float> %v131, splat (float 0xBFF0000000000000)
  %v133 = fmul <8 x float> %v131, splat (float 0xBFF0000000000000)
  %v134 = getelementptr i8, ptr %v124, i64 512
  %v135 = load <8 x float>, ptr %v134, align 4
  %v136 = fadd <8 x float> %v129, %v135
  %v137 = fadd <8 x float> %v131, %v135
  %v138 = fadd <8 x float> %v132, %v135
  %v139 = getelementptr i8, ptr %v124, i64 768
  %v140 = load <8 x float>, ptr %v139, align 4
  %v141 = fadd <8 x float> %v133, %v140
  store <8 x float> %v136, ptr %v127, align 4
  %v142 = getelementptr i8, ptr %v127, i64 384
  store <8 x float> %v137, ptr %v142, align 4
  %v143 = getelementptr i8, ptr %v127, i64 768
  store <8 x float> %v138, ptr %v143, align 4
  %v144 = getelementptr i8, ptr %v127, i64 1152
  store <8 x float> %v141, ptr %v144, align 4
  %v145 = add i64 %i121, 1
  %v146 = icmp slt i64 %v145, 4
  br i1 %v146, label %loop120, label %after147
after147:
  %v148 = add i64 %i113, 1
  %v149 = icmp slt i64 %v148, 3
  br i1 %v149, label %loop112, label %after150
after150:
  br label %loop151
loop151:
  %i152 = phi i64 [ 0, %after150 ], [ %v187, %after186 ]
  %v153 = mul i64 %i152, 8
  %v154 = mul i64 %v153, 4
  %v155 = getelementptr i8, ptr %v17, i64 %v154
  %v156 = mul i64 %i152, 8
  %v157 = mul i64 %v156, 4
  %v158 = getelementptr i8, ptr %v18, i64 %v157
  br label %loop159
loop159:
  %i160 = phi i64 [ 0, %loop151 ], [ %v184, %loop159 ]
  %v161 = mul i64 %i160, 96
  %v162 = mul i64 %v161, 4
  %v163 = getelementptr i8, ptr %v155, i64 %v162
  %v164 = mul i64 %i160, 96
  %v165 = mul i64 %v164, 4
  %v166 = getelementptr i8, ptr %v158, i64 %v165
  %v167 = load <8 x float>, ptr %v163, align 4
  %v168 = fmul <8 x float> %v167, splat (float 0xBFF0000000000000)
  %v169 = getelementptr i8, ptr %v163, i64 96
  %v170 = load <8 x float>, ptr %v169, align 4
  %v171 = fmul <8 x float> %v170, splat (float 0xBFF0000000000000)
  %v172 = fmul <8 x float> %v170, splat (float 0xBFF0000000000000)
  %v173 = getelementptr i8, ptr %v163, i64 192
  %v174 = load <8 x float>, ptr %v173, align 4
  %v175 = fadd <8 x float> %v168, %v174
  %v176 = fadd <8 x float> %v170, %v174
  %v177 = fadd <8 x float> %v171, %v174
  %v178 = getelementptr i8, ptr %v163, i64 288
  %v179 = load <8 x float>, ptr %v178, align 4
  %v180 = fadd <8 x float> %v172, %v179
  store <8 x float> %v175, ptr %v166, align 4
  %v181 = getelementptr i8, ptr %v166, i64 96
  store <8 x float> %v176, ptr %v181, align 4
  %v182 = getelementptr i8, ptr %v166, i64 192
  store <8 x float> %v177, ptr %v182, align 4
  %v183 = getelementptr i8, ptr %v166, i64 288
  store <8 x float> %v180, ptr %v183, align 4
  %v184 = add i64 %i160, 1
  %v185 = icmp slt i64 %v184, 4
  br i1 %v185, label %loop159, label %after186
after186:
  %v187 = add i64 %i152, 1
  %v188 = icmp slt i64 %v187, 3
  br i1 %v188, label %loop151, label %after189
after189:
  br label %loop190
loop190:
  %i191 = phi i64 [ 0, %after189 ], [ %v245, %after244 ]
  %v192 = mul i64 %i191, 256
  %v193 = mul i64 %v192, 4
  %v194 = getelementptr i8, ptr %v5, i64 %v193
  %v195 = mul i64 %i191, 96
  %v196 = mul i64 %v195, 4
  %v197 = getelementptr i8, ptr %v18, i64 %v196
  %v198 = mul i64 %i191, 96
  %v199 = mul i64 %v198, 4
  %v200 = getelementptr i8, ptr %v19, i64 %v199
  br label %loop201
loop201:
  %i202 = phi i64 [ 0, %loop190 ], [ %v242, %after239 ]
  %v203 = mul i64 %i202, 64
  %v204 = mul i64 %v203, 4
  %v205 = getelementptr i8, ptr %v194, i64 %v204
  %v206 = mul i64 %i202, 24
  %v207 = mul i64 %v206, 4
  %v208 = getelementptr i8, ptr %v197, i64 %v207
  %v209 = mul i64 %i202, 24
  %v210 = mul i64 %v209, 4
  %v211 = getelementptr i8, ptr %v200, i64 %v210
  br label %loop212
loop212:
  %i213 = phi i64 [ 0, %loop201 ], [ %v237, %loop212 ]
  %c214 = phi <8 x float> [ zeroinitializer, %loop201 ], [ %v226, %loop212 ]
  %c215 = phi <8 x float> [ zeroinitializer, %loop201 ], [ %v231, %loop212 ]
  %c216 = phi <8 x float> [ zeroinitializer, %loop201 ], [ %v236, %loop212 ]
  %v217 = mul i64 %i213, 8
  %v218 = mul i64 %v217, 4
  %v219 = getelementptr i8, ptr %v205, i64 %v218
  %v220 = mul i64 %i213, 4
  %v221 = getelementptr i8, ptr %v208, i64 %v220
  %v222 = load float, ptr %v221, align 4
  %v223 = insertelement <8 x float> poison, float %v222, i64 0
  %v224 = shufflevector <8 x float> %v223, <8 x float> poison, <8 x i32> zeroinitializer
  %v225 = load <8 x float>, ptr %v219, align 4
  %v226 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v224, <8 x float> %v225, <8 x float> %c214)
  %v227 = getelementptr i8, ptr %v221, i64 32
  %v228 = load float, ptr %v227, align 4
  %v229 = insertelement <8 x float> poison, float %v228, i64 0
  %v230 = shufflevector <8 x float> %v229, <8 x float> poison, <8 x i32> zeroinitializer
  %v231 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v230, <8 x float> %v225, <8 x float> %c215)
  %v232 = getelementptr i8, ptr %v221, i64 64
  %v233 = load float, ptr %v232, align 4
  %v234 = insertelement <8 x float> poison, float %v233, i64 0
  %v235 = shufflevector <8 x float> %v234, <8 x float> poison, <8 x i32> zeroinitializer
  %v236 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v235, <8 x float> %v225, <8 x float> %c216)
  %v237 = add i64 %i213, 1
  %v238 = icmp slt i64 %v237, 8
  br i1 %v238, label %loop212, label %after239
after239:
  store <8 x float> %v226, ptr %v211, align 4
  %v240 = getelementptr i8, ptr %v211, i64 32
  store <8 x float> %v231, ptr %v240, align 4
  %v241 = getelementptr i8, ptr %v211, i64 64
  store <8 x float> %v236, ptr %v241, align 4
  %v242 = add i64 %i202, 1
  %v243 = icmp slt i64 %v242, 4
  br i1 %v243, label %loop201, label %after244
after244:
  %v245 = add i64 %i191, 1
  %v246 = icmp slt i64 %v245, 4
  br i1 %v246, label %loop190, label %after247
after247:
  br label %loop248
loop248:
  %i249 = phi i64 [ 0, %after247 ], [ %v279, %after278 ]
  %v250 = mul i64 %i249, 24
  %v251 = mul i64 %v250, 4
  %v252 = getelementptr i8, ptr %v19, i64 %v251
  %v253 = mul i64 %i249, 24
  %v254 = mul i64 %v253, 4
  %v255 = getelementptr i8, ptr %v20, i64 %v254
  br label %loop256
loop256:
  %i257 = phi i64 [ 0, %loop248 ], [ %v276, %loop256 ]
  %v258 = mul i64 %i257, 8
  %v259 = mul i64 %v258, 4
  %v260 = getelementptr i8, ptr %v252, i64 %v259
  %v261 = mul i64 %i257, 8
  %v262 = mul i64 %v261, 4
  %v263 = getelementptr i8, ptr %v255, i64 %v262
  %v264 = load <8 x float>, ptr %v260, align 4
  %v265 = getelementptr i8, ptr %v260, i64 384
  %v266 = load <8 x float>, ptr %v265, align 4
  %v267 = fadd <8 x float> %v264, %v266
  %v268 = getelementptr i8, ptr %v260, i64 768
  %v269 = load <8 x float>, ptr %v268, align 4
  %v270 = fadd <8 x float> %v267, %v269
  %v271 = fsub <8 x float> %v266, %v269
  %v272 = getelementptr i8, ptr %v260, i64 1152
  %v273 = load <8 x float>, ptr %v272, align 4
  %v274 = fadd <8 x float> %v271, %v273
  store <8 x float> %v270, ptr %v263, align 4
  %v275 = getelementptr i8, ptr %v263, i64 384
  store <8 x float> %v274, ptr %v275, align 4
  %v276 = add i64 %i257, 1
  %v277 = icmp slt i64 %v276, 3
  br i1 %v277, label %loop256, label %after278
after278:
  %v279 = add i64 %i249, 1
  %v280 = icmp slt i64 %v279, 4
  br i1 %v280, label %loop248, label %after281
after281:
  %v282 = getelementptr i8, ptr %workspace, i64 1088
  br label %loop283
loop283:
  %i284 = phi i64 [ 0, %after281 ], [ %v320, %after319 ]
  %v285 = mul i64 %i284, 6
  %v286 = mul i64 %v285, 4
  %v287 = getelementptr i8, ptr %v16, i64 %v286
  %v288 = mul i64 %i284, 96
  %v289 = mul i64 %v288, 4
  %v290 = getelementptr i8, ptr %v20, i64 %v289
  %v291 = mul i64 %i284, 48
  %v292 = mul i64 %v291, 4
  %v293 = getelementptr i8, ptr %v282, i64 %v292
  br label %loop294
loop294:
  %i295 = phi i64 [ 0, %loop283 ], [ %v317, %loop294 ]
  %v296 = mul i64 %i295, 2
  %v297 = mul i64 %v296, 4
  %v298 = getelementptr i8, ptr %v287, i64 %v297
  %v299 = mul i64 %i295, 8
  %v300 = mul i64 %v299, 4
  %v301 = getelementptr i8, ptr %v290, i64 %v300
  %v302 = mul i64 %i295, 16
  %v303 = mul i64 %v302, 4
  %v304 = getelementptr i8, ptr %v293, i64 %v303
  %v305 = load <8 x float>, ptr %v301, align 4
  %v306 = getelementptr i8, ptr %v301, i64 96
  %v307 = load <8 x float>, ptr %v306, align 4
  %v308 = fadd <8 x float> %v305, %v307
  %v309 = getelementptr i8, ptr %v301, i64 192
  %v310 = load <8 x float>, ptr %v309, align 4
  %v311 = fadd <8 x float> %v308, %v310
  %v312 = fsub <8 x float> %v307, %v310
  %v313 = getelementptr i8, ptr %v301, i64 288
  %v314 = load <8 x float>, ptr %v313, align 4
  %v315 = fadd <8 x float> %v312, %v314
  store <8 x float> %v311, ptr %v304, align 4
  %v316 = getelementptr i8, ptr %v304, i64 32
  store <8 x float> %v315, ptr %v316, align 4
  %v317 = add i64 %i295, 1
  %v318 = icmp slt i64 %v317, 3
  br i1 %v318, label %loop294, label %after319
after319:
  %v320 = add i64 %i284, 1
  %v321 = icmp slt i64 %v320, 2
  br i1 %v321, label %loop283, label %after322
after322:
  %v323 = mul i64 %i10, 2
  br label %loop324
loop324:
  %i325 = phi i64 [ 0, %after322 ], [ %v375, %loop324 ]
  %v326 = mul i64 %i325, 6
  %v327 = mul i64 %v326, 4
  %v328 = getelementptr i8, ptr %v16, i64 %v327
  %v329 = mul i64 %i325, 48
  %v330 = mul i64 %v329, 4
  %v331 = getelementptr i8, ptr %v282, i64 %v330
  %v332 = add i64 %v323, %i325
  %v333 = load <8 x float>, ptr %v331, align 4
  %v334 = getelementptr i8, ptr %v331, i64 32
  %v335 = load <8 x float>, ptr %v334, align 4
  %v336 = getelementptr i8, ptr %v331, i64 64
  %v337 = load <8 x float>, ptr %v336, align 4
  %v338 = getelementptr i8, ptr %v331, i64 96
  %v339 = load <8 x float>, ptr %v338, align 4
  %v340 = getelementptr i8, ptr %v331, i64 128
  %v341 = load <8 x float>, ptr %v340, align 4
  %v342 = getelementptr i8, ptr %v331, i64 160
  %v343 = load <8 x float>, ptr %v342, align 4
  %v344 = shufflevector <8 x float> %v333, <8 x float> %v341, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v345 = shufflevector <8 x float> %v333, <8 x float> %v341, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v346 = shufflevector <8 x float> %v335, <8 x float> %v343, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v347 = shufflevector <8 x float> %v335, <8 x float> %v343, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v348 = shufflevector <8 x float> %v337, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v349 = shufflevector <8 x float> %v337, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v350 = shufflevector <8 x float> %v339, <8 x float> zeroinitializer, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v351 = shufflevector <8 x float> %v339, <8 x float> zeroinitializer, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v352 = shufflevector <8 x float> %v344, <8 x float> %v348, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v353 = shufflevector <8 x float> %v344, <8 x float> %v348, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v354 = shufflevector <8 x float> %v346, <8 x float> %v350, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v355 = shufflevector <8 x float> %v346, <8 x float> %v350, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v356 = shufflevector <8 x float> %v345, <8 x float> %v349, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v357 = shufflevector <8 x float> %v345, <8 x float> %v349, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v358 = shufflevector <8 x float> %v347, <8 x float> %v351, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v359 = shufflevector <8 x float> %v347, <8 x float> %v351, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v360 = shufflevector <8 x float> %v352, <8 x float> %v354, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v361 = shufflevector <8 x float> %v352, <8 x float> %v354, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v362 = shufflevector <8 x float> %v353, <8 x float> %v355, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v363 = shufflevector <8 x float> %v353, <8 x float> %v355, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v364 = shufflevector <8 x float> %v356, <8 x float> %v358, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v365 = shufflevector <8 x float> %v356, <8 x float> %v358, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v366 = shufflevector <8 x float> %v357, <8 x float> %v359, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v367 = shufflevector <8 x float> %v357, <8 x float> %v359, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v360, ptr %v328, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0>)
  %v368 = getelementptr i8, ptr %v328, i64 144
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v361, ptr %v368, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0>)
  %v369 = getelementptr i8, ptr %v328, i64 288
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v362, ptr %v369, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0>)
  %v370 = getelementptr i8, ptr %v328, i64 432
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v363, ptr %v370, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0>)
  %v371 = getelementptr i8, ptr %v328, i64 576
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v364, ptr %v371, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0>)
  %v372 = getelementptr i8, ptr %v328, i64 720
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v365, ptr %v372, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0>)
  %v373 = getelementptr i8, ptr %v328, i64 864
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v366, ptr %v373, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0>)
  %v374 = getelementptr i8, ptr %v328, i64 1008
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v367, ptr %v374, i32 4, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0>)
  %v375 = add i64 %i325, 1
  %v376 = icmp slt i64 %v375, 2
  br i1 %v376, label %loop324, label %after377
after377:
  %v378 = add i64 %i10, 1
  %v379 = icmp slt i64 %v378, 3
  br i1 %v379, label %loop9, label %after380
after380:
  ret void
}

define void @pack_weight(ptr %source, ptr %target, ptr %workspace) {
entry:
  %v1 = getelementptr i8, ptr %workspace, i64 0
  br label %loop2
loop2:
  %i3 = phi i64 [ 0, %entry ], [ %v82, %after81 ]
  %v4 = mul i64 %i3, 9
  %v5 = mul i64 %v4, 4
  %v6 = getelementptr i8, ptr %source, i64 %v5
  %v7 = mul i64 %i3, 72
  %v8 = mul i64 %v7, 4
  %v9 = getelementptr i8, ptr %v1, i64 %v8
  br label %loop10
loop10:
  %i11 = phi i64 [ 0, %loop2 ], [ %v79, %loop10 ]
  %v12 = icmp sgt i64 %i11, 1
  %v13 = select i1 %v12, i64 1, i64 %i11
  %v14 = mul i64 %v13, 4
  %v15 = getelementptr i8, ptr %v6, i64 %v14
  %v16 = load <8 x float>, ptr %v15, align 4
  %v17 = add i64 %v13, 72
  %v18 = mul i64 %v17, 4
  %v19 = getelementptr i8, ptr %v6, i64 %v18
  %v20 = load <8 x float>, ptr %v19, align 4
  %v21 = add i64 %v13, 144
  %v22 = mul i64 %v21, 4
  %v23 = getelementptr i8, ptr %v6, i64 %v22
  %v24 = load <8 x float>, ptr %v23, align 4
  %v25 = add i64 %v13, 216
  %v26 = mul i64 %v25, 4
  %v27 = getelementptr i8, ptr %v6, i64 %v26
  %v28 = load <8 x float>, ptr %v27, align 4
  %v29 = add i64 %v13, 288
  %v30 = mul i64 %v29, 4
  %v31 = getelementptr i8, ptr %v6, i64 %v30
  %v32 = load <8 x float>, ptr %v31, align 4
  %v33 = add i64 %v13, 360
  %v34 = mul i64 %v33, 4
  %v35 = getelementptr i8, ptr %v6, i64 %v34
  %v36 = load <8 x float>, ptr %v35, align 4
  %v37 = add i64 %v13, 432
  %v38 = mul i64 %v37, 4
  %v39 = getelementptr i8, ptr %v6, i64 %v38
  %v40 = load <8 x float>, ptr %v39, align 4
  %v41 = add i64 %v13, 504
  %v42 = mul i64 %v41, 4
  %v43 = getelementptr i8, ptr %v6, i64 %v42
  %v44 = load <8 x float>, ptr %v43, align 4
  %v45 = shufflevector <8 x float> %v16, <8 x float> %v32, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v46 = shufflevector <8 x float> %v16, <8 x float> %v32, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v47 = shufflevector <8 x float> %v20, <8 x float> %v36, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v48 = shufflevector <8 x float> %v20, <8 x float> %v36, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v49 = shufflevector <8 x float> %v24, <8 x float> %v40, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v50 = shufflevector <8 x float> %v24, <8 x float> %v40, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v51 = shufflevector <8 x float> %v28, <8 x float> %v44, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v52 = shufflevector <8 x float> %v28, <8 x float> %v44, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v53 = shufflevector <8 x float> %v45, <8 x float> %v49, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v54 = shufflevector <8 x float> %v45, <8 x float> %v49, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v55 = shufflevector <8 x float> %v47, <8 x float> %v51, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v56 = shufflevector <8 x float> %v47, <8 x float> %v51, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v57 = shufflevector <8 x float> %v46, <8 x float> %v50, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v58 = shufflevector <8 x float> %v46, <8 x float> %v50, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v59 = shufflevector <8 x float> %v48, <8 x float> %v52, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v60 = shufflevector <8 x float> %v48, <8 x float> %v52, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v61 = shufflevector <8 x float> %v53, <8 x float> %v55, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v62 = shufflevector <8 x float> %v53, <8 x float> %v55, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v63 = shufflevector <8 x float> %v54, <8 x float> %v56, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v64 = shufflevector <8 x float> %v54, <8 x float> %v56, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v65 = shufflevector <8 x float> %v57, <8 x float> %v59, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v66 = shufflevector <8 x float> %v57, <8 x float> %v59, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v67 = shufflevector <8 x float> %v58, <8 x float> %v60, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %v68 = shufflevector <8 x float> %v58, <8 x float> %v60, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %v69 = mul i64 %v13, 8
  %v70 = mul i64 %v69, 4
  %v71 = getelementptr i8, ptr %v9, i64 %v70
  store <8 x float> %v61, ptr %v71, align 4
  %v72 = getelementptr i8, ptr %v71, i64 32
  store <8 x float> %v62, ptr %v72, align 4
  %v73 = getelementptr i8, ptr %v71, i64 64
  store <8 x float> %v63, ptr %v73, align 4
  %v74 = getelementptr i8, ptr %v71, i64 96
  store <8 x float> %v64, ptr %v74, align 4
  %v75 = getelementptr i8, ptr %v71, i64 128
  store <8 x float> %v65, ptr %v75, align 4
  %v76 = getelementptr i8, ptr %v71, i64 160
  store <8 x float> %v66, ptr %v76, align 4
  %v77 = getelementptr i8, ptr %v71, i64 192
  store <8 x float> %v67, ptr %v77, align 4
  %v78 = getelementptr i8, ptr %v71, i64 224
  store <8 x float> %v68, ptr %v78, align 4
  %v79 = add i64 %i11, 8
  %v80 = icmp slt i64 %v79, 9
  br i1 %v80, label %loop10, label %after81
after81:
  %v82 = add i64 %i3, 1
  %v83 = icmp slt i64 %v82, 8
  br i1 %v83, label %loop2, label %after84
after84:
  br label %loop85
loop85:
  %i86 = phi i64 [ 0, %after84 ], [ %v187, %loop85 ]
  %v87 = mul i64 %i86, 72
  %v88 = mul i64 %v87, 4
  %v89 = getelementptr i8, ptr %v1, i64 %v88
  %v90 = mul i64 %i86, 8
  %v91 = mul i64 %v90, 4
  %v92 = getelementptr i8, ptr %target, i64 %v91
  %v93 = load <8 x float>, ptr %v89, align 4
  %v94 = fmul <8 x float> %v93, splat (float 0xBFE0000000000000)
  %v95 = fmul <8 x float> %v93, splat (float 0xBFE0000000000000)
  %v96 = fmul <8 x float> %v93, splat (float 0xBFE0000000000000)
  %v97 = fmul <8 x float> %v93, splat (float 0x3FD0000000000000)
  %v98 = fmul <8 x float> %v93, splat (float 0x3FD0000000000000)
  %v99 = fmul <8 x float> %v93, splat (float 0xBFE0000000000000)
  %v100 = fmul <8 x float> %v93, splat (float 0x3FD0000000000000)
  %v101 = fmul <8 x float> %v93, splat (float 0x3FD0000000000000)
  %v102 = getelementptr i8, ptr %v89, i64 32
  %v103 = load <8 x float>, ptr %v102, align 4
  %v104 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v103, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v94)
  %v105 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v103, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v95)
  %v106 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v103, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v97)
  %v107 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v103, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v98)
  %v108 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v103, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v100)
  %v109 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v103, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v101)
  %v110 = getelementptr i8, ptr %v89, i64 64
  %v111 = load <8 x float>, ptr %v110, align 4
  %v112 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v111, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v104)
  %v113 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v111, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v105)
  %v114 = fmul <8 x float> %v111, splat (float 0xBFF0000000000000)
  %v115 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v111, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v106)
  %v116 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v111, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v107)
  %v117 = fmul <8 x float> %v111, splat (float 0x3FE0000000000000)
  %v118 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v111, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v108)
  %v119 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v111, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v109)
  %v120 = fmul <8 x float> %v111, splat (float 0x3FE0000000000000)
  %v121 = getelementptr i8, ptr %v89, i64 96
  %v122 = load <8 x float>, ptr %v121, align 4
  %v123 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v122, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v96)
  %v124 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v122, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v115)
  %v125 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v122, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v116)
  %v126 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v122, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v99)
  %v127 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v122, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v118)
  %v128 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v122, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v119)
  %v129 = getelementptr i8, ptr %v89, i64 128
  %v130 = load <8 x float>, ptr %v129, align 4
  %v131 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v130, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v124)
  %v132 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v130, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v125)
  %v133 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v130, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v127)
  %v134 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v130, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v128)
  %v135 = getelementptr i8, ptr %v89, i64 160
  %v136 = load <8 x float>, ptr %v135, align 4
  %v137 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v136, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v131)
  %v138 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v136, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v132)
  %v139 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v136, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v117)
  %v140 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v136, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v133)
  %v141 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v136, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v134)
  %v142 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v136, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v120)
  %v143 = getelementptr i8, ptr %v89, i64 192
  %v144 = load <8 x float>, ptr %v143, align 4
  %v145 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v144, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v123)
  %v146 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v144, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v137)
  %v147 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v144, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v138)
  %v148 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v144, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v126)
  %v149 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v144, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v140)
  %v150 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v144, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v141)
  %v151 = fmul <8 x float> %v144, splat (float 0xBFF0000000000000)
  %v152 = fmul <8 x float> %v144, splat (float 0x3FE0000000000000)
  %v153 = fmul <8 x float> %v144, splat (float 0x3FE0000000000000)
  %v154 = getelementptr i8, ptr %v89, i64 224
  %v155 = load <8 x float>, ptr %v154, align 4
  %v156 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v155, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v146)
  %v157 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v155, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v147)
  %v158 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v155, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v149)
  %v159 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v155, <8 x float> splat (float 0xBFD0000000000000), <8 x float> %v150)
  %v160 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v155, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v152)
  %v161 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v155, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %v153)
  %v162 = getelementptr i8, ptr %v89, i64 256
  %v163 = load <8 x float>, ptr %v162, align 4
  %v164 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v163, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v156)
  %v165 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v163, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v157)
  %v166 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v163, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v139)
  %v167 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v163, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v158)
  %v168 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v163, <8 x float> splat (float 0x3FD0000000000000), <8 x float> %v159)
  %v169 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v163, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v142)
  %v170 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v163, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v160)
  %v171 = call <8 x float> @llvm.fmuladd.v8f32(<8 x float> %v163, <8 x float> splat (float 0x3FE0000000000000), <8 x float> %v161)
  store <8 x float> %v93, ptr %v92, align 4
  %v172 = getelementptr i8, ptr %v92, i64 256
  store <8 x float> %v112, ptr %v172, align 4
  %v173 = getelementptr i8, ptr %v92, i64 512
  store <8 x float> %v113, ptr %v173, align 4
  %v174 = getelementptr i8, ptr %v92, i64 768
  store <8 x float> %v114, ptr %v174, align 4
  %v175 = getelementptr i8, ptr %v92, i64 1024
  store <8 x float> %v145, ptr %v175, align 4
  %v176 = getelementptr i8, ptr %v92, i64 1280
  store <8 x float> %v164, ptr %v176, align 4
  %v177 = getelementptr i8, ptr %v92, i64 1536
  store <8 x float> %v165, ptr %v177, align 4
  %v178 = getelementptr i8, ptr %v92, i64 1792
  store <8 x float> %v166, ptr %v178, align 4
  %v179 = getelementptr i8, ptr %v92, i64 2048
  store <8 x float> %v148, ptr %v179, align 4
  %v180 = getelementptr i8, ptr %v92, i64 2304
  store <8 x float> %v167, ptr %v180, align 4
  %v181 = getelementptr i8, ptr %v92, i64 2560
  store <8 x float> %v168, ptr %v181, align 4
  %v182 = getelementptr i8, ptr %v92, i64 2816
  store <8 x float> %v169, ptr %v182, align 4
  %v183 = getelementptr i8, ptr %v92, i64 3072
  store <8 x float> %v151, ptr %v183, align 4
  %v184 = getelementptr i8, ptr %v92, i64 3328
  store <8 x float> %v170, ptr %v184, align 4
  %v185 = getelementptr i8, ptr %v92, i64 3584
  store <8 x float> %v171, ptr %v185, align 4
  %v186 = getelementptr i8, ptr %v92, i64 3840
  store <8 x float> %v163, ptr %v186, align 4
  %v187 = add i64 %i86, 1
  %v188 = icmp slt i64 %v187, 8
  br i1 %v188, label %loop85, label %after189
after189:
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
