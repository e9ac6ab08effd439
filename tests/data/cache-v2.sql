BEGIN TRANSACTION;
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
INSERT INTO "meta" VALUES('application','autotune');
INSERT INTO "meta" VALUES('schema','2');
INSERT INTO "meta" VALUES('llvm of llvmlite 0.50.0','22.1.0');
CREATE TABLE misses (
    target_key TEXT NOT NULL,
    workload_key TEXT NOT NULL,
    op TEXT NOT NULL,
    shape TEXT NOT NULL,
    dtype TEXT NOT NULL,
    layout TEXT NOT NULL,
    tolerance DOUBLE PRECISION NOT NULL,
    count BIGINT NOT NULL CHECK (count > 0),
    first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    PRIMARY KEY (target_key, workload_key)
);
INSERT INTO "misses" VALUES('x86-64-v3/avx+avx2+bmi1+bmi2+f16c+fma+sse3+sse4_1+sse4_2+ssse3/t1','matmul/m=5,n=6,k=7,ta=0,tb=0,prepack=1,bias=0,residual=0,act=none/float32/row/tol=16','matmul','m=5,n=6,k=7,ta=0,tb=0,prepack=1,bias=0,residual=0,act=none','float32','row',16.0,1,'2026-12-01T15:36:45Z','2026-12-01T15:36:45Z');
CREATE TABLE records (
    digest TEXT PRIMARY KEY,
    target_key TEXT NOT NULL,
    workload_key TEXT NOT NULL,
    op TEXT NOT NULL,
    shape TEXT NOT NULL,
    dtype TEXT NOT NULL,
    layout TEXT NOT NULL,
    tolerance DOUBLE PRECISION NOT NULL CHECK (tolerance > 0),
    schedule TEXT NOT NULL,
    schedule_digest TEXT NOT NULL,
    seconds DOUBLE PRECISION NOT NULL CHECK (seconds > 0 AND seconds < 1e9),
    gflops DOUBLE PRECISION NOT NULL CHECK (gflops > 0 AND gflops < 1e12),
    samples TEXT NOT NULL,
    baseline_seconds DOUBLE PRECISION NOT NULL
        CHECK (baseline_seconds > 0 AND baseline_seconds < 1e9),
    speedup DOUBLE PRECISION NOT NULL CHECK (speedup > 0 AND speedup < 1e9),
    speedup_low DOUBLE PRECISION NOT NULL,
    speedup_high DOUBLE PRECISION NOT NULL,
    error_units DOUBLE PRECISION NOT NULL CHECK (error_units >= 0),
    trials BIGINT NOT NULL,
    seed BIGINT NOT NULL,
    llvm TEXT NOT NULL,
    codegen BIGINT NOT NULL,
    version TEXT NOT NULL,
    machine TEXT NOT NULL,
    cache_policy TEXT NOT NULL DEFAULT 'warm',
    ties TEXT NOT NULL DEFAULT '[]',
    created TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('local', 'imported')),
    verified INTEGER NOT NULL CHECK (verified IN (0, 1))
);
INSERT INTO "records" VALUES('fb786cb816c2486efc89abd7be3f1823','x86-64-v3/avx+avx2+bmi1+bmi2+f16c+fma+sse3+sse4_1+sse4_2+ssse3/t1','matmul/m=17,n=33,k=9,ta=0,tb=0,prepack=1,bias=0,residual=0,act=none/float32/row/tol=16','matmul','m=17,n=33,k=9,ta=0,tb=0,prepack=1,bias=0,residual=0,act=none','float32','row',16.0,'{"algorithm":"direct","instruction":"fma","nests":[{"fuse":[],"inner":[["k",4]],"lanes":8,"prefetch":[],"steps":[{"layout":"axes","once":true,"stage":"weight"},{"loop":"n","step":8},{"loop":"m","step":6}],"store":"direct","vector":"n"}],"parallel":0,"version":1}','63f25d0fc81b5e57',2.0e-06,10.0,'[2e-06, 3e-06]',0.002,2.0,1.8,2.2,1.0,8,0,'22.1.0',6,'0.1.0','amd-25-17','rotating','["00ff00ff"]','2026-01-31T12:00:00Z','local',1);
INSERT INTO "records" VALUES('a82924cf2e80e51992c7238fe9087bf6','x86-64-v3/avx+avx2+bmi1+bmi2+f16c+fma+sse3+sse4_1+sse4_2+ssse3/t1','matmul/m=17,n=33,k=9,ta=0,tb=0,prepack=1,bias=0,residual=0,act=none/float32/row/tol=16','matmul','m=17,n=33,k=9,ta=0,tb=0,prepack=1,bias=0,residual=0,act=none','float32','row',16.0,'{"algorithm":"direct","instruction":"fma","nests":[{"fuse":[],"inner":[["k",4]],"lanes":8,"prefetch":[],"steps":[{"layout":"axes","once":true,"stage":"weight"},{"loop":"n","step":8},{"loop":"m","step":6}],"store":"direct","vector":"n"}],"parallel":0,"version":1}','63f25d0fc81b5e57',3.0e-06,10.0,'[3e-06, 4.5e-06]',0.002,2.0,1.8,2.2,1.0,8,0,'22.1.0',6,'0.1.0','amd-25-17','warm','[]','2026-01-31T12:00:00Z','local',1);
CREATE INDEX records_by_key ON records (target_key, workload_key);
CREATE INDEX records_by_workload ON records (workload_key, target_key);
CREATE INDEX records_by_op ON records (op, dtype, layout, target_key);
COMMIT;
