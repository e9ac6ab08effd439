"""Vector versions of the functions that fused tails need, written as IR.

No library is called: object code must load anywhere. Coefficients are computed here from the
functions' own definitions, so that none is copied and both precisions are served.
"""

from __future__ import annotations

import math
from functools import cache

from autotune.backends.cpu.emit import Emitter

LOG2_E = 1 / math.log(2)
EXP_LIMIT = {"float": 87.0, "double": 708.0}
"""Largest argument of exp, either way, whose result is a normal number."""


def activation(emitter: Emitter, name: str, x: str) -> str:
    """The named activation of a vector; NaN stays NaN.

    The short ones are written in place; the long ones are a function of the module, so that a
    register tile does not hold dozens of copies.
    """
    if name == "relu":
        return _clamp_below(emitter, x)
    if name == "relu6":
        return _minimum(emitter, _clamp_below(emitter, x), 6.0)
    if name in ("silu", "gelu"):
        emitter.define(name, _long_activation)
        return emitter.op(f"call {emitter.vector} @{name}({emitter.vector} {x})")
    return x


def _long_activation(emitter: Emitter, name: str, x: str) -> str:
    if name == "silu":
        # x / (1 + exp(-x)); below the clamp of exp the quotient would grow with x again.
        x = _maximum(emitter, x, -EXP_LIMIT[emitter.scalar])
        grown = exponential(emitter, emitter.op(f"fneg {emitter.vector} {x}"))
        return emitter.arithmetic(
            "fdiv", x, emitter.arithmetic("fadd", grown, emitter.constant(1.0))
        )
    # gelu: x / 2 * (1 + erf(x / sqrt 2))
    scaled = emitter.arithmetic("fmul", x, emitter.constant(math.sqrt(0.5)))
    bell = emitter.arithmetic("fadd", erf(emitter, scaled), emitter.constant(1.0))
    return emitter.arithmetic("fmul", emitter.arithmetic("fmul", x, emitter.constant(0.5)), bell)


def _select(emitter: Emitter, condition: str, a: str, b: str) -> str:
    bits = f"<{emitter.lanes} x i1>"
    return emitter.op(f"select {bits} {condition}, {emitter.vector} {a}, {emitter.vector} {b}")


def _compare(emitter: Emitter, name: str, a: str, b: str) -> str:
    return emitter.op(f"fcmp {name} {emitter.vector} {a}, {b}")


def _clamp_below(emitter: Emitter, x: str) -> str:
    zero = emitter.constant(0.0)
    return _select(emitter, _compare(emitter, "olt", x, zero), zero, x)


def _minimum(emitter: Emitter, x: str, limit: float) -> str:
    top = emitter.constant(limit)
    return _select(emitter, _compare(emitter, "ogt", x, top), top, x)


def _maximum(emitter: Emitter, x: str, limit: float) -> str:
    bottom = emitter.constant(limit)
    return _select(emitter, _compare(emitter, "olt", x, bottom), bottom, x)


def exponential(emitter: Emitter, x: str) -> str:
    """Exponential of a vector, split as 2^n * exp(r).

    n = round(x / ln 2) and r = x - n ln 2, so that |r| <= ln 2 / 2; ln 2 comes in two parts, so
    that r keeps its digits. exp(r) by its Taylor series. The argument is clamped to where the
    result is a normal number.
    """
    is_float = emitter.scalar == "float"
    limit, terms = EXP_LIMIT[emitter.scalar], 8 if is_float else 14
    x = _minimum(emitter, _maximum(emitter, x, -limit), limit)
    scaled = emitter.arithmetic("fmul", x, emitter.constant(LOG2_E))
    n = _round(emitter, scaled)
    digits = 10 if is_float else 20
    high = math.floor(math.log(2) * 2**digits) / 2**digits
    low = math.log(2) - high
    r = emitter.multiply_add(n, emitter.constant(-high), x)
    r = emitter.multiply_add(n, emitter.constant(-low), r)
    value = emitter.constant(1 / math.factorial(terms))
    for power in range(terms - 1, -1, -1):
        value = emitter.multiply_add(value, r, emitter.constant(1 / math.factorial(power)))
    bits, mantissa, bias = (32, 23, 127) if is_float else (64, 52, 1023)
    kind = f"<{emitter.lanes} x i{bits}>"
    whole = emitter.op(f"fptosi {emitter.vector} {n} to {kind}")
    biased = emitter.op(f"add {kind} {whole}, {_integers(emitter, bias, bits)}")
    shifted = emitter.op(f"shl {kind} {biased}, {_integers(emitter, mantissa, bits)}")
    power_of_two = emitter.op(f"bitcast {kind} {shifted} to {emitter.vector}")
    return emitter.arithmetic("fmul", value, power_of_two)


def _round(emitter: Emitter, x: str) -> str:
    """To the nearest integer, by adding and taking away 1.5 * 2^mantissa: no library call."""
    magic = emitter.constant(1.5 * 2.0 ** (23 if emitter.scalar == "float" else 52))
    return emitter.arithmetic("fsub", emitter.arithmetic("fadd", x, magic), magic)


def _integers(emitter: Emitter, value: int, bits: int) -> str:
    return f"splat (i{bits} {value})"


def erf(emitter: Emitter, x: str) -> str:
    """The error function: sign(x) (1 - exp(-z^2) q(t)), z = |x|, t = 2 / (2 + z).

    q(t) = exp(z^2) erfc(z) is smooth on (0, 1]; its Chebyshev series converges fast enough for
    double precision in 30 terms. Source: the substitution is the classical one for erfc.
    """
    coefficients = _erfc_series(14 if emitter.scalar == "float" else 32)
    z = _minimum(emitter, emitter.call("fabs", x), 6.0)
    two = emitter.constant(2.0)
    t = emitter.arithmetic("fdiv", two, emitter.arithmetic("fadd", z, two))
    # Clenshaw's recurrence, t mapped from [1/4, 1] to u in [-1, 1].
    u = emitter.multiply_add(t, emitter.constant(2 / 0.75), emitter.constant(-1.25 / 0.75))
    twice = emitter.arithmetic("fadd", u, u)
    ahead, current = emitter.constant(0.0), emitter.constant(0.0)
    for coefficient in reversed(coefficients[1:]):
        shifted = emitter.arithmetic("fsub", emitter.constant(coefficient), ahead)
        ahead, current = current, emitter.multiply_add(twice, current, shifted)
    first = emitter.arithmetic("fsub", emitter.constant(coefficients[0]), ahead)
    q = emitter.multiply_add(u, current, first)
    square = emitter.arithmetic("fmul", z, z)
    decay = exponential(emitter, emitter.op(f"fneg {emitter.vector} {square}"))
    complement = emitter.arithmetic("fmul", decay, q)
    magnitude = emitter.arithmetic("fsub", emitter.constant(1.0), complement)
    return emitter.call("copysign", magnitude, x)


@cache
def _erfc_series(terms: int) -> tuple[float, ...]:
    """Chebyshev coefficients of exp(z^2) erfc(z) over t = 2 / (2 + z) in [1/4, 1], z in [0, 6]."""
    nodes = 64
    values = []
    for k in range(nodes):
        t = 0.375 * math.cos(math.pi * (k + 0.5) / nodes) + 0.625
        z = 2 / t - 2
        values.append(math.exp(z * z) * math.erfc(z))
    series = []
    for j in range(terms):
        total = math.fsum(
            v * math.cos(math.pi * j * (k + 0.5) / nodes) for k, v in enumerate(values)
        )
        series.append(total * (1 if j == 0 else 2) / nodes)
    return tuple(series)
