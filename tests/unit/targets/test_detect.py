from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from autotune.errors import UsageError
from autotune.registry import TARGETS
from autotune.targets import detect
from autotune.targets._features import FEATURES, REQUIRES, normalise
from autotune.targets._linux import Caches, cores_of, cpu_quota, parse_cpuinfo, read_caches
from autotune.targets.base import Target

CACHES = Caches(32768, 1048576, 33554432)
V3 = "sse3 ssse3 sse4_1 sse4_2 avx avx2 fma f16c bmi1 bmi2"
WIDE = "avx512f avx512bw avx512cd avx512dq avx512vl"


def cpuinfo(
    flags: str = f"fpu sse2 pni {V3}", vendor: str = "AuthenticAMD", family: str = "25"
) -> str:
    return (
        f"processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: 17\n"
        f"model name\t: A processor\nflags\t\t: {flags}\n\nprocessor\t: 1\nvendor_id\t: Else\n"
    )


def found(text: str | None, machine: str = "x86_64") -> tuple[Target, str | None]:
    return detect.host_from(text, CACHES, 2, machine)


def test_host_of_a_plain_cpuinfo_has_vendor_family_model_and_features() -> None:
    target, notice = found(cpuinfo())
    assert notice is None
    assert target.key == "amd-25-17/" + "+".join(sorted(V3.split())) + "/t1"
    assert (target.vector_bytes, target.vector_registers, target.cores) == (32, 16, 2)


@pytest.mark.parametrize(
    ("vendor", "name"), [("GenuineIntel", "intel"), ("HygonGenuine", "other"), ("  x y ", "other")]
)
def test_host_vendor_is_lower_case_and_known_or_other(vendor: str, name: str) -> None:
    assert found(cpuinfo(vendor=vendor))[0].cpu == f"{name}-25-17"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "missing or empty"),
        ("", "missing or empty"),
        ("\n\n", "missing or empty"),
        (cpuinfo(flags=""), "lists no flags"),
        (cpuinfo(flags=" "), "lists no flags"),
        (cpuinfo(vendor=""), "names no vendor"),
        (cpuinfo(family="?"), "cpu family='?'"),
        (cpuinfo(family=""), "cpu family=''"),
        ("Processor\t: ARMv8\nFeatures\t: asimd\n", "cpu family=''"),
        (",+avx\n", "missing or empty"),
    ],
)
def test_host_of_an_odd_cpuinfo_is_the_baseline_with_a_notice(text: str | None, told: str) -> None:
    """F033: no empty or made-up target in the cache."""
    target, notice = found(text)
    assert notice is not None
    assert told in notice
    assert target.key == "x86-64/baseline/t1"
    assert (target.vector_bytes, target.vector_registers) == (16, 16)


def test_host_on_another_architecture_is_the_baseline_with_a_notice() -> None:
    target, notice = found(cpuinfo(), machine="aarch64")
    assert target.cpu == "x86-64"
    assert "aarch64" in str(notice)


def test_host_with_odd_cpuinfo_warns_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detect, "_detected", lambda: found(cpuinfo(flags="")))
    detect._tell.cache_clear()
    with pytest.warns(UserWarning, match="lists no flags; code is made for the x86-64 baseline"):
        assert detect.host().key == "x86-64/baseline/t1"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        detect.host()
    detect._tell.cache_clear()


def test_host_without_proc_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr("builtins.open", refuse)
    target, notice = detect._detected.__wrapped__()
    assert target.features == ()
    assert notice


@pytest.mark.parametrize(
    ("flags", "vector_bytes", "registers"),
    [
        ("sse2", 16, 16),
        (V3, 32, 16),
        (f"{V3} avx512f", 32, 16),
        (f"{V3} avx512f avx512bw avx512vl", 32, 16),
        (f"{V3} {WIDE}", 64, 32),
    ],
)
def test_vectors_are_wide_only_with_all_of_avx512(
    flags: str, vector_bytes: int, registers: int
) -> None:
    target = found(cpuinfo(flags=flags))[0]
    assert (target.vector_bytes, target.vector_registers) == (vector_bytes, registers)


def test_features_whose_requirements_are_hidden_are_dropped() -> None:
    """A hypervisor that hides AVX but shows AVX2 and AVX-512."""
    hidden = [flag for flag in f"{V3} {WIDE} amx_bf16".split() if flag != "avx"]
    assert normalise(hidden) == ("bmi1", "bmi2", "sse3", "sse4_1", "sse4_2", "ssse3")


def test_features_require_only_earlier_ones() -> None:
    for place, feature in enumerate(FEATURES):
        assert set(REQUIRES[feature]) <= set(FEATURES[:place])


def test_cpuinfo_flags_of_the_first_processor_only() -> None:
    processor = parse_cpuinfo(cpuinfo() + "flags : avx512f\n")
    assert not isinstance(processor, str)
    assert "avx512f" not in processor.flags
    assert "sse3" in processor.flags


