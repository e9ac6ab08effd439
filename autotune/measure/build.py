"""The builder process: schedules in, object code or a failure out. `python -m` this module."""

from __future__ import annotations

from collections.abc import Callable

from autotune.ir.schedule import from_dict
from autotune.measure.child import Answer, Channel, Worker, serve
from autotune.measure.cores import stay_on
from autotune.measure.toolchain import Toolchain, real_toolchain
from autotune.measure.wire import Frame, artifact_blob, artifact_header, target_from, workload_from


def main(toolchain: Callable[[], Toolchain] = real_toolchain) -> None:
    """Serve until the tuner goes away. Tests pass a toolchain that misbehaves."""

    def start(first: Frame, _channel: Channel) -> Worker:
        return _builder(first, toolchain())

    serve(start, unexpected="compile_error")


def _builder(first: Frame, tools: Toolchain) -> Worker:
    from autotune.backends import cpu
    from autotune.ops.base import contraction

    stay_on(first.header["cores"])
    made = contraction(workload_from(first.header["workload"]))
    target = target_from(first.header["target"])

    def work(frame: Frame) -> Answer:
        schedule = from_dict(frame.header["schedule"])
        match frame.header.get("do", "build"):
            case "build":
                artifact = tools.build(made, schedule, target)
                return {"artifact": artifact_header(artifact)}, artifact_blob(artifact)
            case "ir":
                return {}, cpu.ir_text(made, schedule, target).encode()
            case "asm":
                return {}, cpu.assembly(made, schedule, target).encode()
            case other:
                raise ValueError(f"unknown job {other!r}")

    return work


if __name__ == "__main__":
    main()
