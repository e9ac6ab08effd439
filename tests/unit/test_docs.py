"""The documents name what exists, and only that."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_map_names_every_file() -> None:
    text = (ROOT / "docs" / "system.md").read_text(encoding="utf-8")
    named = {Path(name).name for name in re.findall(r"`([\w./]+\.(?:py|sh))`", text)}
    files = [p for folder in ("autotune", "scripts") for p in (ROOT / folder).rglob("*.*")]
    exist = {path.name for path in files if path.suffix in (".py", ".sh")}
    assert named - {"tests/unit/test_layers.py", "test_layers.py"} == exist


def test_links_between_documents_lead_somewhere() -> None:
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name} -> {target}"


def test_decisions_have_their_five_lines() -> None:
    text = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    for section in text.split("\n## ")[1:]:
        heads = re.findall(r"^- (\w+)", section, re.MULTILINE)
        assert heads == ["Question", "Options", "Choice", "Evidence", "Revisit"], section[:60]
