"""What every target promises: one suite over all that the registry finds, and this machine."""

from __future__ import annotations

import dataclasses
import json

import pytest

from autotune.backends import cpu
from autotune.backends.cpu.machine import FEATURES, LEVELS, cpu_name, feature_text, target_machine
from autotune.ir.default import default_schedule
from autotune.ir.legal import violation
from autotune.ops.base import contraction, parse_workload
from autotune.registry import TARGETS
from autotune.space import generate
from autotune.targets.base import Target
from autotune.targets.detect import resolve

AVX512 = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
WORKLOADS = (
    parse_workload("matmul", "17x33x9,bias=1"),
    parse_workload("conv2d", "c=5,h=9,k=7,r=3,pad=1,act=relu", "float64"),
)


@pytest.fixture(params=[*TARGETS.names(), "host"])
def target(request):
    return resolve(request.param)


def test_registry_finds_the_three():
    assert set(TARGETS.names()) >= {"x86-64", "x86-64-v3", "x86-64-v4"}


@pytest.mark.parametrize("name", TARGETS.names())
def test_named_target_is_called_as_its_file(name):
    assert TARGETS.get(name).cpu == name
    assert resolve(name) == TARGETS.get(name)
    assert (resolve(name).cores, resolve(name).threads) == (1, 1)


def test_target_is_plain_frozen_data(target):
    assert isinstance(target, Target)
    assert hash(target) == hash(dataclasses.replace(target))
    with pytest.raises(dataclasses.FrozenInstanceError):
        target.cpu = "other"
    fields = json.loads(json.dumps(target.to_dict()))
    assert fields.pop("key") == target.key
    fields["features"] = tuple(fields["features"])
    assert Target(**fields) == target


def test_key_names_cpu_features_and_threads_and_leads_back(target):
    assert target.key.count("/") == 2
    assert target.key == f"{target.cpu}/{'+'.join(target.features) or 'baseline'}/t1"
    again = resolve(target.key)
    assert (again.key, again.vector_bytes) == (target.key, target.vector_bytes)
    assert target.with_threads(2).key == target.key.removesuffix("t1") + "t2"


def test_features_are_sorted_and_known_to_the_back_end(target):
    assert list(target.features) == sorted(set(target.features))
    assert set(target.features) <= set(FEATURES)


def test_vectors_are_as_wide_as_the_features_say(target):
    have = set(target.features)
    if have >= AVX512:
        assert (target.vector_bytes, target.vector_registers) == (64, 32)
    elif "avx2" in have:
        assert (target.vector_bytes, target.vector_registers) == (32, 16)
    else:
        assert (target.vector_bytes, target.vector_registers) == (16, 16)
    assert target.has_fma == bool(have & {"fma", "avx512f"})


def test_caches_grow_outwards(target):
    assert 8 * 1024 <= target.l1_bytes <= target.l2_bytes <= target.l3_bytes
    assert target.cores >= 1
    assert target.threads == 1


def test_llvm_gets_a_known_cpu_and_a_sign_for_every_feature(target):
    assert cpu_name(target) in LEVELS.values()
    signs = feature_text(target).split(",")
    assert {sign[1:] for sign in signs} == set(FEATURES.values())
    assert {sign[0] for sign in signs} <= {"+", "-"}
    assert "e-m:e" in str(target_machine(target).target_data)


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.op)
def test_default_is_legal_and_compiles(target, workload):
    made = contraction(workload)
    schedule = default_schedule(made, target)
    assert violation(made, schedule, target) is None
    artifact = cpu.build(made, schedule, target)
    assert artifact.target == target.key
    space = generate(made, target)
    assert max(space.knobs["lanes"]) * (4 if workload.dtype == "float32" else 8) <= (
        target.vector_bytes
    )
