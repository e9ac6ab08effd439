"""A runner that misbehaves for chosen schedules: `python -m faulty_runner`."""

from faults import faulty_runner

from autotune.measure.run import main

if __name__ == "__main__":
    main(faulty_runner)