def _cache(folder: Path, index: int, kind: str, level: str, size: str) -> None:
    entry = folder / f"index{index}"
    entry.mkdir(parents=True)
    for name, value in (("type", kind), ("level", level), ("size", size)):
        (entry / name).write_text(value + "\n")


def test_caches_come_from_sysfs(tmp_path: Path) -> None:
    _cache(tmp_path, 0, "Data", "1", "48K")
    _cache(tmp_path, 1, "Instruction", "1", "64K")
    _cache(tmp_path, 2, "Unified", "2", "2048K")
    _cache(tmp_path, 3, "Unified", "3", "32M")
    assert read_caches(tmp_path, CACHES) == Caches(49152, 2**21, 2**25)


@pytest.mark.parametrize("size", ["", "huge", "-1", "0K", "3", "999999999G"])
def test_caches_of_absurd_size_fall_back(tmp_path: Path, size: str) -> None:
    _cache(tmp_path, 0, "Data", "1", size)
    _cache(tmp_path, 1, "Unified", "two", size)
    assert read_caches(tmp_path, CACHES) == CACHES


def test_caches_without_sysfs_fall_back(tmp_path: Path) -> None:
    assert read_caches(tmp_path / "none", CACHES) == CACHES


def test_cores_under_cgroup_v2_take_the_tightest_quota_of_all_parents(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "cpu.max").write_text("max 100000\n")
    (tmp_path / "a" / "cpu.max").write_text("350000 100000\n")
    assert cpu_quota("0::/a/b\n", tmp_path) == 3.5
    assert cpu_quota("0::/\n", tmp_path) is None


def test_cores_under_cgroup_v1_read_quota_and_period(tmp_path: Path) -> None:
    folder = tmp_path / "cpu,cpuacct" / "job"
    folder.mkdir(parents=True)
    (folder / "cpu.cfs_quota_us").write_text("150000\n")
    (folder / "cpu.cfs_period_us").write_text("100000\n")
    (tmp_path / "cpu,cpuacct" / "cpu.cfs_quota_us").write_text("-1\n")
    assert cpu_quota("4:memory:/x\n3:cpu,cpuacct:/job\n", tmp_path) == 1.5
    assert cpu_quota("3:cpuset:/job\n", tmp_path) is None


@pytest.mark.parametrize("text", ["", "max", "x 1", "100 0", "-1 100000", "0 100000"])
def test_cores_with_an_odd_quota_are_the_affinity(tmp_path: Path, text: str) -> None:
    (tmp_path / "cpu.max").write_text(text)
    (tmp_path / "self").mkdir()
    (tmp_path / "self" / "cgroup").write_text("0::/../../host/path\n")
    assert cores_of(tmp_path, tmp_path, affinity=3) == 3


@pytest.mark.parametrize(
    ("quota", "cores"), [("50000", 1), ("199999", 1), ("200000", 2), ("9999999", 4)]
)
def test_cores_are_the_floor_of_the_quota_and_at_least_one(
    tmp_path: Path, quota: str, cores: int
) -> None:
    (tmp_path / "cpu.max").write_text(f"{quota} 100000")
    (tmp_path / "self").mkdir()
    (tmp_path / "self" / "cgroup").write_text("0::/\n")
    assert cores_of(tmp_path, tmp_path, affinity=4) == cores


def test_resolve_host_gives_this_machine_with_threads() -> None:
    host = detect.resolve("host")
    assert host == detect.host()
    assert detect.resolve("host", host.cores).threads == host.cores


def test_resolve_host_with_more_threads_than_cores_is_refused() -> None:
    cores = detect.host().cores
    with pytest.raises(UsageError, match=f"threads={cores + 1} .*allowed: 1 to {cores}"):
        detect.resolve("host", cores + 1)


@pytest.mark.parametrize("threads", [0, -1, 1025])
@pytest.mark.parametrize("text", ["host", "x86-64-v3"])
def test_resolve_with_impossible_threads_is_refused(text: str, threads: int) -> None:
    with pytest.raises(UsageError, match=f"threads={threads} is not allowed"):
        detect.resolve(text, threads)


@pytest.mark.parametrize("name", ["x86-64", "x86-64-v3", "x86-64-v4"])
def test_resolve_level_and_its_key_give_the_same_target(name: str) -> None:
    level = detect.resolve(name, 2)
    assert level.cpu == name
    assert detect.resolve(level.key) == level
    assert level.features == normalise(level.features)


def test_levels_are_each_a_subset_of_the_next() -> None:
    v1, v3, v4 = (TARGETS.get(name) for name in TARGETS.names())
    assert set(v1.features) < set(v3.features) < set(v4.features)
    assert (v1.has_fma, v3.has_fma, v4.has_fma) == (False, True, True)
    assert [t.vector_bytes for t in (v1, v3, v4)] == [16, 32, 64]


def test_resolve_own_key_gives_the_host_with_its_caches() -> None:
    assert detect.resolve(detect.host().key) == detect.host()


