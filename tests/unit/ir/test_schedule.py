from __future__ import annotations

import copy
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autotune.errors import ScheduleError
from autotune.ir.schedule import (
    MAX_DEPTH,
    MAX_EXTENT,
    MAX_NESTS,
    MAX_STEPS,
    Group,
    Loop,
    Nest,
    Schedule,
    Stage,
    from_dict,
    from_json,
)
from tests.golden.kernels import KERNELS

NEST = Nest(
    (
        Stage("weight", "axes", once=True),
        Loop("m", 4),
        Stage("x", "dims", align=16, phases=True),
        Loop("k", 32),
    ),
    "n",
    8,
    (("k", 4),),
    store="transpose",
    fuse=(("oh", "ow"),),
    prefetch=(("weight", 512),),
)
FULL = Schedule((NEST,), parallel=1)


def data(**changes):
    """FULL as plain data with top-level fields replaced; `...` takes one away."""
    loaded = {**FULL.to_dict(), **changes}
    return {name: value for name, value in loaded.items() if value is not ...}


def nest_data(**changes):
    nest = {**FULL.to_dict()["nests"][0], **changes}
    return data(nests=[{name: value for name, value in nest.items() if value is not ...}])


def group_data(depth, inner=None):
    """`depth` groups around one nest."""
    part = inner or FULL.to_dict()["nests"][0]
    for level in range(depth):
        part = {"loops": [{"loop": f"a{level}", "step": 1}], "nests": [part]}
    return data(nests=[part])


@pytest.mark.parametrize("name", KERNELS)
def test_schedule_written_as_json_reads_back_equal(name):
    schedule = KERNELS[name].schedule
    assert from_json(schedule.to_json()) == schedule
    assert from_dict(json.loads(schedule.to_json())).digest == schedule.digest


def test_schedule_with_every_field_reads_back_equal():
    assert from_json(FULL.to_json()) == FULL


def test_groups_read_back_equal_and_flatten_in_order():
    inner = Group((Loop("n", 8),), (NEST, Nest((), "m", 1, ())))
    schedule = Schedule((Nest((), "b", 1, ()), Group((Loop("m", 2),), (inner, NEST))))
    assert from_json(schedule.to_json()) == schedule
    assert [nest.vector for nest in schedule.nests] == ["b", "n", "m", "n"]


def test_loops_of_several_parts_are_spread_and_read_back_equal():
    schedule = Schedule((NEST, NEST, NEST), "partial2")
    assert schedule.spread == (0, 0, 0)
    both = schedule.spread_over([0, 2, 1])
    assert (both.parallel_before, both.parallel, both.spread) == ((0, 2), 1, (0, 2, 1))
    assert from_json(both.to_json()) == both
    assert both.to_dict()["parallel_before"] == [0, 2]
    assert both.digest != both.spread_over([0, 0, 1]).digest


def test_schedule_that_is_spread_in_its_last_part_alone_is_written_as_ever():
    schedule = Schedule((NEST, NEST), "partial2").spread_over([0, 1])
    assert schedule == Schedule((NEST, NEST), "partial2", 1)
    assert "parallel_before" not in schedule.to_dict()


def test_json_is_canonical_whatever_the_order_of_the_fields():
    shuffled = dict(reversed(list(FULL.to_dict().items())))
    assert from_dict(shuffled).to_json() == FULL.to_json()
    assert " " not in FULL.to_json()


def test_defaults_of_a_stage_are_not_written():
    nest = Nest((Stage("x", "axes"),), "n", 8, ())
    assert Schedule((nest,)).to_dict()["nests"][0]["steps"] == [{"stage": "x", "layout": "axes"}]


def test_digest_tells_every_field_apart():
    nests = [
        NEST,
        Nest(NEST.steps[1:], "n", 8, NEST.inner),
        Nest((), "n", 8, ()),
        Nest((), "m", 8, ()),
        Nest((), "n", 4, ()),
        Nest((), "n", 8, (), store="scatter"),
        Nest((), "n", 8, (), fuse=(("m", "n"),)),
        Nest((), "n", 8, (), prefetch=(("x", 1),)),
        Nest((), "n", 8, (("k", 1),)),
        Nest((), "n", 8, (("k", 2),)),
        Nest((Stage("x", "dims"),), "n", 8, ()),
        Nest((Stage("x", "axes"),), "n", 8, ()),
        Nest((Stage("x", "dims", align=2),), "n", 8, ()),
        Nest((Stage("x", "dims", phases=True),), "n", 8, ()),
        Nest((Stage("x", "dims", once=True),), "n", 8, ()),
    ]
    schedules = [Schedule((nest,)) for nest in nests]
    schedules += [Schedule((NEST,), parallel=1), Schedule((NEST,), algorithm="partial2")]
    schedules += [Schedule((NEST, NEST)), Schedule((Group((Loop("m", 2),), (NEST,)),))]
    assert len({schedule.digest for schedule in schedules}) == len(schedules)
    assert all(len(s.digest) == 16 and int(s.digest, 16) >= 0 for s in schedules)


