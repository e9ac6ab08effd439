from __future__ import annotations

import pytest

from autotune.errors import ScheduleError
from autotune.ir.program import program
from autotune.ir.schedule import Group, Loop, Nest, Schedule, Stage
from autotune.ops.base import contraction, parse_workload
from tests.golden.kernels import KERNELS

MATMUL = contraction(parse_workload("matmul", "12x16x8,bias=1,residual=1"))
FIRST = Nest((Loop("part", 1),), "n", 8, (("k", 1),))
SECOND = Nest((Loop("m", 1),), "n", 8, (("part", 2),))


def direct(*steps, parallel=0):
    left = {step.axis: step.step for step in steps if isinstance(step, Loop)}.get("k", 8)
    inner = (("k", 1),) if left > 1 else ()
    return Schedule((Nest(steps, "n", 8, inner),), parallel=parallel)


def partial(*parts, parallel=0, before=()):
    return Schedule(parts, "partial2", parallel, parallel_before=before)


M4 = Loop("m", 4)
REFUSED = {
    # Nests and statements.
    "too few nests": (partial(FIRST), "algorithm partial2 has 2 nests; 1 were given"),
    "too many nests": (Schedule((SECOND, SECOND)), "algorithm direct has 1 nests; 2 were given"),
    "too many nests in a group": (
        partial(Group((M4,), (FIRST, SECOND, SECOND))),
        "has 2 nests; 3 were given",
    ),
    "no such algorithm": (Schedule((SECOND,), "nonesuch"), "'nonesuch' is not known"),
    # Loops around several nests.
    "shared loop over an axis twice": (
        partial(Group((M4,), (Group((Loop("m", 2),), (FIRST, SECOND)),))),
        "two loops over m around several nests",
    ),
    "shared loop over a reduction": (
        partial(Group((Loop("k", 2),), (FIRST, SECOND))),
        "loop over k by 2 around several nests; needed: a parallel axis of each",
    ),
    "shared loop over an axis that one lacks": (
        partial(Group((Loop("part", 1),), (Nest((), "n", 8, (("k", 1),)), SECOND))),
        "loop over part by 1 around several nests",
    ),
    "shared loop over no axis": (partial(Group((Loop("q", 1),), (FIRST, SECOND))), "loop over q"),
    "shared loop as long as the axis": (
        partial(Group((Loop("m", 12),), (FIRST, SECOND))),
        "longer than the step",
    ),
    "shared loop by 0": (partial(Group((Loop("m", 0),), (FIRST, SECOND))), "longer than the step"),
    # Tasks.
    "tasks over loops of a part that has fewer": (
        partial(FIRST, SECOND, before=(2,)),
        "parallel=2 needs that many leading loops in one run",
    ),
    "tasks over more parts than there are": (
        partial(FIRST, SECOND, before=(1, 0)),
        r"parallel_before=\[1, 0\] is not one count for each of the 1 parts before the last",
    ),
    "tasks inside the staged output of an earlier part": (
        partial(
            Nest((Stage("partial", "axes"), Loop("part", 1)), "n", 8, FIRST.inner),
            SECOND,
            before=(1,),
        ),
        "the output is staged outside the parallel loops",
    ),
    "more tasks than loops": (
        direct(M4, parallel=2),
        "parallel=2 needs that many leading loops in one run",
    ),
    "more tasks than shared loops": (
        partial(Group((M4,), (FIRST, SECOND)), parallel=2),
        "parallel=2 needs that many leading loops",
    ),
    "a stage between the tasks' loops": (
        direct(M4, Stage("x", "axes"), Loop("n", 8), parallel=2),
        "that many leading loops in one run",
    ),
    "tasks over a reduction": (
        direct(Loop("k", 4), M4, parallel=1),
        "parallel loop over k: a reduction cannot be spread",
    ),
    "tasks over one axis twice": (
        direct(M4, Loop("m", 2), parallel=2),
        "two parallel loops over one axis",
    ),
    "tasks inside the staged output": (
        direct(Stage("out", "axes"), M4, parallel=1),
        "the output is staged outside the parallel loops",
    ),
    "tasks inside the staged output and another stage": (
        direct(Stage("x", "axes"), Stage("out", "axes"), M4, parallel=1),
        "the output is staged outside the parallel loops",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_program_refuses(case):
    schedule, message = REFUSED[case]
    with pytest.raises(ScheduleError, match=message):
        program(MATMUL, schedule)


def test_program_refuses_what_a_nest_of_it_refuses():
    with pytest.raises(ScheduleError, match="inner loops are"):
        program(MATMUL, partial(FIRST, FIRST))


@pytest.mark.parametrize(
    ("schedule", "tasks"),
    [
        (direct(M4), 1),
        (direct(M4, parallel=1), 3),
        (direct(Loop("m", 5), Loop("n", 8), parallel=2), 6),
        (direct(Loop("m", 5), Loop("n", 8), parallel=1), 3),
        (direct(Stage("weight", "axes", once=True), M4, parallel=1), 3),
        (direct(M4, Stage("out", "axes"), Loop("k", 1), parallel=1), 3),
        (partial(Group((Loop("m", 5), Loop("n", 8)), (FIRST, SECOND)), parallel=1), 3),
        (partial(Group((Loop("m", 5), Loop("n", 8)), (FIRST, SECOND)), parallel=2), 6),
        (partial(FIRST, SECOND), 1),
    ],
)
def test_tasks_are_the_rounds_of_the_parallel_loops(schedule, tasks):
    assert program(MATMUL, schedule).tasks == tasks


FILTERS = contraction(parse_workload("conv2d", "c=8,h=6,k=8,r=3,pad=1"))


@pytest.mark.parametrize(
    ("before", "parallel", "phases", "is_shared"),
    [
        ((), 0, ((0, 1),), False),
        ((), 1, ((0,), (1,)), True),
        ((1,), 0, ((0,), (1,)), True),
        ((1,), 1, ((0,), (1,)), True),
    ],
)
def test_parts_that_are_spread_are_phases_and_hand_on_what_threads_share(
    before, parallel, phases, is_shared
):
    made = program(MATMUL, partial(FIRST, SECOND, parallel=parallel, before=before))
    assert tuple(phase.parts for phase in made.phases) == phases
    spread = [2 if before else 1, 12 if parallel else 1]
    assert [phase.tasks for phase in made.phases] == (spread if len(phases) > 1 else [1])
    assert made.tasks == sum(phase.tasks for phase in made.phases)
    size = 2 * 12 * 16 * 4
    assert made.shared == (frozenset({"partial"}) if is_shared else frozenset())
    assert (made.workspace_bytes, made.shared_bytes) == ((0, size) if is_shared else (size, 0))
    assert made.call_bytes(3) == (size if is_shared else 3 * size)
    assert made.threads_of(7) == min(7, max(spread))


def test_nest_that_only_packs_is_in_no_phase_and_never_spread():
    schedule = KERNELS["winograd"].schedule
    assert [phase.parts for phase in program(FILTERS, schedule).phases] == [(1,)]
    wrong = schedule.spread_over([1, 0])
    with pytest.raises(ScheduleError, match="parallel=1 of a nest that only packs; allowed: 0"):
        program(FILTERS, wrong)


def test_stages_and_temporaries_have_room_of_their_own_on_whole_cache_lines():
    first = Nest(
        (Stage("x", "axes"), Stage("weight", "axes"), Loop("part", 1)), "n", 8, FIRST.inner
    )
    made = program(MATMUL, partial(first, SECOND))
    sizes = {(0, 0): made.nests[0].bytes_of(0), (0, 1): made.nests[0].bytes_of(1)}
    sizes["partial"] = 2 * 12 * 16 * 4
    assert set(made.offsets) == set(sizes)
    ends = 0
    for key, offset in sorted(made.offsets.items(), key=lambda item: item[1]):
        assert offset % 64 == 0
        assert offset >= ends
        ends = offset + sizes[key]
    assert ends <= made.workspace_bytes
    assert made.packed == ()


def test_packed_operand_is_outside_the_workspace():
    made = program(MATMUL, direct(Stage("weight", "axes", once=True), Loop("n", 8)))
    assert made.packed == (("weight", made.nests[0].bytes_of(0)),)
    assert made.workspace_bytes == 0


@pytest.mark.parametrize(
    ("parts", "scope", "elements"),
    [
        ((FIRST, SECOND), (), 2 * 12 * 16),
        ((Group((M4,), (FIRST, SECOND)),), (0,), 2 * 4 * 16),
        ((Group((M4, Loop("n", 8)), (FIRST, SECOND)),), (0,), 2 * 4 * 8),
        ((Group((M4,), (Group((Loop("n", 8),), (FIRST, SECOND)),)),), (0, 0), 2 * 4 * 8),
        ((Group((M4,), (Group((Loop("n", 8),), (FIRST,)), SECOND)),), (0,), 2 * 4 * 16),
        ((Group((M4,), (FIRST,)), Group((M4,), (SECOND,))), (), 2 * 12 * 16),
    ],
)
def test_temporary_covers_one_round_of_the_loops_around_both_its_nests(parts, scope, elements):
    temporary = program(MATMUL, partial(*parts)).temporaries["partial"]
    assert (temporary.scope, temporary.elements) == (scope, elements)


@pytest.mark.parametrize("name", KERNELS)
def test_program_of_each_kernel_keeps_its_nests_in_order(name):
    kernel = KERNELS[name]
    made = program(kernel.contraction, kernel.schedule)
    assert tuple(plan.nest for plan in made.nests) == kernel.schedule.nests
    assert made.nests[-1].contraction.output.operand == "out"
    assert made.workspace_bytes % 64 == 0
