#!/bin/sh
# The whole suite in its own virtual environment: lint, format, types, tests. --full adds the slow
# ones; further arguments go to pytest. AUTOTUNE_TEST_VENV chooses another place.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
. "$root/scripts/venv.sh"
unset PYTHONPATH PYTHONHOME
venv=${AUTOTUNE_TEST_VENV:-$root/.venv-test}
selected='not slow'
if [ "${1:-}" = --full ]; then
    selected=''
    shift
fi
# torch by its exact version first, so that no later range draws in another build of it.
ensure_venv "$venv" "$root" torch==2.13.0 "-e .[dev,bench]"
venv=$(CDPATH='' cd -- "$venv" && pwd -P)
cd "$root"
"$venv/bin/python" -m ruff check .
"$venv/bin/python" -m ruff format --check .
"$venv/bin/python" -m mypy --strict autotune
"$venv/bin/python" -m pytest -m "$selected" --durations 10 "$@"
