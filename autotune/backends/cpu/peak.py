"""A kernel that does nothing but fused multiply-adds: what the core can do at most."""

from __future__ import annotations

from autotune.backends.base import Artifact
from autotune.backends.cpu.emit import LLVM_TYPE, Emitter
from autotune.backends.cpu.lower import BODY, REPEAT
from autotune.backends.cpu.machine import compile_object
from autotune.ir.contraction import ITEM_BYTES
from autotune.targets.base import Target

CHAINS = 12
"""Independent accumulators: more than latency times throughput on every core we know."""
ROUNDS = 4096


def peak_kernel(target: Target, dtype: str = "float32") -> tuple[Artifact, int]:
    """An artifact of one operand (`out`) and one task, and the FLOP of one call of its body."""
    lanes = target.vector_bytes // ITEM_BYTES[dtype]
    emitter = Emitter(LLVM_TYPE[dtype], lanes)
    place = emitter.op("load ptr, ptr %operands, align 8")
    # From the first task's number, which is 0 but not known to be: what memory holds may be
    # subnormal, with which some cores are a hundred times slower.
    numbers = [emitter.add("%begin", i) for i in range(CHAINS)]
    start = [emitter.splat(emitter.op(f"sitofp i64 {n} to {emitter.scalar}")) for n in numbers]
    factor = start[1]
    kinds = [emitter.vector] * CHAINS
    with emitter.carried_loop(ROUNDS, 1, start, kinds) as (_, carried, following):
        following.extend(emitter.multiply_add(value, factor, factor) for value in carried)
    for i, value in enumerate(following):
        emitter.store(value, emitter.move(place, lanes * i))
    lines = "\n".join(emitter.lines)
    body = f"{BODY} {{\nentry:\n{lines}\n  ret void\n}}"
    ir = "\n\n".join([*sorted(emitter.declarations), body, REPEAT]) + "\n"
    size = CHAINS * target.vector_bytes
    artifact = Artifact(
        (compile_object(ir, target),), ("out",), (), size, (1,), "peak", target.key, len(ir)
    )
    return artifact, 2 * lanes * CHAINS * ROUNDS
