"""A builder that dies on its first jobs before it begins them: AUTOTUNE_TEST_DEATHS counts them.

Each death takes one byte off that file; with none left the real builder serves.
"""

import os
import sys
from pathlib import Path

from autotune.measure.build import main
from autotune.measure.wire import read_frame, write_frame

if __name__ == "__main__":
    deaths = Path(os.environ["AUTOTUNE_TEST_DEATHS"])
    if left := deaths.read_bytes():
        first = read_frame(0)
        write_frame(1, {"event": "ready"}, seal=bytes.fromhex(first.header["seal"]))
        read_frame(0)
        deaths.write_bytes(left[1:])
        sys.exit("damaged by an earlier job")
    main()
