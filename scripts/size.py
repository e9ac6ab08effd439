"""Prints the lines of Python per folder, and the longest files and functions."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("autotune", "tests", "scripts")
LONG_FILE, LONG_FUNCTION = 400, 45


def functions(path: Path) -> list[tuple[int, str]]:
    """Lines and place of each function in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        ((node.end_lineno or node.lineno) - node.lineno + 1, f"{path}:{node.lineno} {node.name}")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def main() -> None:
    """Count, then print."""
    totals: Counter[str] = Counter()
    long: list[str] = []
    for path in (p for folder in FOLDERS for p in sorted((ROOT / folder).rglob("*.py"))):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        shown = path.relative_to(ROOT)
        totals[str(shown.parent)] += lines
        if lines > LONG_FILE:
            long.append(f"{lines:6} {shown}")
        long += [
            f"{count:6} {place.replace(f'{ROOT}/', '')}"
            for count, place in functions(path)
            if count > LONG_FUNCTION and shown.parts[0] == "autotune"
        ]
    for folder, lines in sorted(totals.items()):
        print(f"{lines:6} {folder}")
    print(f"{sum(totals.values()):6} in all")
    if long:
        print(f"\nfiles over {LONG_FILE} lines, functions over {LONG_FUNCTION}:")
        print("\n".join(long))


if __name__ == "__main__":
    main()
