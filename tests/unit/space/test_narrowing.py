"""Space files: what they pin, forbid and widen, and what is said of those that make no sense."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from autotune.errors import SpaceError
from autotune.ir.legal import violation
from autotune.ops.base import contraction, parse_workload
from autotune.registry import OPERATORS
from autotune.space import generate
from autotune.space.base import Narrowing
from autotune.space.narrowing import MAX_FILE_BYTES, load, parse
from autotune.targets.detect import resolve

V3 = resolve("x86-64-v3")
MATMUL = contraction(parse_workload("matmul", "64x64x64"))
CONV = contraction(parse_workload("conv2d", "c=17,h=14,k=19,r=3,pad=1"))
FILES = sorted((Path(__file__).resolve().parents[2] / "data" / "shapes").glob("*.json"))


def narrowed(text, computed=MATMUL, op="matmul", target=V3):
    return generate(computed, target, parse(text, "my.toml", op))


def schedules(space, count=60):
    points = space.sample(np.random.default_rng(0), count)
    made = [space.schedule(point) for point in points]
    assert made
    assert {violation(space.contraction, schedule, space.target) for schedule in made} == {None}
    return made


def nests(text):
    return [schedule.nests[0] for schedule in schedules(narrowed(text))]


def left_of(nest, axis, extent=64):
    """Register tile along one axis."""
    return min([loop.step for loop in nest.loops if loop.axis == axis], default=extent)


# --- what a file says --------------------------------------------------------------------------


def test_file_without_sections_says_nothing():
    for text in ("", "# only a comment\n", 'op = "matmul"\n', "[only]\n[never]\n"):
        found = parse(text, "my.toml", "matmul")
        assert (found.only, found.never, found.digest) == ({}, {}, "")
    plain, empty = generate(MATMUL, V3), narrowed("")
    assert (plain.digest, plain.size) == (empty.digest, empty.size)


def test_single_value_pins_a_knob():
    assert {nest.vector for nest in nests('[only]\nvector = "n"\n')} == {"n"}
    assert {left_of(nest, "m") for nest in nests("[only]\ntile.m = 6\n")} == {6}


def test_list_narrows_a_knob():
    found = nests("[only]\ntile.n = [16, 24]\nvector = ['n']\n")
    assert {left_of(nest, "n") for nest in found} == {16, 24}


def test_value_that_was_not_generated_widens_a_knob():
    assert 11 not in generate(MATMUL, V3).knobs["unroll.k"]
    found = nests("[only]\nunroll.k = [1, 11]\n")
    assert {unroll for nest in found for _, unroll in nest.inner} == {1, 11}
    assert 11 in narrowed("[only]\nunroll.k = [1, 11]\n").knobs["unroll.k"]


def test_never_forbids_values():
    found = nests('[never]\nstore = ["scatter", "transpose"]\nstage.out = "axes"\n')
    assert {nest.store for nest in found} == {"direct"}
    assert not any(stage.operand == "out" for nest in found for stage in nest.stages)


def test_never_takes_away_from_only():
    found = nests("[only]\ntile.m = [4, 6, 8]\n[never]\ntile.m = 6\n")
    assert {left_of(nest, "m") for nest in found} == {4, 8}


@pytest.mark.parametrize(
    "text",
    ["[only]\ntile.m = 4\n", '[only]\n"tile.m" = [4]\n', "[only.tile]\nm = 4\n", "only.tile.m=4"],
)
def test_dotted_names_may_be_written_as_tables(text):
    assert parse(text, "my.toml", "matmul").only == {"tile.m": (4,)}


def test_digest_follows_the_meaning_and_not_the_text():
    first = parse("[only]\ntile.m = 4 # four\n[never]\nvector = 'm'\n", "a.toml", "matmul")
    second = parse("never.vector = ['m']\nonly.tile.m = [4]\n", "b.toml", "matmul")
    other = parse("[only]\ntile.m = 5\n[never]\nvector = 'm'\n", "a.toml", "matmul")
    assert first.digest == second.digest != other.digest
    assert first.source == "a.toml"


def test_narrowing_to_one_schedule_leaves_exactly_that():
    text = """
        [only]
        vector = "n"
        tile = {m = 4, n = 16}
        block = {m = 0, n = 0}
        split.k = 0
        unroll.k = 2
        store = "direct"
        stage = {x = "none", weight = "none", out = "none"}
        prefetch = 0
        [never]
        fuse = []
    """
    space = narrowed(text, contraction(parse_workload("matmul", "64x16x64,prepack=0")))
    assert (space.size, space.is_exact) == (1, True)
    points = space.all_points()
    assert len(points) == 1
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(space.neighbours(points, rng), points)
    np.testing.assert_array_equal(space.mix(points, points, rng), points)
    assert {s.digest for s in schedules(space)} == {space.schedule(points[0]).digest}


def test_narrowing_to_nothing_legal_says_why():
    space = narrowed("[only]\ntile.m = 28\ntile.n = 64\n")
    assert len(space.sample(np.random.default_rng(0), 50)) == 0
    why = space.why_empty()
    assert why.startswith("a register tile of more than 16 vectors, operands included: 100%")
    assert "\n" not in why
    short = narrowed(
        "[only]\nvector='n'\ntile.m=28\ntile.n=64\nblock.m=0\nblock.n=0\nsplit.k=0\nunroll.k=1\n"
        "stage.x='none'\nstage.out='none'\nprefetch=0\n"
    )
    assert (short.size, short.is_exact, len(short.all_points())) == (0, True, 0)
    assert len(short.sample(np.random.default_rng(0), 50)) == 0
    assert "a register tile of more than 16 vectors, operands included: 100%" in short.why_empty()


def test_why_empty_names_the_rules_most_frequent_first():
    why = narrowed("[only]\ntile.m = 28\ntile.n = 64\n").why_empty().split("; ")
    shares = [int(part.rpartition(": ")[2].rstrip("%")) for part in why]
    assert shares == sorted(shares, reverse=True)
    assert len(why) > 1


def test_knobs_list_what_can_be_set():
    knobs = generate(MATMUL, V3).knobs
    assert set(knobs) >= {"vector", "lanes", "fuse", "store", "prefetch", "tile.m", "tile.n"}
    assert set(knobs) >= {"block.m", "split.k", "unroll.k", "stage.x", "stage.weight", "stage.out"}
    assert knobs["vector"] == ("m", "n")
    assert knobs["stage.weight"] == ("none", "once")
    assert knobs["unroll.k"] == (1, 2, 4, 8)
    for knob, values in knobs.items():
        shown = json.dumps(list(values))
        assert parse(f"only.{knob} = {shown}", "my.toml", "matmul").only[knob] == values
        # Whatever is listed may be written into a file.
        assert narrowed(f"only.{knob} = {shown}").knobs[knob] == values


def test_knobs_of_fused_axes_and_algorithms_can_be_set():
    pointwise = contraction(parse_workload("conv2d", "c=24,h=14,k=36,r=1"))
    assert "oh.ow" in generate(pointwise, V3).knobs["fuse"]
    space = narrowed("only.fuse='oh.ow'\nonly.tile.oh.ow=[28]\n", pointwise, "conv2d")
    assert {s.nests[0].fuse for s in schedules(space)} == {(("oh", "ow"),)}
    assert "winograd2" in generate(CONV, V3).knobs["algorithm"]
    direct = narrowed("only.algorithm='direct'", CONV, "conv2d")
    assert {s.algorithm for s in schedules(direct)} == {"direct"}
    other = narrowed("never.algorithm='direct'", CONV, "conv2d")
    assert "direct" not in {
        other.schedule(point).algorithm for point in other.sample(np.random.default_rng(0), 30)
    }


# --- what is refused ---------------------------------------------------------------------------

LEFT = "nothing is left of the space"
REFUSED = {
    "not TOML": ("only = [", "my.toml is not TOML"),
    "a key twice": ("op='matmul'\nop='matmul'", "my.toml is not TOML"),
    "an integer of 5000 digits": ("a = " + "9" * 5000, "my.toml is not TOML"),
    "deep lists": ("a = " + "[" * 5000, "my.toml is not TOML"),
    "deep tables": ("[only." + "a." * 5000 + "b]\nc=1", "my.toml: only: tables are nested too"),
    "unknown key": ("knobs = 1", "my.toml: knobs: unknown key; allowed: op, only, never"),
    "unknown section": ("[pin]\nvector='n'", "my.toml: pin: unknown key"),
    "another operator": ("op = 'conv2d'", "my.toml: op: 'conv2d' is not this workload's"),
    "operator as a number": ("op = 3", "my.toml: op: 3 is not this workload's; allowed: 'matmul'"),
    "section as a number": ("only = 3", "my.toml: only: 3 is no table of knobs"),
    "section as a list": ("never = []", "my.toml: never: [] is no table of knobs"),
    "empty list": ("[only]\ntile.m = []", "my.toml: only.tile.m: an empty list leaves nothing"),
    "fraction": ("[only]\ntile.m = [4, 4.5]", "my.toml: only.tile.m[1]: 4.5 is not allowed"),
    "list in a list": ("[only]\ntile.m = [[4]]", "my.toml: only.tile.m[0]: [4] is not allowed"),
    "date": ("[never]\ntile.m = 2026-11-30", "my.toml: never.tile.m[0]: datetime.date"),
    # Against the workload.
    "unknown knob": ("[only]\ntile.q = 4", "my.toml: only.tile.q: no such knob for this workload"),
    "knob without its axis": ("[only]\ntile = 4", "my.toml: only.tile: no such knob"),
    "unknown knob forbidden": ("[never]\nvectors = 'm'", "my.toml: never.vectors: no such knob"),
    "unknown name": (
        "[only]\nvector = ['n', 'q']",
        "my.toml: only.vector[1]: 'q' is not allowed; allowed: m, n",
    ),
    "unknown name forbidden": (
        "[never]\nstore = ['direct', 'turned']",
        "my.toml: never.store[1]: 'turned' is not allowed; allowed: direct, scatter, transpose",
    ),
    "number for a name": ("[only]\nvector = 1", "my.toml: only.vector[0]: 1 is not allowed"),
    "name for a number": (
        "[only]\nunroll.k = ['4']",
        "my.toml: only.unroll.k[0]: '4' is not allowed; allowed: a number, such as 1, 2, 4, 8",
    ),
    "true for a number": ("[only]\nunroll.k = true", "my.toml: only.unroll.k[0]: True is not"),
    "unknown algorithm": ("[only]\nalgorithm = 'fft'", "my.toml: only.algorithm[0]: 'fft' is not"),
    "algorithm that does not fit": (
        "[only]\nalgorithm = 'winograd2'",
        "my.toml: only.algorithm: none of winograd2 fits",
    ),
    # What leaves nothing.
    **{
        f"nothing after {text}": (f"[{section}]\n{text}", f"my.toml: {section}.{knob}: {LEFT}")
        for section, knob, text in (
            ("never", "vector", "vector = ['m', 'n']"),
            ("only", "tile.m", "tile.m = 65"),
            ("only", "tile.m", "tile.m = 0"),
            ("only", "tile.m", "tile.m = " + "1" * 60),
            ("only", "lanes", "lanes = 5"),
            ("only", "split.k", "split.k = 64"),
        )
    },
    "nothing after two": (
        "[only]\ntile.m = 65\n[never]\nstore = 'scatter'",
        f"my.toml: only.tile.m, never.store: {LEFT}",
    ),
    "nothing after one of two": (
        "[only]\nprefetch = 0\n[never]\nvector = ['m', 'n']",
        f"my.toml: only.prefetch, never.vector: {LEFT}",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_file_is_refused_with_its_name_and_the_path_of_the_key(case):
    text, message = REFUSED[case]
    with pytest.raises(SpaceError) as caught:
        narrowed(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value).replace(" (at end of document)", "")


def test_unknown_knob_is_answered_with_those_that_exist():
    with pytest.raises(SpaceError) as caught:
        narrowed("[only]\ntile.ow = 4")
    assert all(knob in str(caught.value) for knob in ("tile.m", "unroll.k", "stage.weight"))


def test_file_is_read_from_its_path(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("[only]\ntile.m = 4\n", "utf-8")
    found = load(str(path), "matmul")
    assert (found.source, found.only) == (str(path), {"tile.m": (4,)})
    path.write_text("[only]\ntile.q = 4\n", "utf-8")
    with pytest.raises(SpaceError, match=r"mine\.toml: only\.tile\.q: no such knob"):
        generate(MATMUL, V3, load(str(path), "matmul"))


def test_path_that_cannot_be_read_is_refused(tmp_path):
    for path in (tmp_path, tmp_path / "missing.toml", tmp_path / ("x" * 300), "nul\0.toml"):
        with pytest.raises(SpaceError, match=r"space file .* cannot be read"):
            load(str(path), "matmul")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe[only]")
    with pytest.raises(SpaceError, match=r"binary\.toml cannot be read"):
        load(str(binary), "matmul")


def test_endless_file_is_refused_by_its_size(tmp_path):
    path = tmp_path / "large.toml"
    path.write_bytes(b"#" * MAX_FILE_BYTES)
    assert load(str(path), "matmul").only == {}
    path.write_bytes(b"#" * (MAX_FILE_BYTES + 1))
    with pytest.raises(SpaceError, match=f"has more than {MAX_FILE_BYTES} bytes"):
        load(str(path), "matmul")
    with path.open("r+b") as file:
        file.truncate(2**40)
    with pytest.raises(SpaceError, match=f"has more than {MAX_FILE_BYTES} bytes"):
        load(str(path), "matmul")


# --- the files that are shipped ----------------------------------------------------------------


def shipped_cases():
    """Every 12th recorded shape, and small and odd ones of each operator."""
    entries = [entry for path in FILES for entry in json.loads(path.read_text("utf-8"))]
    for entry in entries[::12]:
        sizes = {k: v for k, v in entry.items() if k not in ("name", "op", "dtype")}
        yield (
            entry["op"],
            ",".join(
                f"{k}={'x'.join(map(str, v)) if isinstance(v, list) else v}"
                for k, v in sizes.items()
            ),
        )
    yield from [("matmul", "1x1x1"), ("matmul", "7x5x1"), ("batch_matmul", "2x1x3x4")]
    yield from [("conv2d", "c=1,h=1,k=1,r=1"), ("conv2d", "c=5,h=9,k=7,r=3,stride=2,pad=1")]


@pytest.mark.parametrize("op", OPERATORS.names())
def test_shipped_file_of_each_operator_loads(op):
    assert load(None, op).source == f"search_spaces/{op}.x86_64.toml"


def test_operator_without_a_shipped_file_is_not_narrowed():
    assert load(None, "nonesuch") == Narrowing()


def test_shipped_files_fit_every_shape_and_leave_legal_points():
    ops = set()
    for position, (op, shape) in enumerate(shipped_cases()):
        target = resolve(("x86-64", "x86-64-v3", "x86-64-v4")[position % 3])
        computed = contraction(parse_workload(op, shape))
        space = generate(computed, target, load(None, op))
        points = space.sample(np.random.default_rng(0), 3)
        assert len(points), (op, shape)
        assert violation(computed, space.schedule(points[0]), target) is None
        ops.add(op)
    assert ops == set(OPERATORS.names())


# --- knobs of other algorithms -------------------------------------------------------------------


def filtered(text):
    return narrowed(
        f"[only]\nalgorithm = ['winograd2', 'winograd4', 'winograd6']\n{text}", CONV, "conv2d"
    )


def test_winograd_knobs_narrow_as_others_do():
    space = filtered("winograd.rows = [1, 2]\nwinograd.vectors = 1")
    found = schedules(space)
    assert {schedule.algorithm for schedule in found} <= {"winograd2", "winograd4"}
    assert space.size < filtered("").size
    for text, message in (
        ("winograd.q = 1", "my.toml: only.winograd.q: no such knob; knobs: winograd.channels"),
        ("winograd.rows = ['a']", "my.toml: only.winograd.rows[0]: 'a' is not allowed; allowed: a"),
        ("winograd.rows = -1", "my.toml: only.winograd.rows[0]: -1 is not allowed"),
    ):
        with pytest.raises(SpaceError) as caught:
            filtered(text)
        assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "tile_rows = 0",
        "vectors = 0",
        "rows = 99999999999999999999",
        "unroll = 0",
        "prefetch = 100000",
    ],
)
def test_winograd_number_that_means_nothing_is_refused(text):
    with pytest.raises(SpaceError):
        filtered(f"winograd.{text}").sample(np.random.default_rng(0), 10)


def test_winograd_points_of_a_blocked_layout_are_canonical():
    computed = contraction(
        parse_workload("conv2d", "c=16,h=10,k=32,r=3,pad=1", "float32", "NCHW16c")
    )
    space = narrowed("never.algorithm='direct'", computed, "conv2d")
    points = space.all_points()
    assert len({space.schedule(point).digest for point in points[::3]}) == len(points[::3])
