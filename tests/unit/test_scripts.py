from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

SHELL = ("quickstart.sh", "test.sh", "test_full.sh", "venv.sh")


def run(root: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=root.parent,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("name", SHELL)
def test_shell_scripts_are_posix_and_know_no_machine(root: Path, name: str) -> None:
    path = root / "scripts" / name
    assert run(root, "sh", "-n", str(path)).returncode == 0
    text = path.read_text(encoding="utf-8")
    assert "[[" not in text
    assert not re.search(r"(?<![\w.])/(home|root|work|usr|opt)\b", text)


def test_without_a_python_the_quickstart_says_what_is_needed(root: Path, tmp_path: Path) -> None:
    for tool in ("sh", "dirname", "cat", "cksum"):
        (tmp_path / tool).symlink_to(str(shutil.which(tool)))
    ended = run(root, "sh", str(root / "scripts" / "quickstart.sh"), PATH=str(tmp_path), PYTHON="",
                AUTOTUNE_VENV=str(tmp_path / "venv"))  # fmt: skip
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: Python 3.11 or newer")
    assert not (tmp_path / "venv").exists()


def test_an_up_to_date_environment_is_used_as_it_is(root: Path, tmp_path: Path) -> None:
    # A pip that fails shows that nothing is installed a second time.
    venv = tmp_path / "my venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").write_text("#!/bin/sh\nexit 9\n", encoding="utf-8")
    (venv / "bin" / "python").chmod(0o755)
    source = f'. "{root}/scripts/venv.sh"; ensure_venv "{venv}" "{root}" "-e ."'
    stamp = f"printf '%s\\n' '{root}' '-e .' | cat - '{root}/pyproject.toml' | cksum"
    wanted = run(root, "sh", "-c", stamp).stdout
    (venv / "installed").write_text(wanted, encoding="utf-8")
    ended = run(root, "sh", "-c", source)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_continuous_integration_runs_the_suite(root: Path) -> None:
    path = root / ".ci" / "run"
    assert "sh scripts/test.sh" in path.read_text(encoding="utf-8")
    assert os.access(path, os.X_OK)


def test_size_prints_every_folder(root: Path) -> None:
    ended = run(root, sys.executable, str(root / "scripts" / "size.py"))
    assert ended.returncode == 0
    assert re.search(r"^ *\d+ autotune/ir$", ended.stdout, re.MULTILINE)


def test_project_ships_the_search_spaces_and_bounds_every_requirement(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"] == {"search_spaces": "autotune/search_spaces"}
    assert project["project"]["scripts"] == {"autotune": "autotune.__main__:main"}
    extras = project["project"]["optional-dependencies"].values()
    named = [*project["project"]["dependencies"], *(r for e in extras for r in e)]
    own = project["project"]["name"] + "["
    for requirement in (one for one in named if not one.startswith(own)):
        assert re.search(r">=[\d.]+,<[\d.]+$", requirement), requirement


WORKLOADS = [
    ("conv2d", "c=12,h=15,w=13,k=24,r=3,s=5,pad=1x2,stride=2,groups=6"),
    ("conv2d", "c=8,h=7,k=8,r=3,pad=1,groups=8"),
    ("matmul", "m=37,n=41,k=43"),
    ("matmul", "m=5,n=7,k=9,ta=1,tb=1"),
    ("batch_matmul", "b=3,m=5,n=6,k=7,tb=1"),
]


@pytest.mark.parametrize(("op", "shape"), WORKLOADS)
@pytest.mark.parametrize("is_packed", [True, False])
def test_peers_compute_the_same_or_say_why_not(op: str, shape: str, is_packed: bool) -> None:
    import peers

    from autotune.ops.base import contraction, parse_workload
    from autotune.reference import reference

    workload = parse_workload(op, shape)
    rng = np.random.default_rng(0)
    arrays = {
        access.operand: rng.standard_normal(access.shape).astype(np.float32)
        for access in contraction(workload).operands
    }
    right = reference(workload, arrays["x"], arrays["weight"])
    for name, peer in peers.peers(is_packed).items():
        try:
            bind = peer(workload, arrays, 1)
        except peers.MissingPeerError:
            continue
        for call in (bind(), bind()):
            out = call.array(call.run())
            np.testing.assert_allclose(out, right, atol=1e-4, err_msg=name)


@pytest.mark.parametrize("tail", ["bias=1", "act=relu", "residual=1"])
def test_peers_refuse_a_fused_tail(tail: str) -> None:
    import peers

    from autotune.ops.base import parse_workload

    workload = parse_workload("matmul", f"m=2,n=2,k=2,{tail}")
    with pytest.raises(peers.MissingPeerError, match="fused tail"):
        peers.numpy_plain(workload, {}, 1)


def test_private_copies_share_nothing_and_start_on_a_cache_line() -> None:
    import peers

    for shape in ((1,), (3, 5)):
        array = np.ones(shape, np.float32)
        copy = peers.private(array)
        assert copy.ctypes.data % 64 == 0
        assert not np.shares_memory(copy, array)
        np.testing.assert_array_equal(copy, array)


def test_shape_files_are_whole(root: Path) -> None:
    for path in sorted((root / "tests" / "data" / "shapes").glob("*.json")):
        assert json.loads(path.read_text(encoding="utf-8"))
