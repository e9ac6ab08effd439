"""The process with TVM, with a stand-in that answers as it does; TVM itself is not needed."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import tvm_peer
from peers import MissingPeerError
from tvm_peer import MetaSchedule

from autotune.ops.base import parse_workload

WORKLOAD = parse_workload("matmul", "m=2,n=3,k=4")
ARRAYS = {
    "x": np.ones((2, 4), np.float32),
    "weight": np.ones((4, 3), np.float32),
    "out": np.empty((2, 3), np.float32),
}
STAND_IN = """
import json, sys
import numpy as np
for line in sys.stdin:
    request = json.loads(line)
    if "bind" in request:
        bind = request["bind"]
        given = [np.load(f"{bind['folder']}/{name}.npy") for name in ("x", "weight")]
        np.save(f"{bind['folder']}/out.npy", given[0] @ given[1])
        answer = {}
        if bind["sets"] == 7:
            answer = {"error": "TimeUpError: nothing was measured"}
        if bind["sets"] == 8:
            sys.exit(3)
    else:
        answer = {"seconds": request["spend"] * 0.5}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MetaSchedule:
    (tmp_path / "stand_in.py").write_text(STAND_IN)
    monkeypatch.setattr(tvm_peer, "SCRIPT", tmp_path / "stand_in.py")
    return MetaSchedule(sys.executable, 1, "host", 1.0)


def test_it_binds_spends_and_ends(peer: MetaSchedule) -> None:
    with peer:
        np.testing.assert_array_equal(peer.bind(WORKLOAD, ARRAYS, 2), np.full((2, 3), 4.0))
        assert peer.spend_s(6) == 3.0
    assert peer._process is not None
    assert peer._process.returncode is not None


@pytest.mark.parametrize(
    ("sets", "why"), [(7, "TVM: TimeUpError: nothing"), (8, "could not run TVM; exit code 3")]
)
def test_what_goes_wrong_there_is_a_missing_peer(peer: MetaSchedule, sets: int, why: str) -> None:
    with peer, pytest.raises(MissingPeerError, match=why):
        peer.bind(WORKLOAD, ARRAYS, sets)


@pytest.mark.parametrize(
    ("python", "why"),
    [(None, "tvm is not installed"), ("no/python", "cannot be run: No such file")],
)
def test_without_tvm_it_is_missing(
    monkeypatch: pytest.MonkeyPatch, python: str | None, why: str
) -> None:
    monkeypatch.setattr(tvm_peer, "find_spec", lambda _: None)
    with MetaSchedule(python, 1, "host", 1.0) as nobody, pytest.raises(MissingPeerError, match=why):
        nobody.bind(WORKLOAD, ARRAYS, 1)
