"""The steps of ``make test``: their output, their counts, and what ``make quick`` chooses."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from lab.mutation.score import TARGETS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / ".ci")
    return import_module("checks")


@pytest.fixture
def quick(checks: ModuleType) -> ModuleType:
    return import_module("quick")


def test_files_that_the_night_names_are_there(checks: ModuleType) -> None:
    days = import_module("days")
    named = {*days.TESTS, *days.SLOW, *(file for each in TARGETS.values() for file in (each.module, *each.tests))}
    assert [file for file in sorted(named) if not (ROOT / file).exists()] == []


def test_steps_at_once_print_in_one_piece_and_are_counted(
    checks: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    def step(name: str, *lines: str, code: int = 0) -> object:
        script = f"print({chr(10).join(lines)!r}); raise SystemExit({code})"
        return checks.Step(name=name, what=name, command=(sys.executable, "-c", script), tests=True)

    chosen = [
        step("one", "..F [100%]", "one failed", "2 passed, 1 failed in 0.10s", code=1),
        step("two", ".... [100%]", "4 passed, 1 skipped in 0.10s"),
        step("three", code=2),
    ]
    outcomes = checks.run_all(chosen, None, None)
    checks.summary(outcomes)
    out = capsys.readouterr().out
    assert "one      ..F [100%]\n" in out and "two      .... [100%]\n" in out
    assert "one failed\n2 passed, 1 failed in 0.10s\n--- one: FAILED in " in out
    assert out.endswith("\ntests: 6 passed, 2 failed, 1 skipped\n")
    assert [outcome.ok for outcome in outcomes] == [False, True, False]


def test_changed_text_chooses_the_tests_that_quote_it(quick: ModuleType) -> None:
    texts = {"cli.chat.undone", *quick._pieces("Undone: {change}")}
    assert quick.modules_of(texts) == {"pet/cli/slash_commands.py"}
    assert "tests/cli/test_chat.py" in quick.related_tests([], texts)[:5]


def test_changed_module_chooses_the_tests_that_import_it_and_a_page_those_of_its_room(quick: ModuleType) -> None:
    assert "tests/engine/test_turn.py" in quick.related_tests(["pet/engine/turn.py"], set())[:3]
    assert quick.related_tests(["docs/guide.md", quick.DOCUMENTS, quick.RULES], set()) == [quick.DOCUMENTS]
    assert "src/tests/chat/composer.test.tsx" in quick.related_pages(["ui/src/chat/composer.tsx"], set())
    assert quick.related_pages(["pet/engine/turn.py"], set()) == []
