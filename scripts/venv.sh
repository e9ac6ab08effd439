# Sourced by the other scripts: finds a Python and keeps a virtual environment up to date.

# Prints the first Python 3.11 or newer that can make a virtual environment.
find_python() {
    for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11 python3.14 python; do
        if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
            >/dev/null 2>&1; then
            command -v "$candidate"
            return 0
        fi
    done
    echo "error: Python 3.11 or newer with venv is needed (set PYTHON to name one;" \
        "on Debian: apt-get install python3-venv)" >&2
    return 1
}

# ensure_venv FOLDER ROOT REQUIREMENT...: each requirement is one pip install, in order. Nothing is
# installed again while pyproject.toml, the requirements and the checkout's place are the same.
ensure_venv() {
    venv=$1
    root=$2
    shift 2
    wanted=$(printf '%s\n' "$root" "$@" | cat - "$root/pyproject.toml" | cksum)
    if [ -x "$venv/bin/python" ] && [ "$(cat "$venv/installed" 2>/dev/null)" = "$wanted" ]; then
        return 0
    fi
    python=$(find_python) || return 1
    echo "setting up $venv with $python (a few minutes the first time)" >&2
    "$python" -m venv "$venv" || return 1
    venv=$(CDPATH='' cd -- "$venv" && pwd -P)
    for requirement in "$@"; do
        # Split into words ("-e ."), but never expanded as a file pattern (".[dev]").
        (cd "$root" && set -f && "$venv/bin/python" -m pip install --quiet $requirement) || return 1
    done
    printf '%s\n' "$wanted" >"$venv/installed"
}
