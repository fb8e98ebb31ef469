"""The native bubble's widget, on Qt's offscreen platform."""

from __future__ import annotations

import os
from typing import Any, cast

import pytest

from pet.services.bubble_content import BubbleContent, Choice
from pet.services.desktop_port import Side

pytest.importorskip("PySide6")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QPushButton, QStyle, QStyleOptionSlider

from pet.desktop.bubble_parts import Button, Code, FlowRow, Scroll
from pet.desktop.bubble_view import MOST_HIGH, BubbleView
from pet.extras.agents.lines import marked


class Port:
    """A port that is only answered."""

    def __init__(self) -> None:
        self.answers: list[str] = []

    def answer(self, number: int, choice: str, key: str = "") -> None:
        self.answers.append(choice)

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)


@pytest.fixture
def port() -> Port:
    return Port()


@pytest.fixture
def bubble(port: Port) -> BubbleView:
    application = QApplication.instance() or QApplication(["tests", "-platform", "offscreen"])
    assert application is not None

    def place(width: int, height: int, _reads: bool) -> tuple[Side, int, int]:
        view.resize(width, height)
        view.show()
        return "above", width // 2, height

    view = BubbleView(cast(Any, port), place, lambda: None, lambda: True)
    return view


@pytest.mark.parametrize("text", ["Hello!", "A line that goes on " * 5, "很高兴见到你。"])
def test_the_buttons_are_whole_under_a_text_of_any_length(bubble: BubbleView, text: str) -> None:
    content = BubbleContent(number=1, kind="greeting", text=text, choices=(Choice(id="answer", text="Answer"),))
    bubble.show_content(content, dark=False)
    QApplication.processEvents()
    (row,) = bubble.findChildren(FlowRow)
    assert row.height() == row.heightForWidth(row.width())


COMMANDS = {
    "short": "ls -l",
    "some lines": "\n".join("abcdef"),
    "one long line": "a" * 3_000,
    "words": "word " * 600,
    "wide letters": "\u4f60" * 1_000,
    "letters of two widths": "a\u4f60" * 700,
    "tabs": "echo" + "\t" * 500,
    "columns": "a\tb\n" * 50,
    "emoji": "\U0001f642" * 300,
    "accents": ("a" + "\u0301" * 5) * 500,
    "to the left": "\u0628" * 1_500,
    "tags": "".join(map(chr, range(0xE0020, 0xE007F))),
    "blank lines": "a" + "\n" * 400,
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("answer", ["allow", "from_now_on"])
def test_a_command_is_drawn_to_its_end_and_not_allowed_before_that_was_in_view(
    bubble: BubbleView, port: Port, name: str, answer: str
) -> None:
    choices = (Choice(id=answer, text="Allow"), Choice(id="deny", text="Refuse"))
    command = marked(COMMANDS[name] + "rm -rf ~")
    bubble.show_content(
        BubbleContent(number=1, kind="permission", command=command, choices=choices, rests=True), dark=False
    )
    QApplication.processEvents()
    (code,), (scroll,) = bubble.findChildren(Code), bubble.findChildren(Scroll)
    assert code.toPlainText() == command
    assert (code.verticalScrollBar().maximum(), code.horizontalScrollBar().maximum()) == (0, 0)
    assert bubble.height() <= MOST_HIGH
    allow = next(each for each in bubble.findChildren(Button) if each.text() == "Allow")
    for _ in range(100):
        end = code.mapTo(scroll.viewport(), code.rect().bottomLeft()).y() < scroll.viewport().height()
        assert not port.answers
        allow.setEnabled(True)  # after its rest
        allow.click()
        if end:
            break
    assert port.answers == [answer] and end


def test_enter_and_a_click_meant_for_something_else_allow_nothing(bubble: BubbleView, port: Port) -> None:
    choices = (Choice(id="allow", text="Allow"),)
    bubble.show_content(
        BubbleContent(number=1, kind="permission", command="ls", choices=choices, rests=True), dark=False
    )
    (allow,) = bubble.findChildren(Button)
    allow.click()
    allow.setEnabled(True)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        QApplication.sendEvent(allow, QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier))
    assert port.answers == []


@pytest.mark.parametrize("dark", [False, True])
def test_the_scroll_bar_begins_below_the_button_that_closes(bubble: BubbleView, dark: bool) -> None:
    content = BubbleContent(
        number=1, kind="greeting", text="Hello. " * 40, command="echo a line\n" * 80, close="Close"
    )
    bubble.show_content(content, dark=dark)
    QApplication.processEvents()
    (scroll,) = bubble.findChildren(Scroll)
    (close,) = bubble.findChildren(QPushButton, "close")
    bar = scroll.verticalScrollBar()
    assert bar.maximum() > 0
    option = QStyleOptionSlider()
    bar.initStyleOption(option)
    handle = bar.style().subControlRect(
        QStyle.ComplexControl.CC_ScrollBar, option, QStyle.SubControl.SC_ScrollBarSlider, bar
    )
    assert bar.mapTo(bubble, handle.topLeft()).y() >= close.mapTo(bubble, close.rect().bottomLeft()).y()
