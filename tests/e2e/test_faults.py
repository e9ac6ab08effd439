"""Faults that users of such tools met, by number: which test settles each, and whole runs here.

SETTLED names the tests elsewhere; those below tune for real, with faults planted where needed.
"""

from __future__ import annotations

import ast
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autotune.errors import MeasureError, SpaceError
from autotune.explorers.base import explorer_rng
from autotune.ir.default import default_schedule
from autotune.ir.schedule import Schedule
from autotune.measure.base import MeasureOptions, Measurer
from autotune.measure.check import check_candidate
from autotune.measure.pool import PoolMeasurer
from autotune.ops.base import contraction, parse_workload
from autotune.progress import Progress, Result
from autotune.registry import EXPLORERS
from autotune.space import generate, narrowing
from autotune.store.db import open_cache
from autotune.store.log import read
from autotune.targets.base import Target
from autotune.targets.detect import host
from autotune.trial import Workload
from autotune.tune import tune
from tests.measuring import FAULTY, WORKERS

SETTLED = {
    "F001": ["unit/test_tune.py::test_tune_ends_when_the_space_of_a_tiny_shape_does"],
    "F002": ["unit/test_tune.py::test_tiny_space_is_measured_once_and_kept"],
    "F003": ["unit/test_tune.py::test_small_space_is_measured_exactly_once_each"],
    "F004": ["unit/test_tune.py::test_wanted_trials_is_the_least_of_asked_and_possible"],
    "F005": ["unit/test_tune.py::test_space_without_legal_points_ends_with_a_reason"],
    "F006": [
        "unit/space/test_listed.py::test_single_size_of_many_ones_leaves_few_kernels_that_are_the_same",
        "unit/space/test_points.py::test_canonical_form_of_any_row_is_stable",
    ],
    "F007": ["e2e/test_faults.py::test_small_and_prime_sizes_are_right"],
    "F008": [
        "unit/test_ops.py::test_shape_that_makes_no_sense_is_refused_in_one_line",
        "unit/test_cli.py::test_impossible_shapes_exit_2_naming_the_key",
    ],
    "F009": [
        "unit/space/test_points.py::test_size_is_the_same_before_and_after_sampling",
        "unit/space/test_listed.py::test_size_of_a_listed_space_is_known_before_and_after_sampling",
    ],
    "F010": [
        "unit/test_tune.py::test_all_failing_stops_early_with_a_histogram_and_leaves_the_cache",
        "unit/test_tune.py::test_first_failure_of_each_kind_is_told_once",
        "unit/test_diagnosis.py::test_verdict_has_advice_for_every_kind",
    ],
    "F011": ["unit/test_tune.py::test_single_success_among_failures_is_the_result"],
    "F012": ["e2e/test_cli_run.py::test_run_where_nothing_can_work_exits_1_and_leaves_no_record"],
    "F013": ["unit/test_tune.py::test_failing_default_leaves_no_baseline_and_says_so"],
    "F014": [
        "unit/space/test_points.py::test_lanes_are_never_more_than_the_target_has",
        "unit/targets/test_detect.py::test_runnable_names_the_missing_features",
        "unit/test_tune.py::test_tune_measures_the_default_schedule_first",
    ],
    "F015": ["e2e/test_faults.py::test_workers_that_cannot_start_end_the_run_with_the_reason"],
    "F016": ["e2e/test_measure_faults.py::test_llvm_abort_in_third_of_eight_leaves_seven_measured"],
    "F017": [
        "unit/measure/test_timing.py::test_slices_are_long_enough_whatever_the_first_guess",
        "unit/measure/test_timing.py::test_clock_without_positive_time_is_refused_after_one_retry",
        "e2e/test_measure_faults.py::test_workloads_of_every_kind_are_measured",
        "unit/store/test_db.py::test_put_of_an_impossible_time_is_refused_at_the_door",
    ],
    "F018": [
        "unit/measure/test_timing.py::test_slices_are_long_enough_whatever_the_first_guess",
        "unit/measure/test_timing.py::test_lower_quartile_is_interpolated",
    ],
    "F019": [
        "e2e/test_measure_turns.py::test_two_tuners_at_once_never_time_at_the_same_moment",
        "unit/measure/test_lock.py::test_lock_that_another_user_made_is_shared",
    ],
    "F020": [
        "unit/test_finalists.py::test_of_equal_ones_the_shortest_schedule_wins_and_the_others_are_its_ties",
        "unit/test_finalists.py::test_incumbent_stays_where_the_rounds_cannot_tell_it_from_the_fastest",
        "e2e/test_measure_finalists.py::test_retime_pairs_every_finalist_with_the_same_one_of_them",
    ],
    "F021": [
        "e2e/test_measure_faults.py::test_every_cache_policy_and_division_of_cores_measures_all",
        "unit/measure/test_rotation.py::test_copies_in_use_between_two_uses_of_one_exceed_the_cache",
        "unit/store/test_migration.py::test_old_cache_is_migrated_when_opened_for_writing_and_keeps_everything",
    ],
    "F022": [
        "unit/measure/test_rotation.py::test_repeat_goes_round_equal_copies_in_memory_of_their_own",
        "unit/measure/test_timing.py::test_pairs_are_taken_in_turn_with_the_reference_on_both_sides",
    ],
    "F023": [
        "e2e/test_measure_turns.py::test_inputs_are_alike_for_all_candidates_and_of_a_normal_range"
    ],
    "F024": ["unit/test_tune.py::test_rate_above_the_peak_is_flagged_on_what_is_executed"],
    "F025": [
        "e2e/test_measure_processes.py::test_killed_tuner_leaves_no_worker",
        "e2e/test_kills.py::test_killed_tuner_loses_nothing_finished",
    ],
    "F026": [
        "e2e/test_faults.py::test_time_limit_reaches_the_worker_and_is_told_with_its_length",
        "e2e/test_memory.py::test_large_odd_matmul_is_tuned_within_the_usual_time_limit",
    ],
    "F027": [
        "e2e/test_memory.py::test_hundred_candidates_leave_nothing_in_runner_and_tuner",
        "e2e/test_memory.py::test_two_thousand_candidates_leave_nothing_and_renew_the_builder",
        "e2e/test_memory.py::test_loading_kernels_again_and_again_compiles_and_keeps_nothing",
        "unit/test_lookup.py::test_load_remembers_the_latest_kernels_only",
        "e2e/test_runtime.py::test_memory_does_not_grow_over_many_kernels",
    ],
    "F028": [
        "e2e/test_measure_faults.py::test_each_fault_fails_its_candidate_alone_with_its_kind",
        "e2e/test_spoilers.py::test_run_keeps_a_right_winner_whatever_its_candidates_do",
        "e2e/test_spoilers.py::test_rounding_that_is_left_behind_spoils_no_later_result",
        "e2e/test_spoilers.py::test_write_into_the_page_behind_a_buffer_crashes_where_strict",
    ],
    "F029": [
        "e2e/test_measure_faults.py::test_hanging_build_and_run_are_killed_at_the_deadline",
        "unit/measure/test_child.py::test_limit_on_processor_time_lies_above_that_on_wall_time",
        "unit/ir/test_legal.py::test_one_body_holds_a_bounded_number_of_multiply_adds",
        "unit/ir/test_legal.py::test_all_instances_together_hold_a_bounded_number_of_multiply_adds",
        "e2e/test_memory.py::test_longest_code_compiles_on_a_stack_of_one_mebibyte",
    ],
    "F030": [
        "e2e/test_memory.py::test_compile_that_overflows_its_stack_is_a_crash_of_its_own",
        "e2e/test_memory.py::test_longest_code_compiles_on_a_stack_of_one_mebibyte",
    ],
    "F031": [
        "unit/measure/test_memory.py::test_builders_are_one_a_core_as_far_as_memory_goes",
        "e2e/test_memory.py::test_sixteen_builders_do_not_share_a_gibibyte",
        "e2e/test_memory.py::test_shape_that_cannot_fit_is_refused_before_anything_runs",
        "e2e/test_memory.py::test_run_in_a_gibibyte_of_address_space_ends_well",
        "e2e/test_memory.py::test_candidate_that_meets_a_limit_fails_alone_for_memory",
        "e2e/test_measure_faults.py::test_each_fault_fails_its_candidate_alone_with_its_kind",
    ],
    "F032": [
        "e2e/test_kills.py::test_killed_and_stopped_workers_cost_what_they_had_in_hand_at_most",
        "e2e/test_resume.py::test_run_killed_twice_is_completed_with_every_schedule_measured_once",
        "unit/test_resume.py::test_killed_run_is_completed_without_measuring_anything_twice",
        "e2e/test_spoilers.py::test_worker_that_is_killed_between_jobs_is_replaced_however_often",
    ],
    "F033": [
        "unit/targets/test_detect.py::test_host_of_an_odd_cpuinfo_is_the_baseline_with_a_notice",
        "unit/backends/test_machine.py::test_cpu_names_are_those_of_levels_only",
    ],
    "F034": [
        "unit/targets/test_detect.py::test_resolve_anything_else_is_refused_with_value_and_allowed",
        "unit/backends/test_machine.py::test_every_feature_is_named_with_its_sign",
    ],
    "F035": [
        "unit/backends/test_ir.py::test_module_has_the_triple_and_layout_of_its_machine",
        "e2e/test_code.py::test_code_calls_no_library_and_names_its_layout",
    ],
    "F036": [
        "e2e/test_runtime.py::test_arrays_of_any_kind_give_the_result_of_plain_ones",
        "e2e/test_runtime.py::test_output_may_start_anywhere_in_memory",
    ],
    "F038": ["e2e/test_measure_faults.py::test_each_fault_fails_its_candidate_alone_with_its_kind"],
    "F039": [
        "e2e/test_runtime.py::test_calls_change_no_operand_and_depend_on_no_earlier_call",
        "e2e/test_measure_faults.py::test_each_fault_fails_its_candidate_alone_with_its_kind",
    ],
    "F040": ["e2e/test_measure_faults.py::test_failing_default_disqualifies_only_itself"],
    "F043": ["e2e/test_kernels.py::test_output_has_the_size_that_stride_and_padding_give"],
    "F044": [
        "e2e/test_cold_and_warm.py::test_warm_cache_gives_the_same_bits_here_and_in_another_process",
        "unit/test_lookup.py::test_hit_is_what_was_stored",
    ],
    "F045": [
        "unit/store/test_log.py::test_log_cut_at_every_byte_keeps_the_whole_lines",
        "unit/store/test_log.py::test_odd_line_is_counted_and_named",
        "unit/store/test_log.py::test_trial_with_a_wrong_field_is_left_out",
        "unit/test_resume.py::test_damaged_lines_are_told_in_one_note",
        "e2e/test_kills.py::test_killed_writer_loses_nothing_it_wrote",
        "e2e/test_kills.py::test_killed_tuner_loses_nothing_finished",
    ],
    "F046": [
        "unit/store/test_log.py::test_bad_lines_are_counted_and_the_first_is_named",
        "unit/test_cli_log.py::test_show_tells_of_damaged_lines",
    ],
    "F047": [
        "unit/store/test_log.py::test_bom_crlf_blank_and_comment_lines_are_no_harm",
        "unit/store/test_log.py::test_locale_makes_no_difference",
    ],
    "F048": ["unit/store/test_log.py::test_no_line_ever_holds_nan_or_infinity"],
    "F049": [
        "e2e/test_cold_and_warm.py::test_warm_cache_gives_the_same_bits_here_and_in_another_process"
    ],
    "F050": [
        "unit/store/test_log.py::test_work_of_reading_a_log_grows_as_its_length",
        "unit/store/test_log.py::test_log_of_200_000_trials_is_read_in_seconds_and_little_memory",
        "unit/test_resume.py::test_work_of_going_on_grows_as_the_log",
    ],
    "F051": [
        "unit/features/test_features.py::test_length_is_the_same_for_every_operator_and_target",
        "contract/test_cost_model_contract.py::test_features_of_another_length_are_refused_by_name",
    ],
    "F052": [
        "contract/test_cost_model_contract.py::test_a_fit_on_another_length_starts_afresh",
        "unit/test_tune.py::test_tune_two_workloads_in_one_process",
    ],
    "F053": ["contract/test_cost_model_contract.py::test_a_label_that_is_no_speed_is_left_out"],
    "F054": [
        "contract/test_cost_model_contract.py::test_few_points_either_differ_or_are_refused",
        "contract/test_explorer_contract.py::test_a_constant_score_still_moves",
    ],
    "F055": ["unit/cost/test_xgboost.py::test_forked_child_is_refused_rather_than_hung"],
    "F056": [
        "unit/cost/test_xgboost.py::test_damaged_model_is_told_apart_without_reaching_xgboost",
        "unit/cost/test_xgboost.py::test_trees_that_xgboost_cannot_read_are_a_reason",
    ],
    "F057": [
        "unit/cost/test_xgboost.py::test_only_public_names_of_xgboost_are_used",
        "unit/cost/test_xgboost.py::test_too_old_xgboost_is_named",
    ],
    "F058": ["unit/test_lookup.py::test_record_of_fewer_features_is_compatible_and_of_more_is_not"],
    "F059": [
        "unit/lookup/test_faults_of_lookup.py::test_workload_that_differs_in_one_attribute_is_a_miss",
        "unit/test_ops.py::test_workloads_that_differ_in_one_attribute_have_different_keys",
    ],
    "F060": [
        "unit/lookup/test_faults_of_lookup.py::test_workload_that_differs_in_one_attribute_is_a_miss"
    ],
    "F061": [
        "unit/lookup/test_faults_of_lookup.py::test_workload_that_differs_in_one_attribute_is_a_miss",
        "unit/lookup/test_faults_of_lookup.py::test_looser_tolerance_is_a_miss_that_says_so",
    ],
    "F062": [
        "unit/lookup/test_faults_of_lookup.py::test_other_thread_count_is_a_miss_that_says_so"
    ],
    "F063": [
        "unit/lookup/test_faults_of_lookup.py::test_key_is_the_same_in_every_process_and_for_every_kind_of_number"
    ],
    "F064": [
        "unit/lookup/test_faults_of_lookup.py::test_key_is_the_same_in_every_process_and_for_every_kind_of_number",
        "unit/lookup/test_faults_of_lookup.py::test_record_outside_of_todays_space_answers",
    ],
    "F066": [
        "unit/lookup/test_faults_of_lookup.py::test_workload_that_differs_in_one_attribute_is_a_miss",
        "unit/lookup/test_faults_of_lookup.py::test_only_code_generator_and_llvm_make_a_record_stale",
    ],
    "F067": [
        "unit/test_lookup.py::test_illegal_record_is_a_miss_that_says_why",
        "unit/lookup/test_faults_of_lookup.py::test_record_outside_of_todays_space_answers",
    ],
    "F068": [
        "unit/lookup/test_faults_of_lookup.py::test_record_outside_of_todays_space_answers",
        "unit/lookup/test_faults_of_lookup.py::test_file_of_bad_rows_is_read_once_and_told_once",
        "unit/test_lookup.py::test_record_behind_an_illegal_one_is_taken",
    ],
    "F071": [
        "unit/lookup/test_faults_of_lookup.py::test_only_code_generator_and_llvm_make_a_record_stale"
    ],
    "F072": [
        "unit/lookup/test_faults_of_lookup.py::test_nearest_of_a_quite_different_shape_is_legal_and_marked"
    ],
    "F073": [
        "unit/lookup/test_faults_of_lookup.py::test_same_cache_gives_the_same_code_in_every_process"
    ],
    "F075": [
        "unit/lookup/test_faults_of_lookup.py::test_lookups_among_ten_thousand_shapes_read_few_of_them"
    ],
    "F077": [
        "unit/store/test_mounts.py::test_cache_on_a_network_has_no_wal_and_warns_once",
        "unit/store/test_mounts.py::test_cache_that_was_moved_to_a_network_drops_its_wal",
    ],
    "F083": [
        "unit/lookup/test_faults_of_lookup.py::test_file_of_bad_rows_is_read_once_and_told_once",
        "unit/store/test_misses.py::test_broken_rows_are_left_out",
    ],
    "F084": [
        "unit/lookup/test_faults_of_lookup.py::test_key_is_the_same_in_every_process_and_for_every_kind_of_number",
        "unit/test_cli_cache.py::test_why_tells_of_a_miss_every_key_that_is_near",
    ],
    "F085": [
        "unit/lookup/test_telling.py::test_process_ends_with_one_report",
        "unit/lookup/test_telling.py::test_workers_of_one_build_tell_each_shape_once",
    ],
    "F086": [
        "unit/lookup/test_faults_of_lookup.py::test_every_way_to_look_up_gives_the_same_answer_and_a_miss_leaves_a_trace"
    ],
    "F088": [
        "unit/lookup/test_telling.py::test_report_tells_the_others_once_worst_first",
        "unit/test_lookup.py::test_illegal_record_is_a_miss_that_says_why",
    ],
    "F089": [
        "unit/lookup/test_faults_of_lookup.py::test_nothing_is_tuned_unasked",
        "unit/test_cli_cache.py::test_strict_miss_exits_3_with_the_fix",
    ],
    "F090": [
        "e2e/test_survival_cli.py::test_interrupted_run_ends_at_once_with_its_work_kept",
        "e2e/test_survival_cli.py::test_second_signal_loses_nothing_either",
        "e2e/test_survival_cli.py::test_terminated_run_reports_and_answers_afterwards",
        "e2e/test_survival_cli.py::test_closed_pipe_costs_no_work_and_no_traceback",
        "e2e/test_survival_cli.py::test_terminal_that_closes_ends_the_run_with_its_work_kept",
    ],
    "F091": [
        "e2e/test_survival_cli.py::test_hanging_last_candidate_is_counted_and_ends",
        "e2e/test_survival_cli.py::test_hanging_candidate_does_not_outlive_the_budget",
    ],
    "F096": [
        "unit/lookup/test_faults_of_lookup.py::test_text_from_outside_is_only_text",
        "unit/test_cli_cache.py::test_why_of_what_is_no_key_exits_2",
        "unit/test_batch.py::test_miss_that_is_no_workload_is_reported",
    ],
    "F097": [
        "e2e/test_survival_cli.py::test_user_without_a_home_gets_results_in_a_folder_of_their_own",
        "e2e/test_survival_cli.py::test_import_and_lookup_need_no_home_and_no_right_to_write",
        "e2e/test_survival_cli.py::test_read_only_cache_answers_and_results_go_elsewhere",
        "unit/test_lookup.py::test_default_cache_that_cannot_be_read_is_a_miss_told_once",
    ],
    "F098": ["unit/store/test_db.py::test_default_that_cannot_be_made_is_tried_once"],
    "F099": [
        "unit/store/test_db.py::test_disk_that_fills_up_is_told_and_leaves_the_cache_sound",
        "e2e/test_survival_cli.py::test_cache_that_refuses_the_result_loses_nothing",
        "e2e/test_survival_cli.py::test_disk_of_the_cache_that_fills_in_mid_run_loses_nothing",
        "e2e/test_full_disk.py::test_disk_that_fills_in_mid_run_costs_only_what_comes_after",
    ],
    "F100": [
        "unit/targets/test_detect.py::test_cores_are_the_floor_of_the_quota_and_at_least_one",
        "e2e/test_survival_cli.py::test_log_tells_the_cores_that_this_process_may_use",
    ],
    "F101": ["e2e/test_measure_processes.py::test_script_from_stdin_without_main_guard_works"],
    "F109": [
        "unit/test_ops.py::test_products_near_2_to_the_63_are_refused",
        "e2e/test_code.py::test_index_arithmetic_of_huge_shapes_is_64_bit",
    ],
}

