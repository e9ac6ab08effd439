# Short forms of the habits in docs; every command also works on its own.
.PHONY: check e2e bench size full
PYTHON ?= python3

check:
	$(PYTHON) -m ruff check . && $(PYTHON) -m ruff format --check . && $(PYTHON) -m mypy
	$(PYTHON) -m pytest tests/unit tests/contract -m "not slow" -q

e2e:
	$(PYTHON) -m pytest tests -m "not slow" -q

full:
	sh scripts/test_full.sh

bench:
	$(PYTHON) scripts/bench_kernels.py --shapes C2,C6,C9,G1,G3,D3 --budget 60s

size:
	$(PYTHON) scripts/size.py
