"""Writes trials and records for ever: `python writing.py CACHE LOG`.

`kept N` on standard output says that the log has N trials and the cache N records.
"""

import itertools
import os
import sys

from autotune.store.db import open_cache
from autotune.store.log import LogWriter
from autotune.trial import Timing, Trial
from tests.measuring import WORKLOAD, variants
from tests.records import TARGET, made

if __name__ == "__main__":
    schedules = variants(TARGET, 8)
    with LogWriter(sys.argv[2]) as log:
        log.header(workload=WORKLOAD.to_dict())
        for count in itertools.count(1):
            seconds = 1e-3 + count * 1e-9
            timing = Timing((seconds,), (1e-3,), 1.0)
            log.trial(Trial(schedules[count % 8], timing))
            # Opened anew each time, and at first created: so also while it is made can it die.
            with open_cache(sys.argv[1]) as cache:
                cache.put(made(seconds=seconds))
            os.write(1, f"kept {count}\n".encode())