ONE_SCHEDULE = """
[only]
vector = "n"
tile = {m = 4, n = 16}
block = {m = 0, n = 0}
split.k = 0
unroll.k = 2
store = "direct"
stage = {x = "none", weight = "none", out = "none"}
prefetch = 0
"""


@pytest.mark.parametrize("fault", SETTLED)
def test_every_settled_fault_has_its_tests(root: Path, fault: str) -> None:
    for name in SETTLED[fault]:
        path, _, function = name.partition("::")
        tree = ast.parse((root / "tests" / path).read_text(encoding="utf-8"))
        defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert function in defined, name


Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Tunes into a cache and a log of the test's own."""

    def tuned(workload: Workload, **options: Any) -> Result:
        cache, log = str(tmp_path / "cache.db"), str(tmp_path / "run.jsonl")
        return tune(workload, cache=cache, log=log, **options)

    return tuned


@pytest.mark.parametrize(
    ("shape", "explorer", "space"),
    [
        ("1x1x1", "annealing", ""),
        ("1x1x1", "random", ""),
        ("64x16x64,prepack=0", "annealing", ONE_SCHEDULE),
    ],
)
def test_tiny_space_ends_of_itself_with_its_best_kept(
    run: Run, tmp_path: Path, shape: str, explorer: str, space: str
) -> None:
    """F001, F002, F003, F004: exhaustion is a normal end, and one count is told everywhere."""
    file = tmp_path / "space.toml"
    file.write_text(space, encoding="utf-8")
    told: list[Progress] = []
    workload = parse_workload("matmul", shape)
    result = run(workload, trials=500, explorer=explorer, space=str(file), progress=told.append)
    assert result.stopped == "exhausted"
    log = read(result.log)
    digests = [trial.schedule.digest for trial in log.trials]
    assert set(digests) == _everything(workload, str(file))
    assert len(digests) == len(set(digests)) == result.trials
    assert told[-1].trials == told[-1].wanted == result.trials
    assert log.end["result"]["stopped"] == "exhausted"
    with open_cache(result.cache) as cache:
        record = cache.get(result.target_key, workload.key)
    assert record is not None
    assert record.schedule == result.schedule


