from __future__ import annotations

import pytest

from autotune.diagnosis import Failures, NoValidScheduleError
from autotune.trial import FAILURE_KINDS, Failure


def failures(**counts: int) -> Failures:
    made = Failures()
    for kind, count in counts.items():
        for number in range(count):
            made.add(f"{kind}{number}", Failure(kind, f"message {number}"))
    return made


def verdict(made: Failures, log: str = "run.jsonl") -> str:
    return str(made.verdict(sum(made.counts.values()), 2.5, log))


def test_first_failure_of_each_kind_is_a_line_and_no_other() -> None:
    made = Failures()
    told = [
        made.add("aa", Failure("crash", "SIGSEGV")),
        made.add("bb", Failure("crash", "SIGILL")),
        made.add("cc", Failure("timeout", "no answer within 2 s")),
    ]
    assert told == ["first crash: aa: SIGSEGV", "", "first timeout: cc: no answer within 2 s"]
    assert made.counts == {"crash": 2, "timeout": 1}


@pytest.mark.parametrize("kind", FAILURE_KINDS)
def test_verdict_has_advice_for_every_kind(kind: str) -> None:
    said = verdict(failures(**{kind: 3}))
    expected = f"no valid schedule: all 3 measured ones failed ({kind} 3); first {kind}: {kind}0: "
    assert said.startswith(f"{expected}message 0; to do: ")
    assert len(said.partition("to do: ")[2]) > 20
    assert "{" not in said


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        ("timeout", "raise --timeout (2.5 s now)"),
        ("compile_timeout", "raise --timeout (2.5 s now)"),
        ("compile_error", "`autotune show compile_error0 --log run.jsonl`"),
        ("crash", "run `autotune doctor`; `autotune show crash0 --log run.jsonl`"),
        ("wrong_result", "--tolerance"),
        ("out_of_memory", "smaller shape"),
    ],
)
def test_advice_names_what_to_change(kind: str, advice: str) -> None:
    assert advice in verdict(failures(**{kind: 1}))


def test_verdict_tells_every_kind_and_advises_on_the_commonest() -> None:
    said = verdict(failures(crash=2, timeout=5, illegal=2))
    assert "all 9 measured ones failed (timeout 5, crash 2, illegal 2); first timeout: " in said
    assert "first crash: crash0: message 0; first illegal: illegal0: message 0; to do: " in said
    assert said.endswith("to do: raise --timeout (2.5 s now)")


def test_verdict_is_one_line_of_bounded_length_with_the_counts() -> None:
    made = Failures()
    for kind in FAILURE_KINDS:
        made.add("0" * 16, Failure(kind, "x" * 500))
    error = made.verdict(8, 10.0, "run.jsonl")
    assert isinstance(error, NoValidScheduleError)
    assert error.failures == dict.fromkeys(FAILURE_KINDS, 1)
    assert "\n" not in str(error)
    assert len(str(error)) < 2600


def test_command_in_the_advice_can_be_pasted() -> None:
    said = verdict(failures(crash=1), "my logs/it's one.jsonl")
    assert """--log 'my logs/it'"'"'s one.jsonl'`""" in said
    assert "--log" not in verdict(failures(crash=1), "")
