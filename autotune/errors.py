"""Every exception that leaves this package.

AutotuneError
├── UsageError        bad input: one line naming the value and what is allowed (exit code 2)
│   └── SpaceError    a search-space file that says something impossible
├── ScheduleError     a schedule that is malformed or illegal for its workload and target
├── CodegenError      lowering or LLVM refused a candidate
├── MeasureError      the measuring side could not be started or kept alive
├── StoreError        the cache or a log cannot be read or written
└── CacheMissError    a strict lookup found no tuned record
"""

from __future__ import annotations


class AutotuneError(Exception):
    """Root of all errors raised on purpose by this package."""


class UsageError(AutotuneError):
    """The caller asked for something that does not exist or makes no sense."""


class SpaceError(UsageError):
    """A search-space file is invalid; the message holds the path of the key."""


class ScheduleError(AutotuneError):
    """A schedule is malformed, or illegal for this workload and target."""


class CodegenError(AutotuneError):
    """A schedule could not be turned into machine code."""


class MeasureError(AutotuneError):
    """Worker processes could not be started or kept alive."""


class StoreError(AutotuneError):
    """The cache or a log cannot be read or written."""


class CacheMissError(AutotuneError):
    """A strict lookup found no tuned record.

    Attributes:
        key: the workload's canonical key.
        fix: the command that closes the gap.
    """

    def __init__(self, key: str, fix: str) -> None:
        super().__init__(f"no tuned record for {key}; to tune it: {fix}")
        self.key = key
        self.fix = fix


class PerformanceCliffWarning(UserWarning):
    """A lookup missed: the kernel will run, slower than a tuned one would."""
