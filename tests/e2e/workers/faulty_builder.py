"""A builder that misbehaves for chosen schedules: `python -m faulty_builder`."""

from faults import faulty_builder

from autotune.measure.build import main

if __name__ == "__main__":
    main(faulty_builder)
