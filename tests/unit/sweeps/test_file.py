from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autotune.sweeps import file
from autotune.sweeps.base import Sweep, SweepError
from tests.recordings import recorded

SWEEP = recorded()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / f"made{file.SUFFIX}"
    file.write(SWEEP, made)
    return made


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def rewrite(path: Path, fields: list[dict]) -> None:
    """A file that is whole and says other things."""
    said = [json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in fields]
    end = {"kind": "end", "sha256": hashlib.sha256(b"".join(said)).hexdigest()}
    last = json.dumps(end, separators=(",", ":")).encode() + b"\n"
    path.write_bytes(gzip.compress(b"".join([*said, last])))


def assert_alike(a: Sweep, b: Sweep) -> None:
    assert (a.name, a.about, a.knobs, a.failures) == (b.name, b.about, b.knobs, b.failures)
    assert (a.plain, a.features_version, a.reference_s) == (
        b.plain, b.features_version, b.reference_s,
    )  # fmt: skip
    assert np.array_equal(a.points, b.points)
    assert np.array_equal(a.families, b.families)
    np.testing.assert_allclose(a.first_ratios, b.first_ratios, rtol=1e-5)
    np.testing.assert_allclose(a.bounds, b.bounds, rtol=1e-5)
    assert a.again.keys() == b.again.keys()
    assert a.features.keys() == b.features.keys()
    for name in a.features:
        assert np.array_equal(a.features[name], b.features[name])


def test_what_is_written_is_read_again(path: Path) -> None:
    assert_alike(file.read(path), SWEEP)


def test_what_need_not_be_there_may_be_missing(tmp_path: Path) -> None:
    bare = replace(
        SWEEP, again={}, families=np.zeros(0, np.int64), bounds=np.zeros(0), features={}, plain=()
    )
    file.write(bare, tmp_path / "bare")
    assert_alike(file.read(tmp_path / "bare"), bare)


def test_the_same_sweep_gives_the_same_bytes_also_read_and_written_again(path: Path) -> None:
    before = path.read_bytes()
    file.write(file.read(path), path)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_as_many_points_as_are_allowed_can_be_read_again(tmp_path: Path) -> None:
    """The longest lines that there can be: no two numbers are alike, and all are long."""
    count = file.MOST_POINTS
    numbers = np.random.default_rng(0).uniform(1e-5, 9e-5, count)
    large = Sweep(
        name="large", about={}, knobs={"a": tuple(range(count))},
        points=np.arange(count)[:, None], first_ratios=numbers, failures=("",) * count,
        reference_s=1e-3, bounds=numbers, features={"a": (-numbers).astype(np.float32)},
    )  # fmt: skip
    file.write(large, tmp_path / "large")
    assert_alike(file.read(tmp_path / "large"), large)


def test_more_points_than_are_allowed_are_not_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "MOST_POINTS", 100)
    with pytest.raises(SweepError, match=rf"made has {len(SWEEP)} points; allowed: 100"):
        file.write(SWEEP, path)


def test_every_cut_is_noticed(path: Path) -> None:
    whole = path.read_bytes()
    for count in range(0, len(whole), max(1, len(whole) // 60)):
        path.write_bytes(whole[:count])
        with pytest.raises(SweepError, match=r"cut|not compressed|is damaged"):
            file.read(path)


def test_a_cut_between_two_lines_is_noticed(path: Path) -> None:
    content = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    path.write_bytes(gzip.compress(b"".join(content[:-1])))
    with pytest.raises(SweepError, match=r"made\.sweep\.gz: it is cut: it has no end line"):
        file.read(path)


@pytest.mark.parametrize("place", [0.2, 0.5, 0.9])
def test_a_changed_byte_is_noticed(path: Path, place: float) -> None:
    content = bytearray(gzip.decompress(path.read_bytes()))
    at = next(i for i in range(int(place * len(content)), len(content)) if content[i] in b"12")
    content[at] ^= 3
    path.write_bytes(gzip.compress(bytes(content)))
    with pytest.raises(SweepError):
        file.read(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not compressed with gzip"),
        (b'{"kind":"sweep"}', "not compressed with gzip"),
        (gzip.compress(b""), "first line is not that of a recorded sweep"),
        (gzip.compress(b'{"kind":"header","log_version":1}\n'), "first line is not that"),
        (gzip.compress(b'{"kind":"sweep","sweep_version":9}\n'), "version 9 is not known; .*: 1"),
        (gzip.compress(b'{"kind":"sweep"}\n'), "version None is not known; allowed: 1"),
    ],
)
def test_foreign_files_are_named_in_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "foreign"
    path.write_bytes(content)
    with pytest.raises(SweepError, match=message) as caught:
        file.read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_absent_files_and_folders_are_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(SweepError, match="cannot be read"):
            file.read(path)
    with pytest.raises(SweepError, match="cannot be written"):
        file.write(SWEEP, tmp_path)


HEAD, KNOB, RATIO, AGAIN, FEATURE = 0, 1, 7, 9, 12


@pytest.mark.parametrize(
    ("at", "change", "message"),
    [
        (HEAD, {"points": 0}, "points is 0; allowed: 1 to"),
        (HEAD, {"points": "9"}, "points is '9'; allowed: int"),
        (HEAD, {"plain": ["a"]}, "plain holds what is no row"),
        (HEAD, {"reference_s": None}, "reference_s is None"),
        (HEAD, {"points": 7}, "rows is no list of 7"),
        (KNOB, {"kind": "shelf"}, "kind 'shelf' is not known"),
        (KNOB, {"name": 3}, "has no name"),
        (KNOB, {"values": 3}, "values is 3; allowed: a list"),
        (KNOB, {"values": ["direct", None]}, "a value is no number and no name"),
        (KNOB, {"values": ["direct"]}, "not from 0 to 0"),
        (KNOB, {"rows": [True]}, "rows is no list of"),
        (KNOB, {"name": "tile.oc"}, "knob tile.oc: twice"),
        (RATIO, {"values": [1.0, 2.0]}, "ratio: 2 values; allowed: "),
        (RATIO, {"kind": "feature", "name": "x", "values": [1.0]}, "no line of kind ratio"),
        (AGAIN, {"values": [5], "rows": [0]}, "5 is no list of ratios"),
        (AGAIN, {"values": [["a"]], "rows": [0]}, "'a' is no number"),
        (FEATURE, {"values": [True], "rows": None}, "True is no number"),
    ],
)
def test_whole_files_that_make_no_sense_are_refused(
    path: Path, at: int, change: dict[str, object], message: str
) -> None:
    fields = lines(path)[:-1]
    fields[at] = {**fields[at], **change}
    rewrite(path, fields)
    with pytest.raises(SweepError, match=message):
        file.read(path)


def test_lines_that_are_no_json_or_come_after_the_end_are_refused(path: Path) -> None:
    content = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(content.replace(b'{"kind":"ratio"', b'{"kind":NaN', 1)))
    with pytest.raises(SweepError, match=r"line 8: no JSON"):
        file.read(path)
    path.write_bytes(gzip.compress(content + b'{"kind":"sweep"}\n'))
    with pytest.raises(SweepError, match=r"comes after its end"):
        file.read(path)