def _everything(workload: Workload, file: str) -> set[str]:
    """The space and the default, which is measured even where a file leaves it out."""
    computed = contraction(workload)
    space = generate(computed, host(), narrowing.load(file, workload.op))
    points = space.all_points()
    assert points is not None
    schedules = [default_schedule(computed, host()), *map(space.schedule, points)]
    return {schedule.digest for schedule in schedules}


def test_space_that_a_file_empties_ends_at_once_with_the_reason(run: Run, tmp_path: Path) -> None:
    """F005: no endless sampling; nothing is kept."""
    file = tmp_path / "space.toml"
    file.write_text("[only]\ntile.m = 56\ntile.n = 256\n", encoding="utf-8")
    workload = parse_workload("matmul", "256x256x64")
    with pytest.raises(SpaceError, match=r"no legal schedule .*register tile of more than"):
        run(workload, trials=64, space=str(file))
    with open_cache(tmp_path / "cache.db") as cache:
        assert cache.entries() == []


SMALL_AND_PRIME = (
    *(("conv2d", f"c={c},h=5,w=7,k=13,r=3,pad=1") for c in (1, 2, 3, 5, 7)),
    *(("conv2d", f"c=3,h=4,w=6,k={k},r=3") for k in (1, 127)),
    ("conv2d", "c=2,h=3,w=1,k=3,r=1"),
    ("conv2d", "c=1,h=3,w=4099,k=2,r=3,pad=1"),
    ("matmul", "1x37x1"),
    ("matmul", "4099x1x127"),
)


