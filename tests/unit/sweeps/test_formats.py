"""Files of other programs: written, read again, and run by the program itself."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from autotune.cli import app
from autotune.errors import UsageError
from autotune.sweeps import formats, kernel_tuner, t4
from autotune.sweeps.base import Sweep, SweepError
from tests.recordings import recorded

SWEEP = recorded()
CACHE: dict[str, Any] = {
    "device_name": "some GPU",
    "kernel_name": "convolve",
    "problem_size": [4096, 4096],
    "tune_params_keys": ["block_size_x", "use_padding", "method"],
    "tune_params": {"block_size_x": [32, 16, 64], "use_padding": [0, 1], "method": ["b", "a"]},
    "cache": {
        "16,0,a": {"block_size_x": 16, "use_padding": 0, "method": "a", "time": 2.0, "GFLOP": 3},
        "32,1,a": {"block_size_x": 32, "use_padding": 1, "method": "a", "time": 4.0},
        "32,0,b": {"block_size_x": 32, "use_padding": 0, "method": "b", "time": "InvalidConfig"},
        "16,1,b": {
            "block_size_x": 16, "use_padding": 1, "method": "b", "time": 1e20,
            "__error__": "CompilationFailedConfig",
        },
    },
}  # fmt: skip
RESULTS: dict[str, Any] = {
    "schema_version": "1.0.0",
    "metadata": {"timeunit": "microseconds"},
    "results": [
        {
            "configuration": {"tile": 4}, "invalidity": "correct", "correctness": 1,
            "times": {"runtimes": [5]}, "objectives": ["kernel"],
            "measurements": [{"name": "kernel", "value": 5.0}, {"name": "other", "value": 1.0}],
        },
        {
            "configuration": {"tile": 2}, "invalidity": "correct", "correctness": 1, "times": {},
            "objectives": ["kernel"],
            "measurements": [{"name": "kernel", "value": 1, "unit": "ms"}],
        },
        {
            "configuration": {"tile": 8}, "invalidity": "timeout", "correctness": 1, "times": {},
            "measurements": [],
        },
    ],
}  # fmt: skip


NO_BLOCKS = pytest.mark.filterwarnings("ignore:None of the tunable parameters specify thread")
"""Kernel Tuner misses the thread blocks of a GPU."""


def told(sweep: Sweep) -> dict[tuple[Any, ...], float | str]:
    """What is known of every configuration, whatever the order of points and knobs."""
    seconds = sweep.ratios * sweep.reference_s
    return {
        tuple(sorted(sweep.values(row).items())): sweep.failures[row] or float(seconds[row])
        for row in range(len(sweep))
    }


@pytest.mark.parametrize("form", formats.WRITERS)
def test_what_is_written_in_any_format_says_the_same_when_it_is_read(
    tmp_path: Path, form: str
) -> None:
    path = tmp_path / "made.json"
    formats.write(SWEEP, path, form)
    again = told(formats.read(path))
    assert again == {
        key: value if isinstance(value, str) else pytest.approx(value, rel=1e-5)
        for key, value in told(SWEEP).items()
    }


def test_a_cache_file_has_its_order_of_values_and_its_failures(tmp_path: Path) -> None:
    path = tmp_path / "cache.json"
    path.write_text(json.dumps(CACHE))
    sweep = formats.read(path)
    assert sweep.name == "cache"
    assert sweep.knobs == {"block_size_x": (32, 16), "use_padding": (0, 1), "method": ("b", "a")}
    assert sweep.failures == ("", "", "illegal", "compile_error")
    assert (sweep.ratios * sweep.reference_s)[:2].tolist() == [0.002, 0.004]
    assert len(set(sweep.families.tolist())) == 2
    assert sweep.about["device_name"] == "some GPU"


@pytest.mark.parametrize("tail", [",", "", "}", "}\n}"])
def test_a_cache_file_that_was_not_closed_is_read_as_far_as_it_goes(
    tmp_path: Path, tail: str
) -> None:
    path = tmp_path / "cache.json"
    text = json.dumps(CACHE, indent="")
    path.write_text(text.removesuffix("}\n}") + tail)
    if tail == "}":
        with pytest.raises(SweepError, match=r"cache\.json is no JSON"):
            formats.read(path)
        return
    assert len(formats.read(path)) == 4


def test_results_have_times_in_their_own_units(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(RESULTS))
    sweep = formats.read(path)
    assert sweep.knobs == {"tile": (2, 4, 8)}
    assert sweep.failures == ("", "", "timeout")
    assert (sweep.ratios * sweep.reference_s)[:2].tolist() == pytest.approx([5e-6, 1e-3])


def with_entry(**change: Any) -> dict[str, Any]:
    entry = {**CACHE["cache"]["16,0,a"], **change}
    return {**CACHE, "cache": {**CACHE["cache"], "16,0,a": entry}}


def with_result(**change: Any) -> dict[str, Any]:
    first, *rest = RESULTS["results"]
    return {**RESULTS, "results": [{**first, **change}, *rest]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "no recorded sweep, no cache file of Kernel Tuner and no T4 results"),
        ({**CACHE, "tune_params_keys": []}, "tune_params_keys is no list of names"),
        ({**CACHE, "tune_params_keys": ["x"]}, "does not give every parameter of x"),
        ({**CACHE, "cache": []}, "cache is no object"),
        ({**CACHE, "cache": {}}, "it holds no configuration"),
        ({**CACHE, "tune_params": [1]}, "tune_params is no object of lists"),
        (with_entry(time=-1), "'16,0,a': time is -1; allowed: milliseconds above 0"),
        (with_entry(time="odd"), "time is 'odd'; allowed"),
        (with_entry(time=float("nan")), "time is nan; allowed"),
        (with_entry(method=[1]), r"method is \[1\]; allowed: a number or a name"),
        (with_entry(time="InvalidConfig", autotune_failure="odd"), "failure 'odd' is not known"),
        ({**RESULTS, "schema_version": "2.0.0"}, "schema_version is '2.0.0'; allowed: 1.x.x"),
        ({**RESULTS, "results": []}, "it holds no configuration"),
        ({**RESULTS, "results": [3]}, "result 0 is no object"),
        (with_result(configuration=None), "configuration: None; allowed: an object"),
        (with_result(configuration={"x": 1}), "lacks or adds parameter 'tile'"),
        (with_result(invalidity="odd"), "invalidity is 'odd'; allowed: correct, constraints"),
        (with_result(measurements=[]), "kernel is None in 'microseconds'; allowed: above 0"),
        (with_result(measurements=[{"name": "kernel", "value": 1, "unit": "W"}]),
         "kernel is 1 in 'W'"),
        ({**RESULTS, "results": RESULTS["results"][2:]}, "no configuration worked"),
    ],
)  # fmt: skip
def test_files_that_make_no_sense_are_refused_in_one_line(
    tmp_path: Path, content: dict[str, Any], message: str
) -> None:
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(content))
    with pytest.raises(SweepError, match=message) as caught:
        formats.read(path)
    assert "odd.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_are_no_text_or_not_there_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    with pytest.raises(SweepError, match="cannot be read"):
        formats.read(path)
    path.write_bytes(b"{\xff\xfe")
    with pytest.raises(SweepError, match="no text in UTF-8"):
        formats.read(path)
    path.write_text("[" * 10)
    with pytest.raises(SweepError, match="not compressed"):
        formats.read(path)
    with pytest.raises(UsageError, match="unknown format 'csv'; known: sweep, kernel-tuner, t4"):
        formats.write(SWEEP, path, "csv")
    with pytest.raises(SweepError, match="cannot be written"):
        formats.write(SWEEP, tmp_path, "t4")


def test_the_command_reads_and_writes_every_format(tmp_path: Path) -> None:
    first, second, third = (str(tmp_path / name) for name in ("a.json", "b.json", "c.sweep.gz"))
    formats.write(SWEEP, first, "t4")
    for source, target, form in ((first, second, "kernel-tuner"), (second, third, "sweep")):
        done = CliRunner().invoke(app, ["replay", source, "--write", target, "--format", form])
        assert done.exit_code == 0, done.stderr
    assert gzip.decompress(Path(third).read_bytes()).startswith(b'{"kind":"sweep"')
    done = CliRunner().invoke(app, ["replay", third, "--seeds", "2", "--trials", "20", "--json"])
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["points"] == len(SWEEP)
    done = CliRunner().invoke(app, ["replay", third, "--write", second, "--format", "csv"])
    assert done.exit_code == 2
    assert "unknown format 'csv'" in done.stderr


def test_results_keep_to_the_schema(tmp_path: Path) -> None:
    told_validity = {result["invalidity"] for result in t4.fields_of(SWEEP)["results"]}
    assert told_validity == {"correct", "timeout"}
    jsonschema = pytest.importorskip("jsonschema")
    package = pytest.importorskip("kernel_tuner.file_utils")
    _, schema = package.output_file_schema("results")
    jsonschema.validate(t4.fields_of(SWEEP), schema)


@NO_BLOCKS
def test_kernel_tuners_simulation_runs_on_what_we_write(tmp_path: Path) -> None:
    """Its brute force meets every point that works, and finds the best at the same time."""
    tuner = pytest.importorskip("kernel_tuner")
    path = tmp_path / "made.json"
    kernel_tuner.write(SWEEP, path)
    found, _ = tuner.tune_cache(str(path), strategy="brute_force", quiet=True, verbose=False)
    worked = [row for row in range(len(SWEEP)) if not SWEEP.failures[row]]
    assert len(found) == len(worked)
    best = min(result["time"] for result in found)
    assert best == pytest.approx(float(np.nanmin(SWEEP.ratios)) * SWEEP.reference_s * 1e3)


@NO_BLOCKS
def test_kernel_tuners_own_results_are_read(tmp_path: Path) -> None:
    tuner = pytest.importorskip("kernel_tuner")
    files = pytest.importorskip("kernel_tuner.file_utils")
    cache, results = tmp_path / "made.json", tmp_path / "results.json"
    kernel_tuner.write(SWEEP, cache)
    found, _ = tuner.tune_cache(str(cache), strategy="brute_force", quiet=True)
    for result in found:
        for part in ("compile", "benchmark", "framework", "strategy", "verification"):
            result.setdefault(f"{part}_time", 0.0)
    files.store_output_file(str(results), found, json.loads(cache.read_text())["tune_params"])
    again = told(formats.read(results))
    ours = {key: value for key, value in told(SWEEP).items() if not isinstance(value, str)}
    assert again == {key: pytest.approx(value, rel=1e-6) for key, value in ours.items()}
