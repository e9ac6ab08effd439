"""Random damage to files, as disks, editors and enemies do it; the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable

_WORDS = (
    *(b"null", b"true", b"-1", b"0", b"1e999", b"NaN", b"1e-400", b"99999999999999999999", b"[]"),
    *(b"{}", b'""', b'"\\ud800"', b'"\\u0000"', b"[[[[[[", b"\xff\xfe", b"\x00", b"\n", b",", b'"'),
    *(b'"' + b"x" * 5000 + b'"', b"9" * 5000, b"'; DROP TABLE records; --"),
)


def mutated(content: bytes, seed: int) -> bytes:
    """The content with one to four random changes."""
    drawn = random.Random(seed)
    for _ in range(drawn.choice((1, 1, 1, 2, 4))):
        content = drawn.choice(_CHANGES)(content, drawn)
    return content


def _flip(content: bytes, drawn: random.Random) -> bytes:
    changed = bytearray(content or b"\0")
    changed[drawn.randrange(len(changed))] ^= 1 << drawn.randrange(8)
    return bytes(changed)


def _overwrite(content: bytes, drawn: random.Random) -> bytes:
    at = drawn.randrange(len(content) + 1)
    some = drawn.randbytes(drawn.choice((1, 4, 64, 4096)))
    return content[:at] + some + content[at + len(some) :]


def _cut(content: bytes, drawn: random.Random) -> bytes:
    return content[: drawn.randrange(len(content) + 1)]


def _remove(content: bytes, drawn: random.Random) -> bytes:
    at = drawn.randrange(len(content) + 1)
    return content[:at] + content[at + drawn.choice((1, 2, 17, 300)) :]


def _repeat(content: bytes, drawn: random.Random) -> bytes:
    at, size = drawn.randrange(len(content) + 1), drawn.choice((1, 30, 1000))
    return content[:at] + content[at : at + size] * 2 + content[at + size :]


def _insert(content: bytes, drawn: random.Random) -> bytes:
    at = drawn.randrange(len(content) + 1)
    return content[:at] + drawn.choice(_WORDS) + content[at:]


def _replace_value(content: bytes, drawn: random.Random) -> bytes:
    """What stands between a colon and the next comma becomes something else."""
    starts = [at for at in range(len(content)) if content[at : at + 1] == b":"]
    if not starts:
        return content
    at = drawn.choice(starts) + 1
    ends = [content.find(end, at) for end in (b",", b"}", b"]")]
    end = min((end for end in ends if end >= 0), default=len(content))
    return content[:at] + drawn.choice(_WORDS) + content[end:]


def _shuffle_lines(content: bytes, drawn: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    drawn.shuffle(lines)
    return b"".join(lines)


_CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_flip, _overwrite, _cut, _remove, _repeat, _insert),
    *(_replace_value, _replace_value, _shuffle_lines),
)
