"""The native bubble's widget, on Qt's offscreen platform."""

from __future__ import annotations

import os
from typing import Any

import pytest

from pet.services.bubble_content import BubbleContent, Choice
from pet.services.desktop_port import Side

pytest.importorskip("PySide6")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from pet.desktop.bubble_parts import FlowRow
from pet.desktop.bubble_view import BubbleView


class Unused:
    """A port that nothing is asked of."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)


@pytest.fixture
def bubble() -> BubbleView:
    application = QApplication.instance() or QApplication(["tests", "-platform", "offscreen"])
    assert application is not None

    def place(width: int, height: int, _reads: bool) -> tuple[Side, int, int]:
        view.resize(width, height)
        view.show()
        return "above", width // 2, height

    view = BubbleView(Unused(), place, lambda: None, lambda: True)
    return view


@pytest.mark.parametrize("text", ["Hello!", "A line that goes on " * 5, "很高兴见到你。"])
def test_the_buttons_are_whole_under_a_text_of_any_length(bubble: BubbleView, text: str) -> None:
    content = BubbleContent(number=1, kind="greeting", text=text, choices=(Choice(id="answer", text="Answer"),))
    bubble.show_content(content, dark=False)
    QApplication.processEvents()
    (row,) = bubble.findChildren(FlowRow)
    assert row.height() == row.heightForWidth(row.width())
