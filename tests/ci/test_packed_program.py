"""What the packaged program of every platform is built with, and that its skins are those of the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
SKINS = ROOT / "pet" / "_ui" / "skin"
lean_skin = run_path(str(ROOT / ".ci" / "lean_skin.py"))


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if name != "PYTHONNODEBUGRANGES"}
    command = (sys.executable, "-c", f"from runpy import run_path; {code}")
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=own | environment)


def test_it_is_known_whether_columns_are_kept() -> None:
    asking = "print(run_path('.ci/lean_python.py')['keeps_columns']())"
    assert run_python(asking).stdout == "True\n"
    assert run_python(asking, PYTHONNODEBUGRANGES="1").stdout == "False\n"


def test_a_program_with_columns_is_not_built() -> None:
    pytest.importorskip("PyInstaller")
    built = run_python("run_path('build.spec', {'SPECPATH': '.'})")
    assert built.returncode == 1
    assert built.stderr.strip().endswith("build it with .ci/package")


def test_one_script_builds_the_program_of_every_platform() -> None:
    script = (ROOT / ".ci" / "package").read_text("utf-8")
    assert script.index("export PYTHONNODEBUGRANGES=1") < script.index("-m PyInstaller")
    callers = [ROOT / "Makefile", *(ROOT / ".github" / "workflows").glob("*.yml")]
    assert [file.name for file in callers if "-m PyInstaller" in file.read_text("utf-8")] == []
    workflow = (ROOT / ".github" / "workflows" / "packages.yml").read_text("utf-8")
    assert workflow.count("run: .ci/package\n") == 2  # Windows, macOS
    assert workflow.count("run: make package\n") == 1


def test_pictures_of_skins_keep_every_pixel(tmp_path: Path) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (40, 30, 4), np.uint8)
    pixels[:20, :, 3] = 0  # transparent, with colours below
    Image.fromarray(pixels).save(tmp_path / "spritesheet.png")
    with Image.open(BytesIO(lean_skin["picture"](tmp_path / "spritesheet.png"))) as picture:
        assert picture.format == "WEBP"
        assert np.array_equal(np.asarray(picture), pixels)


def test_skins_name_the_pictures_that_they_are_packed_with() -> None:
    described = sorted(SKINS.rglob("pet.json"))
    assert described
    for file in described:
        text = file.read_text("utf-8")
        before, after = json.loads(text), json.loads(lean_skin["description"](text))
        picture = file.parent / before.pop("spritesheetPath")
        assert picture.suffix == ".png"
        assert picture.is_file()
        assert file.parent / after.pop("spritesheetPath") == picture.with_suffix(".webp")
        assert after == before
