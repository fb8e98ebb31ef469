"""The core without an extra: each folder in turn is taken out of a copy of the program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns, rmtree

import pytest

from pet.extra import NAMES

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("program")
    copytree(ROOT / "pet", copy / "pet", ignore=ignore_patterns("__pycache__", "_ui"))
    (copy / "assets").symlink_to(ROOT / "assets")
    return copy


@pytest.mark.parametrize("name", NAMES)
def test_the_core_starts_answers_and_serves_settings_and_terminal_without_an_extra(
    program: Path, tmp_path: Path, name: str
) -> None:
    folder = program / "pet" / "extras" / name
    rmtree(folder)
    (folder / "__pycache__").mkdir(parents=True)  # stays where the sources were deleted
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "tests.extras.core_alone", str(tmp_path / "home"), name],
            cwd=program,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": f"{program}{os.pathsep}{ROOT}", "LANG": "C.UTF-8"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    finally:
        rmtree(folder)
        copytree(ROOT / "pet" / "extras" / name, folder, ignore=ignore_patterns("__pycache__"))
    assert ended.stdout.endswith("done\n"), ended.stderr + ended.stdout


def test_the_core_knows_no_extra_where_the_folder_of_all_is_gone(program: Path, tmp_path: Path) -> None:
    copytree(program / "pet", tmp_path / "pet", ignore=ignore_patterns("extras"))
    code = "from pet.extra import extras; print(extras())"
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert ended.stdout == "()\n", ended.stderr


def test_every_folder_of_an_extra_is_in_the_list() -> None:
    folders = {each.name for each in (ROOT / "pet" / "extras").iterdir() if (each / "__init__.py").is_file()}
    assert folders == set(NAMES)
