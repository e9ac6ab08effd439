"""Fork and join in machine code: who does what, how often, and what becomes of the threads.

Needs LLVM. Kernels are Python functions or a few lines of IR; real ones are in `tests/e2e`.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autotune.backends.cpu.lower import BODY
from autotune.backends.cpu.machine import Linked, compile_object
from autotune.backends.cpu.team import WAIT_CYCLES, Team, team
from autotune.targets.x86_64 import TARGET

Body = Callable[[int, int, int, int], None]
KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
COUNTING = f"""{BODY} {{
  %tasks = sub i64 %end, %begin
  atomicrmw add ptr %operands, i64 %tasks monotonic
  ret void
}}"""


def run(body: Body, tasks: int, threads: int, count: int = 1, share_bytes: int = 64) -> None:
    """Run a Python function as a kernel, with operands and workspace at addresses of no meaning."""
    function = KERNEL(body)
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address
    team().prepared(address, 8, 4096, share_bytes, (tasks,), threads)(count)


@pytest.fixture(scope="module")
def counting() -> Iterator[int]:
    """Address of a kernel that adds the number of its tasks to a number at `operands`."""
    linked = Linked([compile_object(COUNTING, TARGET)], ["body"], TARGET)
    yield linked.address("body")
    linked.close()


def counted(address: int, tasks: int, threads: int, count: int) -> int:
    """Tasks that so many calls of the counting kernel did."""
    total = ctypes.c_int64(0)
    team().prepared(address, ctypes.addressof(total), 0, 0, (tasks,), threads)(count)
    return total.value


# --- who does what -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tasks", "threads"), [(1, 1), (7, 1), (2, 2), (7, 2), (7, 3), (5, 4), (2, 3), (20, 7)]
)
def test_every_task_is_done_once_a_call_with_a_workspace_for_each_part(
    tasks: int, threads: int
) -> None:
    seen: list[tuple[int, ...]] = []
    run(lambda *given: seen.append(given), tasks, threads, count=3)
    bounds = [part * tasks // threads for part in range(threads + 1)]
    parts = [(8, 4096 + 64 * part, bounds[part], bounds[part + 1]) for part in range(threads)]
    assert Counter(seen) == dict.fromkeys(parts, 3)


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_phases_follow_each_other_each_over_all_threads(threads: int) -> None:
    phases, seen = (5, 1, 8), list[tuple[int, int]]()

    def body(operands: int, workspace: int, begin: int, end: int) -> None:
        if begin % 2:
            time.sleep(0.001)
        seen.append((begin, end))

    function = KERNEL(body)
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address
    team().prepared(address, 8, 4096, 64, phases, threads)(2)
    expected = []
    for before, tasks in zip((0, 5, 6), phases, strict=True):
        bounds = [before + part * tasks // threads for part in range(threads + 1)]
        expected.append(Counter(itertools.pairwise(bounds)))
    pieces = [seen[i : i + threads] for i in range(0, len(seen), threads)]
    assert [Counter(piece) for piece in pieces] == expected * 2


def test_parts_run_at_the_same_time_in_threads_of_their_own_the_first_in_the_callers() -> None:
    together, threads = threading.Barrier(3), {}

    def body(operands: int, workspace: int, begin: int, end: int) -> None:
        together.wait(10.0)
        threads[begin] = threading.get_ident()

    run(body, 3, 3)
    assert threads[0] == threading.get_ident()
    assert len(set(threads.values())) == 3


def test_calls_follow_each_other() -> None:
    order: list[int] = []

    def body(operands: int, workspace: int, begin: int, end: int) -> None:
        if begin:
            time.sleep(0.005)
        order.append(begin)

    run(body, 2, 2, count=4)
    assert [set(order[i : i + 2]) for i in range(0, 8, 2)] == [{0, 1}] * 4


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("count", [0, 1, 2, 500])
def test_count_is_kept(counting: int, threads: int, count: int) -> None:
    assert counted(counting, 11, threads, count) == 11 * count


def test_ten_thousand_short_calls_are_counted(counting: int) -> None:
    assert sum(counted(counting, 3, 2, 1) for _ in range(10_000)) == 30_000


def test_team_is_there_once() -> None:
    made: list[Team] = []
    threads = [threading.Thread(target=lambda: made.append(team())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(made) == {team()}


# --- several callers -----------------------------------------------------------------------


def test_who_finds_the_team_busy_does_all_parts_alone() -> None:
    begun, finish = threading.Event(), threading.Event()

    def long(operands: int, workspace: int, begin: int, end: int) -> None:
        begun.set()
        assert finish.wait(10.0)

    first = threading.Thread(target=run, args=(long, 2, 2))
    first.start()
    assert begun.wait(10.0)
    callers: list[tuple[int, int]] = []
    try:
        run(lambda _, __, begin, ___: callers.append((begin, threading.get_ident())), 6, 3, 2)
    finally:
        finish.set()
        first.join()
    mine = threading.get_ident()
    assert callers == [(begin, mine) for begin in (0, 2, 4, 0, 2, 4)]


def test_a_kernel_within_a_kernel_is_done_where_it_is_called() -> None:
    inner: list[int] = []
    run(lambda *_: run(lambda _, __, begin, ___: inner.append(begin), 4, 4), 2, 2)
    assert sorted(inner) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_callers_with_other_numbers_of_threads_neither_lose_a_task_nor_hang(counting: int) -> None:
    totals: dict[int, int] = {}

    def caller(threads: int) -> None:
        totals[threads] = sum(counted(counting, 5, threads, 20) for _ in range(50))

    callers = [threading.Thread(target=caller, args=(threads,)) for threads in (1, 2, 3, 5)]
    for one in callers:
        one.start()
    for one in callers:
        one.join(60.0)
    assert totals == dict.fromkeys((1, 2, 3, 5), 5 * 20 * 50)


# --- threads -------------------------------------------------------------------------------


def voluntary_switches(thread: int) -> int:
    text = Path(f"/proc/self/task/{thread}/status").read_text(encoding="utf-8")
    lines = dict(line.split(":", 1) for line in text.splitlines())
    return int(lines["voluntary_ctxt_switches"])


def test_threads_fall_asleep_and_are_woken(counting: int) -> None:
    helper: list[int] = []

    def body(operands: int, workspace: int, begin: int, end: int) -> None:
        if begin:
            helper.append(threading.get_native_id())

    run(body, 2, 2)
    before = voluntary_switches(helper[0])
    for _ in range(20):
        time.sleep(WAIT_CYCLES * 1e-9 * 10)
        assert counted(counting, 2, 2, 3) == 6
    assert voluntary_switches(helper[0]) > before
    run(body, 2, 2)
    assert helper[0] == helper[1]


def test_caller_rounds_for_all_parts() -> None:
    upwards, mathematics = 0x800, ctypes.CDLL("libm.so.6")
    rounded: dict[int, float] = {}

    def body(operands: int, workspace: int, begin: int, end: int) -> None:
        rounded[begin] = 1.0 + 2.0 ** -(60 + begin)

    run(body, 2, 2)
    assert rounded == {0: 1.0, 1: 1.0}
    mathematics.fesetround(upwards)
    try:
        run(body, 2, 2)
    finally:
        mathematics.fesetround(0)
    assert min(rounded.values()) > 1.0
    run(body, 2, 2)
    assert rounded == {0: 1.0, 1: 1.0}


# --- in a process of their own -------------------------------------------------------------


def ended(root: Path, script: str) -> subprocess.CompletedProcess[str]:
    """How a script ends that has `run(body, tasks, threads)`."""
    head = """
        import ctypes, os, resource, signal, sys, threading, time, warnings
        from autotune.backends.cpu.team import team

        warnings.simplefilter("ignore", DeprecationWarning)
        KERNEL = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 2)

        def run(body, tasks, threads, count=1):
            address = ctypes.cast(function := KERNEL(body), ctypes.c_void_p).value
            team().prepared(address, 0, 0, 0, (tasks,), threads)(count)

        def done(tasks, threads):
            seen = []
            run(lambda _, __, *tasks: seen.append(tasks), tasks, threads)
            return sorted(seen)

        def helpers():
            return sorted(set(map(int, os.listdir("/proc/self/task"))) - before)
    """
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(head) + textwrap.dedent(script)],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def printed(root: Path, script: str) -> list[str]:
    """What it prints, where it ends well."""
    process = ended(root, script)
    assert process.returncode == 0, process.stderr
    return process.stdout.splitlines()


def test_team_grows_to_the_largest_number_and_threads_leave_signals_to_others(root: Path) -> None:
    script = """
        import faulthandler
        team()
        before = set(map(int, os.listdir("/proc/self/task")))
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        for threads in (1, 3, 2, 4):
            done(4, threads)
            print(len(helpers()), end=" ")
        print(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
        for thread in helpers():
            status = open(f"/proc/self/task/{thread}/status").read()
            fields = dict(line.split(":", 1) for line in status.splitlines())
            mask = int(fields["SigBlk"], 16)
            names = ("SIGINT", "SIGTERM", "SIGCHLD", "SIGALRM", "SIGSEGV", "SIGFPE", "SIGABRT")
            blocked = [mask >> (getattr(signal, name) - 1) & 1 for name in names]
            print(*blocked, os.sched_getaffinity(thread) == os.sched_getaffinity(0))
    """
    assert printed(root, script) == ["0 2 2 3 set()", *["1 1 1 1 0 0 0 True"] * 3]


def test_threads_that_cannot_be_started_are_done_without_and_tried_again(root: Path) -> None:
    script = """
        team()
        before = set(map(int, os.listdir("/proc/self/task")))
        done(1, 1)
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        pages = int(open("/proc/self/statm").read().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (1 << 20), hard))
        print(done(7, 3), len(helpers()))
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        print(done(7, 3), len(helpers()))
    """
    parts = "[(0, 2), (2, 4), (4, 7)]"
    assert printed(root, script) == [f"{parts} 0", f"{parts} 2"]


@pytest.mark.parametrize("is_busy", [False, True])
def test_child_of_a_fork_has_a_team_of_its_own(root: Path, is_busy: bool) -> None:
    script = f"""
        begun = threading.Event()
        def slow(_, __, begin, end):
            begun.set()
            time.sleep(0.3)

        print(done(4, 2))
        before = set()
        other = threading.Thread(target=run, args=(slow, 2, 2))
        if {is_busy}:
            other.start()
            assert begun.wait(10.0)
        child = os.fork()
        if child == 0:
            is_right = done(4, 2) == [(0, 2), (2, 4)] and len(helpers()) == 2
            grand = os.fork()
            if grand == 0:
                os._exit(0 if done(4, 3) == [(0, 1), (1, 2), (2, 4)] else 1)
            status = os.waitstatus_to_exitcode(os.waitpid(grand, 0)[1])
            os._exit(status if is_right else 2)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        if {is_busy}:
            other.join()
        print(done(4, 2))
    """
    assert printed(root, script) == ["[(0, 2), (2, 4)]", "0", "[(0, 2), (2, 4)]"]


@pytest.mark.parametrize("pause_s", [0.0, 0.0001, 0.01])
def test_process_ends_well_whatever_its_threads_wait_in(root: Path, pause_s: float) -> None:
    script = f"""
        done(4, 4)
        time.sleep({pause_s})
        print("done")
    """
    assert printed(root, script) == ["done"]


def test_crash_in_a_thread_ends_the_process_by_its_signal(root: Path) -> None:
    process = ended(root, "run(lambda _, __, begin, ___: begin and ctypes.string_at(0), 2, 2)")
    assert process.returncode == -11


def test_interrupt_reaches_the_main_thread_as_soon_as_the_call_is_over(root: Path) -> None:
    script = """
        def body(_, __, begin, end):
            if begin:
                os.kill(os.getpid(), signal.SIGINT)
        try:
            run(body, 2, 2)
            while True:
                time.sleep(1.0)
        except KeyboardInterrupt:
            print("interrupted", done(2, 2))
    """
    assert printed(root, script) == ["interrupted [(0, 1), (1, 2)]"]