@pytest.mark.parametrize(("op", "shape"), SMALL_AND_PRIME)
def test_small_and_prime_sizes_are_right(op: str, shape: str) -> None:
    """F007: no factor is zero, nothing is left out at the end."""
    workload, target = parse_workload(op, shape), host()
    computed = contraction(workload)
    space = generate(computed, target, narrowing.load(None, op))
    points = space.sample(np.random.default_rng(7), 2)
    assert len(points) == 2
    for schedule in (default_schedule(computed, target), *map(space.schedule, points)):
        assert check_candidate(workload, schedule, target) <= workload.tolerance


def test_code_for_a_lesser_target_uses_no_more_than_it_has(run: Run) -> None:
    """F014: the space follows the target, not the machine; the default comes first."""
    result = run(parse_workload("matmul", "33x47x20"), trials=4, target="x86-64")
    log = read(result.log)
    assert result.failures == {}
    assert log.trials[0].schedule == default_schedule(
        contraction(result.workload), Target(**_fields(log.header["target"]))
    )
    assert all(nest.lanes * 4 <= 16 for trial in log.trials for nest in trial.schedule.nests)


def _fields(header: dict[str, Any]) -> dict[str, Any]:
    return {
        **{name: header[name] for name in Target.__dataclass_fields__},
        "features": tuple(header["features"]),
    }


