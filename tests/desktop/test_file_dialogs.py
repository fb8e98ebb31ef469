"""The dialogs in which files are chosen: where they begin, what they list, and that the pet can't cover them."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

if sys.platform != "linux":
    pytest.skip("Qt is the backend of Linux", allow_module_level=True)

from PySide6 import QtWidgets
from PySide6.QtCore import Qt
from PySide6.QtWebEngineCore import QWebEnginePage
from PySide6.QtWidgets import QFileDialog

from pet.desktop import web_engine
from pet.desktop.web_engine import FileDialogs


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Each dialog: where it begins and what it was told. The owner chooses /music/a.png, then cancels."""
    dialogs: list[dict[str, Any]] = []
    answers = [["/music/a.png"], []]

    class Dialog:
        def __init__(self, _parent: object, _title: str, folder: str, filters: str) -> None:
            self.told: dict[str, Any] = {"folder": folder, "filters": filters}
            dialogs.append(self.told)

        def setFileMode(self, mode: object) -> None:  # noqa: N802
            self.told["mode"] = mode

        def setWindowFlag(self, flag: object) -> None:  # noqa: N802
            self.told["flag"] = flag

        def exec(self) -> bool:
            self.chosen = answers.pop(0)
            return bool(self.chosen)

        def selectedFiles(self) -> list[str]:  # noqa: N802
            return self.chosen

        def deleteLater(self) -> None:  # noqa: N802
            return

    monkeypatch.setattr(QtWidgets, "QFileDialog", Dialog)
    monkeypatch.setattr(FileDialogs, "_folder", "")
    return dialogs


def test_they_begin_at_home_then_where_a_file_was_chosen_and_stay_above_the_pet(shown: list[dict[str, Any]]) -> None:
    assert FileDialogs.getOpenFileName(None, "", "", "GGUF (*.gguf)")[0] == "/music/a.png"
    assert FileDialogs.getOpenFileName(None, "", "", "")[0] == ""
    assert [each["folder"] for each in shown] == [str(Path.home()), "/music"]
    assert [each["filters"] for each in shown] == ["GGUF (*.gguf)", ""]
    assert {each["flag"] for each in shown} == {Qt.WindowType.WindowStaysOnTopHint}


def test_pages_ask_with_the_same_dialog_for_the_kinds_of_file_that_they_take(shown: list[dict[str, Any]]) -> None:
    class Page:
        def __init__(self, _parent: object = None, profile: object = None) -> None: ...

    web_engine._lock_page(Page, SimpleNamespace())  # type: ignore[arg-type]
    page: Any = Page.__new__(Page)
    page.soulpet_window = SimpleNamespace(native=None)
    choices = QWebEnginePage.FileSelectionMode
    assert page.chooseFiles(choices.FileSelectOpenMultiple, [], []) == ["/music/a.png"]
    assert page.chooseFiles(choices.FileSelectOpen, [], [".png", ".json", "image/png"]) == []
    assert [each["filters"] for each in shown] == ["", "*.png *.json"]
    assert [each["mode"] for each in shown] == [QFileDialog.FileMode.ExistingFiles, QFileDialog.FileMode.ExistingFile]
