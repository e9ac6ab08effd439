"""One kernel over several threads: forks and joins in machine code, with threads of our own.

`runtime` calls it. The threads are started when they are first asked for, shared by all kernels of
the process, and never ended: they wait for the next call awake for a moment, then asleep. Whoever
finds them busy does all parts alone, so that nobody ever waits for another caller.
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import accumulate
from string import Template

from autotune.backends.cpu.machine import Linked, compile_object
from autotune.targets.detect import MAX_THREADS
from autotune.targets.x86_64 import TARGET

WAIT_CYCLES = 400_000
"""Of the time-stamp counter, 0.1 to 0.2 ms: how long a thread waits awake.

About four times what it takes to wake one that sleeps, and far longer than Python takes from one
call to the next. Source: our measurements, docs/decisions.md.
"""
_FAULTS = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGABRT", "SIGSYS")
"""Signals that concern the thread that they meet; all others are left to the other threads."""
_MASK = (1 << 64) - 1 - sum(1 << (getattr(signal, name) - 1) for name in _FAULTS)

_IR = Template("""
; Who calls does part 0 itself. Memory of two cache lines each, which processors fetch in pairs.
%Job = type { ptr, ptr, ptr, i64, i64, i64, i64, i32 }   ; as _Job
%Worker = type { i32, i64, ptr, [104 x i8] }        ; state, its part, its job

@busy = internal global i32 0, align 128
@present = internal global i64 1, align 128         ; threads with the caller's, for who is busy
@workers = internal global [$most x %Worker] zeroinitializer, align 128
@masked = internal constant [16 x i64] [i64 $mask$ones]

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(i64)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sched_yield()
declare i64 @syscall(i64, ...)
declare i64 @llvm.readcyclecounter()
declare i64 @llvm.smin.i64(i64, i64)
declare void @llvm.x86.sse2.pause()
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)

; Each call does one job after the other: the phases of the kernel.
define void @run(ptr %jobs, i64 %phases, i64 %count) {
entry:
  call void @each(ptr @note_arithmetic, ptr %jobs, i64 0, i64 %phases)
  %place = getelementptr %Job, ptr %jobs, i64 0, i32 6
  %threads = load i64, ptr %place
  %others = atomicrmw xchg ptr @busy, i32 1 acquire
  %mine = icmp eq i32 %others, 0
  br i1 %mine, label %gather, label %ready
gather:
  %gathered = call i64 @gather(i64 %threads)
  br label %ready
ready:
  %present = phi i64 [ 1, %entry ], [ %gathered, %gather ]
  br label %next
next:
  %done = phi i64 [ 0, %ready ], [ %following, %counted ]
  %more = icmp slt i64 %done, %count
  br i1 %more, label %phase, label %last
phase:
  %number = phi i64 [ 0, %next ], [ %after, %phase ]
  %job = getelementptr %Job, ptr %jobs, i64 %number
  call void @each(ptr @hand_out, ptr %job, i64 1, i64 %present)
  call void @work(ptr %job, i64 0)
  call void @each(ptr @work, ptr %job, i64 %present, i64 %threads)
  call void @each(ptr @await, ptr %job, i64 1, i64 %present)
  %after = add i64 %number, 1
  %again = icmp slt i64 %after, %phases
  br i1 %again, label %phase, label %counted
counted:
  %following = add i64 %done, 1
  br label %next
last:
  br i1 %mine, label %free, label %end
free:
  store atomic i32 0, ptr @busy release, align 4
  br label %end
end:
  ret void
}

; The child of a fork has none of the threads.
define void @forget() {
  store i64 1, ptr @present
  store atomic i32 0, ptr @busy release, align 4
  ret void
}

define internal void @each(ptr %function, ptr %job, i64 %begin, i64 %end) {
entry:
  br label %next
next:
  %part = phi i64 [ %begin, %entry ], [ %following, %call ]
  %more = icmp slt i64 %part, %end
  br i1 %more, label %call, label %done
call:
  call void %function(ptr %job, i64 %part)
  %following = add i64 %part, 1
  br label %next
done:
  ret void
}

define internal void @note_arithmetic(ptr %jobs, i64 %number) {
  %arithmetic = getelementptr %Job, ptr %jobs, i64 %number, i32 7
  call void @llvm.x86.sse.stmxcsr(ptr %arithmetic)
  ret void
}

define internal void @work(ptr %job, i64 %part) {
  %all = load %Job, ptr %job
  %body = extractvalue %Job %all, 0
  %operands = extractvalue %Job %all, 1
  %workspace = extractvalue %Job %all, 2
  %share = extractvalue %Job %all, 3
  %first = extractvalue %Job %all, 4
  %tasks = extractvalue %Job %all, 5
  %threads = extractvalue %Job %all, 6
  %before = mul i64 %tasks, %part
  %from = udiv i64 %before, %threads
  %begin = add i64 %first, %from
  %with = add i64 %before, %tasks
  %to = udiv i64 %with, %threads
  %end = add i64 %first, %to
  %offset = mul i64 %share, %part
  %mine = getelementptr i8, ptr %workspace, i64 %offset
  call void %body(ptr %operands, ptr %mine, i64 %begin, i64 %end)
  ret void
}

define internal void @hand_out(ptr %job, i64 %part) {
  %worker = getelementptr %Worker, ptr @workers, i64 %part
  %place = getelementptr %Worker, ptr %worker, i64 0, i32 2
  store ptr %job, ptr %place
  %before = atomicrmw xchg ptr %worker, i32 $working acq_rel
  %slept = icmp eq i32 %before, $asleep
  br i1 %slept, label %wake, label %done
wake:
  call void @futex(ptr %worker, i64 $wake, i64 1)
  br label %done
done:
  ret void
}

; Sleep while the word has a value, or wake one that sleeps; may return early.
define internal void @futex(ptr %word, i64 %what, i64 %value) {
  call i64 (i64, ...) @syscall(i64 $futex, ptr %word, i64 %what, i64 %value, ptr null)
  ret void
}

; Having waited long it lets others go first: a worker may need this very core.
define internal void @await(ptr %job, i64 %part) {
  %worker = getelementptr %Worker, ptr @workers, i64 %part
  br label %wait
wait:
  %changed = call i1 @changes(ptr %worker, i32 $working)
  br i1 %changed, label %done, label %yield
yield:
  call i32 @sched_yield()
  br label %wait
done:
  ret void
}

; Whether a worker's state changes within the time that one waits awake.
define internal i1 @changes(ptr %worker, i32 %from) {
entry:
  %start = call i64 @llvm.readcyclecounter()
  br label %look
look:
  %seen = load atomic i32, ptr %worker acquire, align 4
  %changed = icmp ne i32 %seen, %from
  br i1 %changed, label %end, label %wait
wait:
  call void @llvm.x86.sse2.pause()
  %now = call i64 @llvm.readcyclecounter()
  %spent = sub i64 %now, %start
  %more = icmp ult i64 %spent, $cycles
  br i1 %more, label %look, label %end
end:
  ret i1 %changed
}

; The life of a worker. Its state is also the word on which it sleeps.
define internal ptr @serve(ptr %worker) {
entry:
  %part_place = getelementptr %Worker, ptr %worker, i64 0, i32 1
  %part = load i64, ptr %part_place
  %job_place = getelementptr %Worker, ptr %worker, i64 0, i32 2
  br label %idle
idle:
  %changed = call i1 @changes(ptr %worker, i32 $idle)
  br i1 %changed, label %work, label %tired
tired:
  cmpxchg ptr %worker, i32 $idle, i32 $asleep acq_rel acquire
  br label %look
look:
  %state = load atomic i32, ptr %worker acquire, align 4
  %asleep = icmp eq i32 %state, $asleep
  br i1 %asleep, label %sleep, label %work
sleep:
  call void @futex(ptr %worker, i64 $wait, i64 $asleep)
  br label %look
work:
  %job = load ptr, ptr %job_place
  %arithmetic = getelementptr %Job, ptr %job, i64 0, i32 7
  call void @llvm.x86.sse.ldmxcsr(ptr %arithmetic)
  call void @work(ptr %job, i64 %part)
  store atomic i32 $idle, ptr %worker release, align 4
  br label %idle
}

; How many threads there are now, the caller's with them: as many as asked for, if they can be had.
define internal i64 @gather(i64 %threads) {
entry:
  %thread = alloca i64, align 8
  %signals = alloca [16 x i64], align 8
  %wanted = call i64 @llvm.smin.i64(i64 %threads, i64 $most)
  %present = load i64, ptr @present
  %enough = icmp sge i64 %present, %wanted
  br i1 %enough, label %done, label %start
start:
  call i32 @pthread_sigmask(i32 $block, ptr @masked, ptr %signals)
  br label %next
next:
  %part = phi i64 [ %present, %start ], [ %following, %started ]
  %more = icmp slt i64 %part, %wanted
  br i1 %more, label %create, label %stop
create:
  %worker = getelementptr %Worker, ptr @workers, i64 %part
  store atomic i32 $idle, ptr %worker release, align 4
  %part_place = getelementptr %Worker, ptr %worker, i64 0, i32 1
  store i64 %part, ptr %part_place
  %refused = call i32 @pthread_create(ptr %thread, ptr null, ptr @serve, ptr %worker)
  %is_there = icmp eq i32 %refused, 0
  br i1 %is_there, label %started, label %stop
started:
  %handle = load i64, ptr %thread
  call i32 @pthread_detach(i64 %handle)
  %following = add i64 %part, 1
  br label %next
stop:
  store i64 %part, ptr @present
  call i32 @pthread_sigmask(i32 $restore, ptr %signals, ptr null)
  br label %done
done:
  %now = phi i64 [ %present, %entry ], [ %part, %stop ]
  %used = call i64 @llvm.smin.i64(i64 %now, i64 %wanted)
  ret i64 %used
}
""").substitute(
    most=MAX_THREADS,
    cycles=WAIT_CYCLES,
    mask=_MASK,
    ones=", i64 -1" * 15,
    idle=0,
    working=1,
    asleep=2,
    # From the headers of Linux on x86-64: SYS_futex; FUTEX_WAIT and FUTEX_WAKE within a process.
    futex=202,
    wait=128,
    wake=129,
    block=int(signal.SIG_BLOCK),
    restore=int(signal.SIG_SETMASK),
)


class _Job(ctypes.Structure):
    """What the parts of one phase of a call have in common."""

    _fields_ = (
        ("body", ctypes.c_void_p),
        ("operands", ctypes.c_void_p),
        ("workspace", ctypes.c_void_p),
        ("share_bytes", ctypes.c_int64),
        ("first_task", ctypes.c_int64),
        ("tasks", ctypes.c_int64),
        ("threads", ctypes.c_int64),
        # How the caller rounds: written and read in machine code alone.
        ("arithmetic", ctypes.c_uint32),
    )


class Team:
    """The threads of this process. `team` gives the one that there is."""

    def __init__(self) -> None:
        linked = Linked([compile_object(_IR, TARGET)], ["run", "forget"], TARGET)
        self._run = linked.function("run", ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
        os.register_at_fork(after_in_child=linked.function("forget"))
        # Threads are still in it while the process ends.
        linked.keep()

    def prepared(
        self,
        body: int,
        operands: int,
        workspace: int,
        share_bytes: int,
        phases: Sequence[int],
        threads: int,
    ) -> Callable[[int], None]:
        """What calls a kernel so many times, each time over all tasks, one call after the other.

        A phase begins when all threads have ended the one before. Part i of it has its tasks from
        tasks * i // threads on and the share i of the workspace. Threads that cannot be started are
        done without. For one caller at a time.

        Args:
            body: address of the kernel.
            operands: address of its pointer table.
            workspace: address of all shares.
            share_bytes: of the workspace, for each part.
            phases: tasks of each phase of one call.
            threads: parts of each phase, from 1 on.
        """
        common = (body, operands, workspace, share_bytes)
        jobs: _Job | ctypes.Array[_Job]
        if len(phases) == 1:
            # By far the most calls, of which the shortest take as long as the lines below.
            jobs = _Job(*common, 0, phases[0], threads)
        else:
            firsts = accumulate(phases[:-1], initial=0)
            made = [_Job(*common, *run, threads) for run in zip(firsts, phases, strict=True)]
            jobs = (_Job * len(made))(*made)
        return partial(self._run, ctypes.byref(jobs), len(phases))


_LOCK = threading.RLock()
# Else the child of a fork might get it locked by a thread that it has not.
os.register_at_fork(
    before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release
)


@cache
def _team() -> Team:
    return Team()


def team() -> Team:
    """The team of this process, made on first use."""
    with _LOCK:
        return _team()
