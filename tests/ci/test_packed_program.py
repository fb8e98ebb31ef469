"""Every platform's program is built by one script."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_one_script_builds_the_program_of_every_platform() -> None:
    assert "-m PyInstaller" in (ROOT / ".ci" / "package").read_text("utf-8")
    callers = [ROOT / "Makefile", *(ROOT / ".github" / "workflows").glob("*.yml")]
    assert [file.name for file in callers if "-m PyInstaller" in file.read_text("utf-8")] == []
    workflow = (ROOT / ".github" / "workflows" / "packages.yml").read_text("utf-8")
    assert workflow.count("run: .ci/package\n") == 2  # Windows, macOS
    assert workflow.count("run: make package\n") == 1
