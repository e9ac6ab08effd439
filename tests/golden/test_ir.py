"""The IR of small kernels, kept as text with the CODEGEN_VERSION that wrote it.

Whoever changes what a schedule lowers to raises trial.CODEGEN_VERSION, so that stored records are
seen as stale, and runs pytest with --update-golden; without a higher number that is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from autotune.backends.cpu.lower import lower
from autotune.ir.legal import violation
from autotune.targets.detect import resolve
from autotune.trial import CODEGEN_VERSION
from tests.golden.kernels import KERNELS, TARGET


def compare(folder: Path, texts: Mapping[str, str], version: int, is_update: bool) -> str | None:
    """What is wrong with the texts beside those on record, if anything; writes them on update."""
    record = folder / "VERSION"
    recorded = int(record.read_text("utf-8")) if record.is_file() else 0
    paths = {name: folder / f"{name}.ll" for name in texts}
    kept = {name: path.read_text("utf-8") for name, path in paths.items() if path.is_file()}
    changed = [name for name, text in kept.items() if text != texts[name]]
    if changed and version <= recorded:
        return f"the IR of {', '.join(changed)} changed: raise trial.CODEGEN_VERSION ({version})"
    if is_update:
        folder.mkdir(exist_ok=True)
        for name, path in paths.items():
            path.write_text(texts[name], "utf-8")
        record.write_text(f"{version}\n", "utf-8")
        return None
    missing = sorted(set(texts) - set(kept))
    if missing:
        return f"no IR on record for {', '.join(missing)}: run pytest with --update-golden"
    if version != recorded:
        return f"IR on record is of version {recorded}, not {version}: --update-golden"
    extra = {path.stem for path in folder.glob("*.ll")} - set(texts)
    return f"IR on record of no kernel: {', '.join(sorted(extra))}" if extra else None


def test_ir_of_kernels_is_that_on_record(update_golden, root):
    texts = {name: lower(k.contraction, k.schedule) for name, k in KERNELS.items()}
    folder = root / "tests" / "golden" / "ir"
    assert compare(folder, texts, CODEGEN_VERSION, update_golden) is None


@pytest.mark.parametrize("name", KERNELS)
def test_kernel_is_legal(name):
    kernel = KERNELS[name]
    assert violation(kernel.contraction, kernel.schedule, resolve(TARGET)) is None


def test_changed_ir_is_refused_until_the_version_is_higher(tmp_path):
    old, new = {"a": "ret 1", "b": "ret 2"}, {"a": "ret 1", "b": "ret 3"}
    assert compare(tmp_path, old, 4, True) is None
    assert compare(tmp_path, old, 4, False) is None
    for is_update in (False, True):
        found = compare(tmp_path, new, 4, is_update)
        assert found == "the IR of b changed: raise trial.CODEGEN_VERSION (4)"
    found = compare(tmp_path, new, 5, False)
    assert found == "IR on record is of version 4, not 5: --update-golden"
    assert compare(tmp_path, new, 5, True) is None
    assert compare(tmp_path, new, 5, False) is None
    assert compare(tmp_path, old, 4, True) is not None


def test_missing_and_left_over_ir_is_refused(tmp_path):
    texts = {"a": "ret 1"}
    found = compare(tmp_path, texts, 1, False)
    assert found == "no IR on record for a: run pytest with --update-golden"
    assert compare(tmp_path, {**texts, "b": "ret"}, 1, True) is None
    assert compare(tmp_path, texts, 1, False) == "IR on record of no kernel: b"
