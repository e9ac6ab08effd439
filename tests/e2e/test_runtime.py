"""Real kernels called as users call them: any array, any thread, weights from a file."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autotune.errors import UsageError
from autotune.ir.default import default_schedule
from autotune.ir.schedule import Loop, Nest, Schedule, Stage
from autotune.measure.check import error_units, make_inputs
from autotune.ops.base import contraction, parse_workload
from autotune.reference import expected
from autotune.runtime import Kernel, Packed
from autotune.targets.detect import host
from autotune.trial import Workload

FULL = "c=6,h=9,w=13,k=7,r=3,pad=1,bias=1,residual=1,act=relu"


def default_kernel(workload: Workload, threads: int = 1) -> Kernel:
    target = host().with_threads(threads)
    return Kernel(workload, default_schedule(contraction(workload), target), target)


def call(kernel: Kernel, given: dict[str, Any], **more: Any) -> Any:
    rest = {name: array for name, array in given.items() if name not in ("x", "weight")}
    return kernel(given["x"], given["weight"], **rest, **more)


def is_right(workload: Workload, given: dict[str, Any], out: Any) -> bool:
    """Whether `out` is the result; raises where it is not."""
    plain = {name: np.ascontiguousarray(array) for name, array in given.items()}
    return error_units(workload, out, expected(workload, plain)) <= workload.tolerance


# --- arrays of every kind ------------------------------------------------------------------


def _shifted(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A view `a[1:]`: aligned to one element only."""
    memory = np.empty(array.size + 1, array.dtype)
    view = memory[1:].reshape(array.shape)
    view[...] = array
    return view