PLANTED = {
    0: ("wrong", "wrong_result"),
    2: ("build_abort_in_llvm", "crash"),
    3: ("skip_tail", "wrong_result"),
    4: ("build_hang", "compile_timeout"),
    5: ("segfault", "crash"),
}
"""Position among the candidates -> fault and the kind it is to have; 0 is the default."""


def test_run_with_planted_faults_keeps_a_right_winner(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F010, F013, F016, F038, F040: each costs itself alone, also the default and the first."""
    workload, target = parse_workload("matmul", "13x13x40"), host()
    candidates = _candidates(workload, target, 8)
    faults = {candidates[at].digest: fault for at, (fault, _) in PLANTED.items()}
    monkeypatch.setenv("AUTOTUNE_TEST_FAULTS", json.dumps(faults))
    monkeypatch.syspath_prepend(str(WORKERS))

    def faulty(workload: Workload, target: Target, options: MeasureOptions) -> Measurer:
        planted = dataclasses.replace(FAULTY, timeout_s=1.5, seed=options.seed)
        return PoolMeasurer(workload, target, planted)

    result = run(workload, trials=8, explorer="random", measurer_factory=faulty)
    found = {trial.schedule.digest: trial for trial in read(result.log).trials}
    assert set(found) == {schedule.digest for schedule in candidates}
    for at, schedule in enumerate(candidates):
        kind = PLANTED[at][1] if at in PLANTED else "ok"
        assert found[schedule.digest].status == kind, (at, found[schedule.digest].failure)
    aborted = found[candidates[2].digest].failure
    assert aborted is not None
    assert "SIGABRT" in aborted.message
    assert result.schedule.digest not in faults
    assert result.outcome.baseline is None
    assert any("no baseline" in note for note in result.notes)


def test_time_limit_reaches_the_worker_and_is_told_with_its_length(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F026: that trial alone ends so."""
    workload, target = parse_workload("matmul", "13x13x40"), host()
    candidates = _candidates(workload, target, 4)
    monkeypatch.setenv("AUTOTUNE_TEST_FAULTS", json.dumps({candidates[2].digest: "hang"}))
    monkeypatch.syspath_prepend(str(WORKERS))

    def faulty(workload: Workload, target: Target, options: MeasureOptions) -> Measurer:
        modules = {"builder_module": "faulty_builder", "runner_module": "faulty_runner"}
        return PoolMeasurer(workload, target, dataclasses.replace(options, **modules))

    told: list[Progress] = []
    result = run(
        workload,
        trials=4,
        explorer="random",
        timeout_s=1.75,
        measurer_factory=faulty,
        progress=told.append,
    )
    assert result.failures == {"timeout": 1}
    failed = [trial for trial in read(result.log).trials if trial.failure]
    assert [trial.schedule for trial in failed] == [candidates[2]]
    assert failed[0].failure is not None
    assert failed[0].failure.message == "no answer within 1.75 s; killed"
    line = f"first timeout: {candidates[2].digest}: no answer within 1.75 s; killed"
    assert [progress.note for progress in told if progress.note] == [line]


def test_workers_that_cannot_start_end_the_run_with_the_reason(run: Run, tmp_path: Path) -> None:
    """F015: an error, not a run of no trials."""

    def absent(workload: Workload, target: Target, options: MeasureOptions) -> Measurer:
        options = dataclasses.replace(options, builder_module="no_such_module")
        return PoolMeasurer(workload, target, options)

    with pytest.raises(MeasureError, match=r"no_such_module failed to start 3 times: .*No module"):
        run(parse_workload("matmul", "13x13x40"), trials=4, measurer_factory=absent)
    log = read(tmp_path / "run.jsonl")
    assert (log.end["stopped"], log.end["trials"]) == ("error", 0)
    assert "no_such_module" in log.end["error"]
    with open_cache(tmp_path / "cache.db") as cache:
        assert cache.entries() == []


def _candidates(workload: Workload, target: Target, count: int) -> list[Schedule]:
    """What a run of seed 0 measures: the default, then what the random explorer draws."""
    computed = contraction(workload)
    space = generate(computed, target, narrowing.load(None, workload.op))
    rng = explorer_rng(0)
    drawn = map(space.schedule, EXPLORERS.get("random")(space, rng).ask(count - 1, None))
    return [default_schedule(computed, target), *drawn]


def test_model_is_refitted_from_one_workload_to_the_next(run: Run) -> None:
    """F051, F052: past the first refit, on spaces of different loops, in one process."""
    for op, shape in (
        ("conv2d", "c=3,h=7,k=5,r=3,pad=1"),
        ("matmul", "4x4x4"),
        ("matmul", "3x3x3"),
    ):
        result = run(parse_workload(op, shape), trials=24)
        assert (result.trials, result.notes) == (24, ())