def test_loops_before_counts_only_loops():
    stage = NEST.stages[1]
    assert (NEST.loops_before(NEST.stages[0]), NEST.loops_before(stage)) == (0, 1)
    assert [loop.axis for loop in NEST.loops] == ["m", "k"]


# --- what is refused, with the path of the field -----------------------------------------------

STEP, PAIRS = "a name of 1 to 64 characters", "pairs of a name and an integer"
NAN = float("nan")
HUGE = 10**5000
REFUSED = {
    # The whole.
    "a list": ([], "schedule is []; an object is needed"),
    "null": (None, "schedule is None; an object is needed"),
    "text": ("nests", "schedule is 'nests'; an object is needed"),
    "unknown field": (data(mine=1), "schedule has unknown fields: mine"),
    "field that is no text": ({**data(), 3: 4}, "schedule has unknown fields: 3"),
    # Version, algorithm, instruction, parallel.
    "no version": (data(version=...), "schedule.version is missing"),
    "later version": (data(version=2), "schedule.version is 2; this program reads 1"),
    "version 0": (data(version=0), "schedule.version is 0; allowed: an integer from 1"),
    "true version": (data(version=True), "schedule.version is True; allowed: an integer"),
    "version as text": (data(version="1"), "schedule.version is '1'; allowed: an integer"),
    "no algorithm": (data(algorithm=...), "schedule.algorithm is missing"),
    "empty algorithm": (data(algorithm=""), f"schedule.algorithm is ''; allowed: {STEP}"),
    "long algorithm": (data(algorithm="a" * 65), "schedule.algorithm is 'aaa"),
    "algorithm of control characters": (data(algorithm="a\n"), "schedule.algorithm is 'a\\n'"),
    "algorithm with a lone surrogate": (data(algorithm="\ud800"), "schedule.algorithm is"),
    "algorithm as a number": (data(algorithm=1), "schedule.algorithm is 1"),
    "no instruction": (data(instruction=...), "schedule.instruction is missing"),
    "unknown instruction": (data(instruction="amx"), "schedule.instruction is 'amx'; allowed: fma"),
    "instruction as a list": (data(instruction=["fma"]), "schedule.instruction is ['fma']"),
    "no parallel": (data(parallel=...), "schedule.parallel is missing"),
    "negative parallel": (data(parallel=-1), "schedule.parallel is -1; allowed: an integer from 0"),
    "many parallel": (data(parallel=MAX_STEPS + 1), "schedule.parallel is 65"),
    "false parallel": (data(parallel=False), "schedule.parallel is False"),
    "fractional parallel": (data(parallel=1.0), "schedule.parallel is 1.0"),
    "huge parallel": (data(parallel=HUGE), "schedule.parallel is a int too large to show"),
    "parallel_before as a number": (
        data(parallel_before=1),
        "schedule.parallel_before is 1; allowed: a list of at most 16",
    ),
    "negative parallel_before": (
        data(parallel_before=[-1]),
        "schedule.parallel_before is -1; allowed: integers from 0 to 64",
    ),
    "true parallel_before": (data(parallel_before=[True]), "schedule.parallel_before is True"),
    # Nests and groups.
    "no nests": (data(nests=...), "schedule.nests is missing"),
    "empty nests": (data(nests=[]), "schedule.nests is empty; at least one nest is needed"),
    "nests as an object": (data(nests={}), "schedule.nests is {}; allowed: a list of at most 16"),
    "many nests": (
        data(nests=data()["nests"] * (MAX_NESTS + 1)),
        "allowed: a list of at most 16",
    ),
    "nest as text": (data(nests=["n"]), "schedule.nests[0] is 'n'; an object is needed"),
    "empty group": (
        data(nests=[{"loops": [], "nests": []}]),
        "schedule.nests[0].nests is empty",
    ),
    "group without nests": (data(nests=[{"loops": []}]), "schedule.nests[0].nests is missing"),
    "group with a stage": (
        data(nests=[{"loops": [{"stage": "x", "layout": "axes"}], "nests": data()["nests"]}]),
        "schedule.nests[0].loops holds a stage; only loops are allowed",
    ),
    "group with steps": (
        data(nests=[{"loops": [], "nests": data()["nests"], "steps": []}]),
        "schedule.nests[0] has unknown fields: steps",
    ),
    "group of many loops": (
        data(nests=[{"loops": [{"loop": "m", "step": 1}] * 65, "nests": data()["nests"]}]),
        "schedule.nests[0].loops is [{",
    ),
    "groups too deep": (
        group_data(MAX_DEPTH + 1),
        "schedule.nests[0].nests[0].nests[0].nests[0].nests[0] is nested too deep; at most 4",
    ),
    "groups far too deep": (group_data(400), "is nested too deep; at most 4 levels"),
    # Fields of a nest.
    **{
        f"no {name}": (nest_data(**{name: ...}), f"schedule.nests[0].{name} is missing")
        for name in ("steps", "vector", "lanes", "inner", "store", "fuse", "prefetch")
    },
    "unknown field of a nest": (nest_data(tile=1), "schedule.nests[0] has unknown fields: tile"),
    "nest with nests": (nest_data(nests=[]), "schedule.nests[0] has unknown fields: nests"),
    "vector as null": (nest_data(vector=None), "schedule.nests[0].vector is None"),
    "no lanes at all": (nest_data(lanes=0), "schedule.nests[0].lanes is 0; allowed: an integer"),
    "too many lanes": (nest_data(lanes=1025), "from 1 to 1024"),
    "true lanes": (nest_data(lanes=True), "schedule.nests[0].lanes is True"),
    "lanes not a number": (nest_data(lanes=NAN), "schedule.nests[0].lanes is nan"),
    "unknown store": (nest_data(store="turn"), "allowed: direct, transpose, scatter"),
    "store as an object": (nest_data(store={}), "schedule.nests[0].store is {}"),
    "steps as text": (nest_data(steps="mn"), "schedule.nests[0].steps is 'mn'; allowed: a list"),
    "many steps": (
        nest_data(steps=[{"loop": "m", "step": 1}] * (MAX_STEPS + 1)),
        "allowed: a list of at most 64",
    ),
    # Steps.
    "step as a list": (nest_data(steps=[["m", 1]]), "schedule.nests[0].steps[0] is ['m', 1]"),
    "empty step": (nest_data(steps=[{}]), "schedule.nests[0].steps[0].stage is missing"),
    "loop without step": (nest_data(steps=[{"loop": "m"}]), "steps[0].step is missing"),
    "loop by 0": (nest_data(steps=[{"loop": "m", "step": 0}]), "steps[0].step is 0; allowed"),
    "loop by true": (nest_data(steps=[{"loop": "m", "step": True}]), "steps[0].step is True"),
    "loop by 2**62 + 1": (
        nest_data(steps=[{"loop": "m", "step": MAX_EXTENT + 1}]),
        "steps[0].step is 4611686018427387905",
    ),
    "loop over a number": (nest_data(steps=[{"loop": 1, "step": 1}]), "steps[0].loop is 1"),
    "loop and stage": (
        nest_data(steps=[{"loop": "m", "step": 1, "stage": "x"}]),
        "steps[0] has unknown fields: stage",
    ),
    "stage without layout": (nest_data(steps=[{"stage": "x"}]), "steps[0].layout is missing"),
    "stage of unknown layout": (
        nest_data(steps=[{"stage": "x", "layout": "rows"}]),
        "steps[0].layout is 'rows'; allowed: dims, ",
    ),
    "stage by 0": (
        nest_data(steps=[{"stage": "x", "layout": "dims", "align": 0}]),
        "steps[0].align is 0; allowed: an integer from 1 to 4096",
    ),
    "stage by true": (
        nest_data(steps=[{"stage": "x", "layout": "dims", "align": True}]),
        "steps[0].align is True",
    ),
    "stage by phases 1": (
        nest_data(steps=[{"stage": "x", "layout": "dims", "phases": 1}]),
        "steps[0].phases is 1; allowed: true or false",
    ),
    "stage once null": (
        nest_data(steps=[{"stage": "x", "layout": "axes", "once": None}]),
        "steps[0].once is None; allowed: true or false",
    ),
    "unknown field of a stage": (
        nest_data(steps=[{"stage": "x", "layout": "axes", "step": 1}]),
        "steps[0] has unknown fields: step",
    ),
    # Pairs and groups of names.
    "inner as an object": (nest_data(inner={"k": 1}), "schedule.nests[0].inner is {'k': 1}"),
    "inner of one": (nest_data(inner=[["k"]]), f"inner is ['k']; allowed: {PAIRS}"),
    "inner of text": (nest_data(inner=["k1"]), f"inner is 'k1'; allowed: {PAIRS}"),
    "inner by true": (nest_data(inner=[["k", True]]), f"inner is ['k', True]; allowed: {PAIRS}"),
    "inner by 0": (nest_data(inner=[["k", 0]]), "allowed: pairs whose integer is at least 1"),
    "inner by too much": (nest_data(inner=[["k", MAX_EXTENT + 1]]), "pairs whose integer"),
    "inner over a number": (nest_data(inner=[[2, 1]]), f"inner is 2; allowed: {STEP}"),
    "much inner": (nest_data(inner=[["k", 1]] * 65), "allowed: a list of at most 64"),
    "prefetch by huge": (nest_data(prefetch=[["x", HUGE]]), "prefetch is a list too large to show"),
    "prefetch by -1": (nest_data(prefetch=[["x", -1]]), "pairs whose integer is at least 1"),
    "fuse of text": (nest_data(fuse=["mn"]), "fuse is 'mn'; allowed: lists of axis names"),
    "fuse of numbers": (nest_data(fuse=[[1, 2]]), f"fuse is 1; allowed: {STEP}"),
    "fuse of many": (nest_data(fuse=[["m"] * 65]), "allowed: lists of axis names"),
    "fuse as null": (nest_data(fuse=None), "schedule.nests[0].fuse is None"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_from_dict_refuses_with_the_path_of_the_field(case):
    loaded, message = REFUSED[case]
    with pytest.raises(ScheduleError) as caught:
        from_dict(loaded)
    text = str(caught.value)
    assert message in text
    assert "\n" not in text
    assert len(text) < 300


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null,",
        "{'nests': 1}",
        "[" * 100_000,
        '{"nests":' * 100_000,
        "9" * 5000,
        '{"version": ' + "9" * 5000 + "}",
        "\x00",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_from_json_refuses_what_is_not_json_in_one_line(text):
    with pytest.raises(ScheduleError, match="schedule is not JSON"):
        from_json(text)


@pytest.mark.parametrize("text", ["NaN", "1e999", '"x"', "[]", "true", "-1"])
def test_from_json_refuses_json_that_is_no_object(text):
    with pytest.raises(ScheduleError, match="an object is needed"):
        from_json(text)


def test_from_json_refuses_a_value_nested_too_deep_to_show():
    deep = '{"version":' + "[" * 900 + "]" * 900 + "}"
    with pytest.raises(ScheduleError, match=r"schedule\.version is"):
        from_json(deep)


def test_largest_allowed_numbers_read():
    steps = [{"loop": f"a{i}", "step": MAX_EXTENT} for i in range(MAX_STEPS)]
    read = from_dict(nest_data(steps=steps, lanes=1024, inner=[["k", MAX_EXTENT]]))
    assert len(read.nests[0].loops) == MAX_STEPS
    assert len(from_dict(group_data(MAX_DEPTH)).nests) == 1


def _paths(value, path=()):
    yield path
    if isinstance(value, dict | list):
        children = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in children:
            yield from _paths(inner, (*path, key))


BASE = Schedule((Group((Loop("m", 2),), (NEST,)), NEST), "partial2", 1).to_dict()
PATHS = [path for path in _paths(BASE) if path]
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=4)
    | st.just(math.inf),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@settings(derandomize=True, database=None, deadline=None, max_examples=150)
@given(st.sampled_from(PATHS), JUNK)
def test_from_dict_reads_or_refuses_any_value_in_any_field(path, junk):
    loaded = copy.deepcopy(BASE)
    where = loaded
    for key in path[:-1]:
        where = where[key]
    where[path[-1]] = junk
    try:
        read = from_dict(loaded)
    except ScheduleError:
        return
    assert from_json(read.to_json()) == read
