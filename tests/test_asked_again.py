"""What CI asks once more: a few tests that failed where all were run, and nothing else turns a red run green."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

_CHECKS = Path(__file__).resolve().parent.parent / ".ci" / "checks.py"
_FAILS_ONCE = """
from pathlib import Path
import pytest

def test_that_loses_a_race_once():
    asked_before = Path("asked-before").exists()
    Path("asked-before").touch()
    assert asked_before
"""
_IS_CUT_OFF = """
def test_that_ends_the_run():
    pytest.exit("gone")

def test_that_is_never_reached():
    raise AssertionError
"""


@pytest.fixture
def checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("soulpet_checks", _CHECKS)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)  # dataclasses look there
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")  # or one above it would count
    return module


def _plainly() -> dict[str, str]:
    """Nothing of the run that this test belongs to."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}


@pytest.mark.parametrize(("rest", "ok"), [("", True), (_IS_CUT_OFF, False)], ids=["all ran", "cut off"])
def test_a_failure_is_forgiven_only_where_every_test_was_run(checks: ModuleType, rest: str, ok: bool) -> None:
    (checks.ROOT / "test_all.py").write_text(_FAILS_ONCE + rest, encoding="utf-8")
    step = checks.Step(name="unit", what="", command=(*checks.PYTEST, "test_all.py"), tests=True)
    outcome = checks.run(step, _plainly())
    assert (outcome.ok, bool(outcome.unsteady)) == (ok, ok)


def test_a_broken_promise_is_never_forgiven(checks: ModuleType) -> None:
    folder = checks.ROOT / "tests" / "property"
    folder.mkdir(parents=True)
    (folder / "test_all.py").write_text(_FAILS_ONCE, encoding="utf-8")
    step = checks.Step(name="unit", what="", command=(*checks.PYTEST, "tests"), tests=True)
    assert not checks.run(step, _plainly()).ok
