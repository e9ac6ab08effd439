#!/bin/sh
# Sets everything up and shows the main path: tune one ResNet-18 layer, then look up that shape (a
# hit) and another (a miss). AUTOTUNE_VENV and AUTOTUNE_CACHE choose other places.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
. "$root/scripts/venv.sh"
unset PYTHONPATH PYTHONHOME
venv=${AUTOTUNE_VENV:-$root/.venv-quickstart}
ensure_venv "$venv" "$root" "-e ."
venv=$(CDPATH='' cd -- "$venv" && pwd -P)
AUTOTUNE_CACHE=${AUTOTUNE_CACHE:-$venv/cache.db}
export AUTOTUNE_CACHE

step() {
    echo
    echo "\$ autotune $*"
    "$venv/bin/autotune" "$@"
}

step run --op conv2d --shape c=128,h=28,k=128,r=3,pad=1 --budget "${AUTOTUNE_BUDGET:-45s}"
step lookup --op conv2d --shape c=128,h=28,k=128,r=3,pad=1
status=0
step lookup --op conv2d --shape c=128,h=27,k=128,r=3,pad=1 || status=$?
if [ "$status" -ne 3 ]; then
    echo "error: the second lookup should miss with exit code 3; it ended with $status" >&2
    exit 1
fi
echo
echo "That miss, exit code 3, is expected: 27x27 was never tuned. The cache is $AUTOTUNE_CACHE"
