"""TVM's MetaSchedule as a contender in a process of its own, for a Python that has TVM.

`tvm_peer.py` starts it and talks to it: one JSON object a line on stdin, one back on stdout. It
tunes a workload, binds it to sets of operands, and then spends as many calls as it is asked for.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from peers import Call
from versus import InProcess, wait_for_rest


def forget_other_machines() -> None:
    """Before TVM is loaded: intrinsics of others take it most of a minute to parse."""
    import sys
    from types import ModuleType

    for other in ("arm_cpu", "cuda", "hexagon", "riscv_cpu", "rocm"):
        name = f"tvm.s_tir.tensor_intrin.{other}"
        sys.modules[name] = ModuleType(name)


forget_other_machines()

import tvm
from tvm import te
from tvm.ir.utils import derived_object
from tvm.s_tir import meta_schedule

UNLIMITED_TRIALS = 10**6
AT_ONCE, BUILD_S = 16, 10.0
READING_MS = 20


def main() -> int:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # TVM writes to stdout as it likes.
    os.dup2(2, 1)
    bound: InProcess | None = None
    tuned: dict[str, Any] = {}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "bind" in request:
                bound, answer = _bound(request["bind"], tuned), {}
            else:
                assert bound is not None
                answer = {"seconds": bound.spend_s(request["spend"])}
                wait_for_rest()
        except Exception as error:
            text = str(error).strip().splitlines()
            answer = {"error": f"{type(error).__name__}: {text[-1] if text else ''}"}
        print(json.dumps(answer), file=answers, flush=True)
    return 0


def _bound(request: dict[str, Any], tuned: dict[str, Any]) -> InProcess:
    """A contender on `sets` sets of operands; its output of the last one is in the folder."""
    folder, shape = Path(request["folder"]), json.dumps(request["shape"])
    arrays = {name: np.load(folder / f"{name}.npy") for name in ("x", "weight")}
    if shape not in tuned:
        compute = statement(request["shape"], arrays)
        try:
            tuned[shape] = tune(compute, request["target"], request["budget_s"])["main"]
        except TimeUpError as error:
            tuned[shape] = error
    if isinstance(tuned[shape], TimeUpError):
        raise tuned[shape]

    def call() -> Call:
        out = tvm.runtime.tensor(np.zeros(request["out"], arrays["x"].dtype))
        inputs = [tvm.runtime.tensor(array) for array in arrays.values()]
        return Call(partial(tuned[shape], *inputs, out), lambda _: out.numpy())

    calls = [call() for _ in range(request["sets"])]
    for one in calls:
        one.run()
    np.save(folder / "out.npy", calls[-1].array(None))
    return InProcess("metaschedule", calls)


def statement(shape: dict[str, Any], arrays: dict[str, Any]) -> Any:
    """What is computed, as TVM states it: operands as they come, nothing packed beforehand."""
    x, weight = (te.placeholder(a.shape, a.dtype.name, name) for name, a in arrays.items())
    state = _convolution if shape["op"] == "conv2d" else _product
    out = state(shape, x, weight)
    return te.create_prim_func([x, weight, out])


def _product(shape: dict[str, Any], x: Any, weight: Any) -> Any:
    [rows], [columns], [depth] = shape["m"], shape["n"], shape["k"]
    k = te.reduce_axis((0, depth), "k")
    is_left_turned, is_right_turned = shape["ta"][0], shape["tb"][0]

    def sum_of(*place: Any) -> Any:
        *batch, i, j = place
        left = (k, i) if is_left_turned else (i, k)
        right = (j, k) if is_right_turned else (k, j)
        return te.sum(x[(*batch, *left)] * weight[(*batch, *right)], axis=k)

    return te.compute((*shape.get("b", ()), rows, columns), sum_of, "out")


def _convolution(shape: dict[str, Any], x: Any, weight: Any) -> Any:
    top, left, bottom, right = shape["pad"]
    (step_h, step_w), (apart_h, apart_w) = shape["stride"], shape["dilation"]
    batch, channels, high, wide = (int(size) for size in x.shape)
    outputs, depth, window_h, window_w = (int(size) for size in weight.shape)
    shared = outputs // (channels // depth)
    padded = x
    if any(shape["pad"]):

        def value(n: Any, c: Any, h: Any, w: Any) -> Any:
            inside = tvm.tirx.all(h >= top, h < high + top, w >= left, w < wide + left)
            return tvm.tirx.if_then_else(
                inside, x[n, c, h - top, w - left], tvm.tirx.const(0, x.dtype)
            )

        full = (batch, channels, high + top + bottom, wide + left + right)
        padded = te.compute(full, value, "padded")
    out_h = (high + top + bottom - apart_h * (window_h - 1) - 1) // step_h + 1
    out_w = (wide + left + right - apart_w * (window_w - 1) - 1) // step_w + 1
    extents = {"rc": depth, "rh": window_h, "rw": window_w}
    rc, rh, rw = (te.reduce_axis((0, extent), name) for name, extent in extents.items())

    def sum_of(n: Any, k: Any, h: Any, w: Any) -> Any:
        channel = k // shared * depth + rc
        seen = padded[n, channel, h * step_h + rh * apart_h, w * step_w + rw * apart_w]
        return te.sum(seen * weight[k, rc, rh, rw], axis=[rc, rh, rw])

    return te.compute((batch, outputs, out_h, out_w), sum_of, "out")


class TimeUpError(Exception):
    """Ends a search, which itself only counts trials."""


def tune(compute: Any, target_text: str, budget_s: float) -> Any:
    """The best module that MetaSchedule finds within the budget, built."""
    cpu = tvm.target.codegen.llvm_get_system_cpu() if target_text == "host" else target_text
    cores = int(os.environ["TVM_NUM_THREADS"])
    target = tvm.target.Target({"kind": "llvm", "mcpu": cpu, "num-cores": cores})
    until_s = time.monotonic() + budget_s
    database = meta_schedule.database.MemoryDatabase()
    with tempfile.TemporaryDirectory() as folder:
        try:
            meta_schedule.tune_tir(
                mod=compute,
                target=target,
                work_dir=folder,
                max_trials_global=UNLIMITED_TRIALS,
                builder=_builder(lambda: time.monotonic() > until_s),
                runner=_runner(),
                database=database,
            )
        except Exception:
            # What a callback raises comes back as another type.
            if time.monotonic() < until_s:
                raise
    found = meta_schedule.tir_integration.compile_tir(database, compute, target)
    if found is None:
        raise TimeUpError(f"nothing was measured within {budget_s:g} s")
    return tvm.compile(found.mod, target=target)


def _builder(is_late: Callable[[], bool]) -> Any:
    """TVM's own, in processes that load no other machine's intrinsics, until time is up."""
    local = meta_schedule.builder.LocalBuilder(
        timeout_sec=BUILD_S, initializer=forget_other_machines
    )

    @derived_object
    class Timely(meta_schedule.builder.PyBuilder):  # type: ignore[misc]
        def build(self, inputs: Any) -> list[Any]:
            if is_late():
                raise TimeUpError("time is up")
            built: list[Any] = []
            for start in range(0, len(inputs), AT_ONCE):
                some = list(inputs[start : start + AT_ONCE])
                built += [_late() for _ in some] if is_late() else local.build(some)
            return built

    return Timely()


def _late() -> Any:
    return meta_schedule.builder.BuilderResult(None, "time is up")


def _runner() -> Any:
    @derived_object
    class Done(meta_schedule.runner.PyRunnerFuture):  # type: ignore[misc]
        def __init__(self, found: Any) -> None:
            super().__init__()
            self.found = found

        def done(self) -> bool:
            return True

        def result(self) -> Any:
            return self.found

    @derived_object
    class Here(meta_schedule.runner.PyRunner):  # type: ignore[misc]
        def run(self, inputs: Any) -> list[Any]:
            return [Done(_measured(one)) for one in inputs]

    return Here()


def _measured(one: Any) -> Any:
    try:
        module = tvm.runtime.load_module(one.artifact_path)
        rng = np.random.default_rng(0)
        arrays = [rng.standard_normal([int(n) for n in a.shape]) for a in one.args_info]
        tensors = [
            tvm.runtime.tensor(array.astype(info.dtype))
            for array, info in zip(arrays, one.args_info, strict=True)
        ]
        timer = module.time_evaluator("main", tvm.cpu(), number=1, min_repeat_ms=READING_MS)
        seconds = list(timer(*tensors).results)
    except Exception as error:
        return meta_schedule.runner.RunnerResult(None, str(error))
    return meta_schedule.runner.RunnerResult(seconds, None)


if __name__ == "__main__":
    sys.exit(main())