def _unaligned(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    memory = np.empty(array.nbytes + 1, np.uint8)
    view = memory[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    assert not view.flags.aligned
    return view


def _reversed(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Negative strides in every dimension."""
    every = (slice(None, None, -1),) * array.ndim
    view: np.ndarray[Any, Any] = np.ascontiguousarray(array[every])[every]
    return view


def _spaced(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    memory = np.full((*array.shape[:-1], 2 * array.shape[-1]), np.nan, array.dtype)
    memory[..., ::2] = array
    return memory[..., ::2]


def _read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    view = array.copy()
    view.flags.writeable = False
    return view


FORMS = {
    "a[1:]": _shifted,
    "unaligned": _unaligned,
    "Fortran order": np.asfortranarray,
    "negative strides": _reversed,
    "every second element": _spaced,
    "read-only": _read_only,
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("width", [7, 13, 17])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_arrays_of_any_kind_give_the_result_of_plain_ones(
    form: Any, width: int, dtype: str
) -> None:
    workload = parse_workload(
        "conv2d", f"c=3,h=5,w={width},k=5,r=3,pad=1,bias=1,residual=1,prepack=0", dtype
    )
    kernel = default_kernel(workload)
    given = make_inputs(workload, width)
    plain = call(kernel, given)
    assert is_right(workload, given, plain)
    formed = {name: form(array) for name, array in given.items()}
    assert call(kernel, formed).tobytes() == plain.tobytes()
    for name, array in given.items():
        assert np.array_equal(formed[name], array)


def test_broadcast_operand_is_read_as_what_it_shows() -> None:
    workload = parse_workload("matmul", "5x17x9")
    given = make_inputs(workload, 0)
    given["x"] = np.broadcast_to(given["x"][:1], (5, 9))
    assert is_right(workload, given, call(default_kernel(workload), given))


def test_output_may_start_anywhere_in_memory() -> None:
    workload = parse_workload("conv2d", "c=3,h=5,w=7,k=5,r=3,pad=1")
    kernel, given = default_kernel(workload), make_inputs(workload, 0)
    plain = call(kernel, given)
    for start in range(1, 17):
        memory = np.full(plain.size + 40, np.nan, np.float32)
        out = memory[start : start + plain.size].reshape(plain.shape)
        assert call(kernel, given, out=out) is out
        assert out.tobytes() == plain.tobytes()
        assert np.isnan(memory[:start]).all()
        assert np.isnan(memory[start + plain.size :]).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_calls_change_no_operand_and_depend_on_no_earlier_call(threads: int) -> None:
    # Reported as triton-lang/triton#6547: accumulating kernels spoiled by being run again.
    workload = parse_workload("conv2d", FULL)
    kernel, given = default_kernel(workload, threads), make_inputs(workload, 0)
    before = {name: array.copy() for name, array in given.items()}
    out = np.full(contraction(workload).output.shape, np.nan, np.float32)
    found = {call(kernel, given, out=out).tobytes() for _ in range(5)}
    assert len(found) == 1
    assert is_right(workload, given, out)
    assert all(np.array_equal(given[name], before[name]) for name in given)


def test_output_that_overlaps_an_operand_is_refused_and_left_alone() -> None:
    workload = parse_workload("matmul", "16x16x16,residual=1")
    kernel, given = default_kernel(workload), make_inputs(workload, 0)
    for name in given:
        before = given[name].copy()
        with pytest.raises(UsageError, match=f"out overlaps {name}"):
            call(kernel, given, out=given[name])
        assert np.array_equal(given[name], before)


# --- packed weights ------------------------------------------------------------------------


@pytest.mark.parametrize("prepack", [0, 1])
def test_packed_weights_give_the_bits_of_plain_ones_also_from_a_file(
    prepack: int, tmp_path: Path
) -> None:
    workload = parse_workload("conv2d", f"c=5,h=9,k=13,r=3,pad=1,prepack={prepack}")
    kernel, given = default_kernel(workload), make_inputs(workload, 0)
    plain = call(kernel, given)
    packed = kernel.pack(given["weight"])
    packed.save(tmp_path / "weights")
    given["weight"][:] = np.nan
    for weight in (packed, Packed.load(tmp_path / "weights")):
        assert kernel(given["x"], weight).tobytes() == plain.tobytes()


def _blocked(columns: int) -> Schedule:
    steps = (Stage("weight", "axes", once=True), Loop("m", 2), Loop("n", columns))
    return Schedule((Nest(steps, "n", 2, (("k", 1),)),))


def test_weights_packed_for_another_kernel_or_schedule_are_refused() -> None:
    workload = parse_workload("matmul", "6x16x8")
    weight = make_inputs(workload, 0)["weight"]
    x = np.zeros((6, 8), np.float32)
    first = Kernel(workload, _blocked(4), host())
    second = Kernel(workload, _blocked(8), host())
    other = Kernel(parse_workload("matmul", "5x16x8"), _blocked(4), host())
    packed = first.pack(weight)
    # The buffers are equally large: only the stamp tells them apart.
    assert packed.buffer.size == second.pack(weight).buffer.size
    assert first(x, packed).shape == (6, 16)
    with pytest.raises(UsageError, match="does not fit this kernel"):
        second(x, packed)
    with pytest.raises(UsageError, match="does not fit this kernel"):
        other(x[:5], packed)
    with pytest.raises(UsageError, match="does not fit this kernel"):
        first(packed, weight)  # type: ignore[arg-type]


# --- threads -------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
def test_calls_from_four_threads_at_once_give_the_same_bits(threads: int) -> None:
    workload = parse_workload("conv2d", FULL.replace("h=9,w=13", "h=30,w=31"))
    kernel = default_kernel(workload, threads)
    operands = [make_inputs(workload, seed) for seed in range(4)]
    alone = [call(kernel, given).tobytes() for given in operands]
    start = threading.Barrier(4)

    def calls(which: int) -> set[bytes]:
        start.wait()
        return {call(kernel, operands[which]).tobytes() for _ in range(40)}

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(calls, range(4)))
    assert found == [{one} for one in alone]


def test_another_python_thread_goes_on_while_a_kernel_runs() -> None:
    # One lane and one accumulator: a kernel that takes a few tenths of a second.
    workload = parse_workload("matmul", "256x512x1024,prepack=0")
    nest = Nest((Loop("m", 1), Loop("n", 1)), "n", 1, (("k", 1),))
    kernel = Kernel(workload, Schedule((nest,)), host())
    given = make_inputs(workload, 0)
    span: list[float] = []

    def run() -> None:
        begin_s = time.perf_counter()
        kernel(given["x"], given["weight"])
        span.extend((begin_s, time.perf_counter()))

    thread = threading.Thread(target=run)
    ticks = []
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    thread.join()
    begin_s, end_s = span
    third_s = (end_s - begin_s) / 3
    assert sum(begin_s + third_s < tick < end_s - third_s for tick in ticks) >= 3


# --- in a process of their own -------------------------------------------------------------


def run_script(root: Path, script: str) -> str:
    """What a script prints; `make()` gives a kernel of one or more threads and its operands."""
    head = """
        import os, sys
        import numpy as np
        from autotune.ir.default import default_schedule
        from autotune.ops.base import contraction, parse_workload
        from autotune.runtime import Kernel
        from autotune.targets.detect import host

        def make(threads, size=32):
            workload = parse_workload("matmul", f"{size}x64x48,bias=1,act=gelu")
            target = host().with_threads(threads)
            kernel = Kernel(workload, default_schedule(contraction(workload), target), target)
            ones = np.ones((size, 48), np.float32), np.ones((48, 64), np.float32)
            return lambda: kernel(*ones, bias=np.ones(64, np.float32))
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(head) + textwrap.dedent(script)],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_does_not_grow_over_many_kernels(root: Path) -> None:
    # Reported as apache/tvm#11096: 32 KiB and more stayed behind with each compiled kernel.
    script = """
        def resident_kib():
            lines = open("/proc/self/status").read().splitlines()
            return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))

        for count in range(121):
            make(1)()
            if count == 40:
                before = resident_kib()
        print(resident_kib() - before)
    """
    assert int(run_script(root, script)) < 80 * 16


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_kernel_over_threads_works_in_a_forked_child(root: Path) -> None:
    # The team's threads do not survive a fork: waiting for them would never end.
    script = """
        import warnings
        warnings.simplefilter("ignore", DeprecationWarning)
        run = make(2)
        before = run().tobytes()
        child = os.fork()
        if child == 0:
            os._exit(0 if run().tobytes() == before else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert run_script(root, script) == "0\n"


def test_process_ends_at_once_after_a_kernel_over_threads(root: Path) -> None:
    script = """
        run = make(2)
        run()
        print("done")
    """
    assert run_script(root, script) == "done\n"
