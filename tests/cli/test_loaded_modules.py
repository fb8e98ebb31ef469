"""What a command loads: a setting or the help needs neither the pet's core nor its files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import atexit, json, os, sys
from pet.__main__ import main
atexit.register(lambda: print("\\n" + json.dumps(sorted(sys.modules))))
main()
"""
_CORE = ("pet.app", "pet.bridge", "pet.engine", "pet.events", "pet.memory", "pet.model", "pet.providers", "asyncio")


def modules_of(home: Path, *words: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, "--home", str(home), *words],
        env={**os.environ, "PET_ALLOW_ROOT": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    modules: list[str] = json.loads(done.stdout.splitlines()[-1])
    return modules


@pytest.mark.parametrize("words", [("settings", "max_tokens"), ("settings", "max_tokens", "--json")])
def test_a_setting_is_shown_without_the_core(tmp_path: Path, words: tuple[str, ...]) -> None:
    loaded = modules_of(tmp_path, *words)
    assert [each for each in loaded if each.startswith((*_CORE, "pet.workspace.store", "filelock", "tomlkit"))] == []


def test_a_setting_is_changed_without_the_core(tmp_path: Path) -> None:
    loaded = modules_of(tmp_path, "settings", "max_tokens", "900")
    assert [each for each in loaded if each.startswith(_CORE[:-1])] == []
    assert "max_tokens = 900" in (tmp_path / "config" / "settings.toml").read_text("utf-8")


def test_help_loads_no_desktop_and_no_files(tmp_path: Path) -> None:
    loaded = modules_of(tmp_path, "--help")
    assert [
        each for each in loaded if each.startswith((*_CORE, "pet.desktop", "pet.services", "pet.workspace"))
    ] == []
