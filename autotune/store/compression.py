"""Exports that are compressed with Zstandard: written by the file's suffix, read by their content.

The package zstandard is an extra, imported on use. What is unpacked is bounded, whatever it claims.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import IO

from autotune.errors import StoreError, UsageError
from autotune.store.lines import open_regular

SUFFIX = ".zst"
MAX_WINDOW_BYTES = 2**27
_MAGIC = b"\x28\xb5\x2f\xfd"
_LEVEL = 10


def compressed(path: str, content: bytes) -> bytes:
    """The content as a file of this name holds it.

    Raises:
        UsageError: the name asks for Zstandard, and the package is not installed.
    """
    if not path.endswith(SUFFIX):
        return content
    packer = _zstandard(path).ZstdCompressor(level=_LEVEL, write_checksum=True)
    packed: bytes = packer.compress(content)
    return packed


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """The content of a file, unpacked where it is compressed.

    Raises:
        StoreError: it cannot be read, is not a regular file, or cannot be unpacked.
        UsageError: the package that unpacks it is not installed.
    """
    with open_regular(path) as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            file.seek(0)
            yield file
            return
        file.seek(0)
        package = _zstandard(os.fspath(path))
        unpacker = package.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES)
        try:
            with unpacker.stream_reader(file, read_across_frames=True, closefd=False) as stream:
                yield io.BufferedReader(stream)
        except package.ZstdError as error:
            raise StoreError(f"{os.fspath(path)} cannot be unpacked: {error}") from error


def _zstandard(path: str) -> ModuleType:
    try:
        import zstandard
    except ImportError as error:
        raise UsageError(
            f"{path} needs the package zstandard, which cannot be imported ({error}); pip install "
            f"'autotune-kernels[zstd]' brings it"
        ) from error
    return zstandard
