"""The wheel in a new environment, as ``pipx install`` makes it: complete and runnable."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from zipfile import ZipFile

import pytest

from pet import __version__
from pet.i18n import LANGUAGES

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("chat.html",)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there always is a screen")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def pet(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command in a new environment, which finds other packages among those of the tests."""
    place = tmp_path_factory.mktemp("environment")
    subprocess.run((sys.executable, "-m", "venv", "--without-pip", str(place)), check=True)
    python = place / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", str(python), "--quiet", "--disable-pip-version-check")
    subprocess.run((*pip, "install", "--no-index", "--no-deps", str(wheel)), check=True)
    (library,) = place.glob("lib/python*/site-packages")
    # Only the folder: the link to this checkout is in a .pth file there, which is not followed.
    (library / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return place / "bin" / "pet"


def run(pet: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    hidden = ("PYTHONPATH", "DISPLAY", "WAYLAND_DISPLAY")
    environ = {name: value for name, value in os.environ.items() if name not in hidden}
    command = (str(pet), "--home", str(folder / "home"), *arguments)
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environ, check=False)


def test_wheel_holds_pages_templates_and_texts(wheel: Path) -> None:
    names = set(ZipFile(wheel).namelist())
    assert {f"pet/_ui/{page}" for page in PAGES} <= names
    for language in LANGUAGES:
        assert any(name.startswith(f"pet/i18n/{language}/") for name in names), language
        assert any(name.startswith(f"pet/assets/templates/{language}/") for name in names), language
    assert [name for name in names if not name.startswith(("pet/", "soulpet-"))] == []


def test_command_runs_where_only_the_wheel_is(pet: Path, tmp_path: Path) -> None:
    told = run(pet, tmp_path, "--version")
    assert (told.returncode, told.stdout.split()[-1]) == (0, __version__)
    shown = run(pet, tmp_path, "prompt")
    assert shown.returncode == 0, shown.stderr
    found = run(pet, tmp_path, "doctor", "--json")
    assert found.returncode == 1  # no key yet
    assert json.loads(found.stdout)
    assert "Traceback" not in found.stderr


def test_pet_without_a_screen_is_a_sentence(pet: Path, tmp_path: Path) -> None:
    done = run(pet, tmp_path)
    assert done.returncode == 1
    assert "pet chat" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr
