"""A runner that never unloads a candidate: `python -m leaky_runner`."""

from dataclasses import replace
from typing import Any

from autotune.measure.run import main
from autotune.measure.toolchain import Loaded, Toolchain, real_toolchain

KEPT: list[Loaded] = []


def leaky() -> Toolchain:
    real = real_toolchain()

    def load(artifact: Any, target: Any) -> Loaded:
        loaded = real.load(artifact, target)
        loaded.close = lambda: KEPT.append(loaded)  # type: ignore[method-assign]
        return loaded

    return replace(real, load=load)


if __name__ == "__main__":
    main(leaky)