def test_resolve_foreign_key_has_conservative_caches() -> None:
    text = "intel-6-85/avx+sse3+sse4_1+sse4_2+ssse3/t4"
    target = detect.resolve(text)
    assert target.key == text
    assert (target.vector_bytes, target.l2_bytes, target.threads) == (32, 256 * 1024, 4)
    assert detect.resolve(text, 4) == target


@pytest.mark.parametrize(
    "text",
    [
        *("avx2", "+doesnotexist", "-64bit", "hosst", "", " ", "x86-64-v5", "znver4", "HOST"),
        *('"', "'; DROP TABLE records; --", "a\0b", "x" * 5000, "../..", "x86-64-v3/avx2/t1"),
        *("nocpu/avx/t1", "amd-25-17//t1", "amd-25-17/+avx/t1", "amd-25-17/doesnotexist/t1"),
        *("amd-25-17/avx2/t1", "amd-25-17/ssse3+sse3/t1", "amd-25-17/baseline/t0"),
        *("amd-25-17/baseline/t99999", "amd-25-17/baseline/t1 ", "/dev/zero", "."),
    ],
)
def test_resolve_anything_else_is_refused_with_value_and_allowed(text: str) -> None:
    """F034: nothing of the text ever reaches LLVM."""
    with pytest.raises(UsageError, match="allowed") as caught:
        detect.resolve(text)
    message = str(caught.value)
    assert repr(text)[1:40] in message
    assert "\n" not in message
    assert len(message) < 500


def test_resolve_key_with_contradicting_threads_is_refused() -> None:
    with pytest.raises(UsageError, match="threads=3 contradicts"):
        detect.resolve("amd-1-1/baseline/t2", 3)


def _file(tmp_path: Path, content: object) -> str:
    path = tmp_path / "target.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


V3_TARGET = detect.resolve("x86-64-v3")


@pytest.mark.parametrize(
    "content",
    [
        V3_TARGET.to_dict(),
        {"target": V3_TARGET.to_dict(), "ok": True},
        {"host": V3_TARGET.to_dict()},
        {"targets": [V3_TARGET.to_dict()]},
        {"targets": [{"name": "a", "cpu": 1}, {"name": "host", **V3_TARGET.to_dict()}]},
    ],
)
def test_resolve_file_in_every_accepted_form(tmp_path: Path, content: object) -> None:
    path = _file(tmp_path, content)
    assert detect.resolve(path) == V3_TARGET
    assert detect.resolve(path, 2) == V3_TARGET.with_threads(2)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"cpu": ""}, "cpu=''"),
        ({"cpu": "Ä"}, "cpu="),
        ({"cpu": None}, "cpu=None"),
        ({"features": "avx"}, "features='avx'"),
        ({"features": ["avx", "nope"]}, "features="),
        ({"features": ["avx2"]}, "features="),
        ({"vector_bytes": 64}, "vector_bytes=64"),
        ({"vector_bytes": "32"}, "vector_bytes='32'"),
        ({"vector_registers": 32}, "vector_registers=32"),
        ({"l1_bytes": 0}, "l1_bytes=0"),
        ({"l2_bytes": True}, "l2_bytes=True"),
        ({"l3_bytes": None}, "l3_bytes=None"),
        ({"threads": 0}, "threads=0"),
        ({"cores": 1.5}, "cores=1.5"),
        ({"key": "else"}, "key='else'"),
    ],
)
def test_resolve_file_with_a_wrong_field_is_refused(
    tmp_path: Path, change: dict[str, object], told: str
) -> None:
    path = _file(tmp_path, {**V3_TARGET.to_dict(), **change})
    with pytest.raises(UsageError) as caught:
        detect.resolve(path)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "content",
    ["", "{", "null", "[]", "{}", "[" * 100_000, {"targets": []}, {"targets": [{}, {}]}, "\0"],
)
def test_resolve_file_without_one_target_is_refused(tmp_path: Path, content: object) -> None:
    with pytest.raises(UsageError, match="target file"):
        detect.resolve(_file(tmp_path, content))


def test_runnable_names_the_missing_features(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detect, "_detected", lambda: found(cpuinfo()))
    assert detect.runnable(detect.resolve("x86-64-v3")) is None
    assert "lacks avx512bw, avx512cd" in str(detect.runnable(detect.resolve("x86-64-v4")))


def test_runnable_asks_for_a_core_for_each_thread() -> None:
    cores = detect.host().cores
    assert detect.runnable(detect.resolve("x86-64", cores)) is None
    told = detect.runnable(detect.resolve("x86-64", cores + 1))
    assert f"threads={cores + 1} is not allowed on this host; allowed: 1 to {cores} " in str(told)


def test_runnable_on_another_architecture_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detect, "_machine", lambda: "aarch64")
    monkeypatch.setattr(detect, "_detected", lambda: found(cpuinfo(), "aarch64"))
    assert "aarch64" in str(detect.runnable(detect.resolve("x86-64")))
