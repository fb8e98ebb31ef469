"""The native bubble's widget, on Qt's offscreen platform."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pet.bridge.commands.desktop import BubbleCommands
from pet.services.desktop_port import Side
from pet.services.offers.bubble_content import BubbleContent, Choice, FieldContent, ReminderRow, ShownFile

pytest.importorskip("PySide6")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible, QKeyEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QStyle, QStyleOptionSlider, QTextEdit

from pet.desktop import bubble_view
from pet.desktop.bubble_parts import LETTERS, Button, Code, FlowRow, Scroll, Words
from pet.desktop.bubble_view import MOST_HIGH, BubbleView
from pet.desktop.qt_style import font
from pet.extras.agents.display import marked
from pet.text.plain_markdown import blocks


class Port:
    """A port that is only answered."""

    def __init__(self) -> None:
        self.answers: list[str] = []

    def give(self, method: Callable[..., object], *given: Any) -> None:
        assert method is BubbleCommands.answer_bubble
        self.answers.append(given[0])

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


@pytest.mark.parametrize(
    ("text", "from_the_right"),
    [
        ("Good morning", False),
        ("早上好", False),
        ("صباح الخير", True),
        ("בוקר טוב", True),
        ("Ali: صباح الخير", False),
    ],
)
def test_a_text_begins_at_the_side_at_which_its_language_does(
    bubble: BubbleView, text: str, from_the_right: bool
) -> None:
    words = Words(text, font(LETTERS), "#000000", bar="#ff0000")
    words.resize(600, words.heightForWidth(600))
    picture = words.grab().toImage()
    pixels = [(x, picture.pixelColor(x, y)) for x in range(600) for y in range(picture.height())]
    letters = [x for x, colour in pixels if colour.red() < 90]
    beside = {x for x, colour in pixels if colour.red() == 255 and colour.green() == 0}
    assert (min(letters) > 300, max(letters) > 300) == (from_the_right, from_the_right)
    assert beside == ({597, 598, 599} if from_the_right else {0, 1, 2})


PICTURE = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs="
DONE = (Choice(id="done", text="Done"), Choice(id="later", text="Later"))
TOMORROW = (Choice(id="tomorrow", text="Tomorrow"), Choice(id="back", text="Back"))
CONTENTS: dict[str, tuple[BubbleContent, list[str]]] = {
    "reply": (
        BubbleContent(
            number=1, kind="reply", text="Rain.", choices=(Choice(id="open", text="Answer"),), close="Close"
        ),
        ["Rain.", "Answer", "Close"],
    ),
    "reminders": (
        BubbleContent(
            number=1,
            kind="reminders",
            lead="For today",
            reminders=(ReminderRow(key="r", text="Ferns", when="at nine", choices=DONE, later=TOMORROW),),
            close="Close",
        ),
        ["For today", "Ferns", "at nine", "Done", "Later", "Close"],
    ),
    "permission": (
        BubbleContent(
            number=1,
            kind="permission",
            text="May it run?",
            command="ls",
            command_name="The command",
            choices=(Choice(id="allow", text="Allow"), Choice(id="deny", text="Refuse")),
            close="Close",
        ),
        ["May it run?", "The command", "Allow", "Refuse", "Close"],
    ),
    "field": (
        BubbleContent(
            number=1,
            kind="field",
            field=FieldContent(
                prompt="Say something",
                quoted="The train leaves at four",
                quoted_name="Selected text",
                remove_quoted="Take the text out",
                files=(
                    ShownFile(id="a", name="letter.txt", image="", note="page 1", remove="Take the letter out"),
                    ShownFile(id="b", name="screen.png", image=PICTURE, note="", remove="Take the picture out"),
                ),
                capture="A part of the screen",
            ),
            choices=(Choice(id="x", text="Explain this", style="quick"),),
            close="Close",
        ),
        [
            *("The train leaves at four", "Take the text out", "letter.txt", "page 1", "Take the letter out"),
            *("screen.png", "Take the picture out", "Say something", "A part of the screen", "Explain this", "Close"),
        ],
    ),
}


def read_out(bubble: BubbleView) -> list[str]:
    """Return what a screen reader says of each part that is shown."""
    application = QApplication.instance()
    assert application is not None
    application.processEvents()
    parts = [
        each
        for kind in (QLabel, QPushButton, QLineEdit, QTextEdit)
        for each in bubble.findChildren(kind)
        if each.isVisible()
    ]
    names = [QAccessible.queryAccessibleInterface(each).text(QAccessible.Text.Name) for each in parts]
    assert all(names), [type(each).__name__ for each, name in zip(parts, names, strict=True) if not name]
    return names


@pytest.mark.parametrize("name", CONTENTS)
def test_each_part_has_a_name_for_screen_readers(bubble: BubbleView, name: str) -> None:
    content, names = CONTENTS[name]
    bubble.show_content(content, dark=False)
    assert sorted(read_out(bubble)) == sorted(names)


def test_a_whole_reply_is_there_for_screen_readers(bubble: BubbleView) -> None:
    pieces = tuple(blocks("# Tea\n\n- green\n\nHot."))
    more = (Choice(id="more", text="More"),)
    content = BubbleContent(
        number=1,
        kind="reply",
        text="Tea …",
        pieces=pieces,
        choices=more,
        open_choices=DONE,
        rest_name="The rest",
        close="Close",
    )
    bubble.show_content(content, dark=False)
    (button,) = (each for each in bubble.findChildren(Button) if each.text() == "More")
    button.click()
    assert sorted(read_out(bubble)) == sorted(["Tea", "• green", "Hot.", "Done", "Later", "Close"])
    (scroll,) = (each for each in bubble.findChildren(Scroll) if each.isVisible())
    assert scroll.accessibleName() == "The rest"


def test_its_words_are_said_without_the_focus(bubble: BubbleView, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    reader = SimpleNamespace(isActive=lambda: True, updateAccessibility=lambda event: said.append(event.message()))
    monkeypatch.setattr(bubble_view, "QAccessible", reader)
    bubble.show_content(CONTENTS["reply"][0], dark=False)
    assert said == ["Rain."] and bubble.accessibleName() == "Rain."


@pytest.mark.parametrize("name", CONTENTS)
def test_tab_reaches_all_that_can_be_done(bubble: BubbleView, name: str) -> None:
    content, _ = CONTENTS[name]
    bubble.show_content(content, dark=False)
    application = QApplication.instance()
    assert application is not None
    application.processEvents()
    bubble.activateWindow()
    application.processEvents()
    wanted = {each for kind in (QPushButton, QLineEdit) for each in bubble.findChildren(kind) if each.isVisible()}
    reached = set()
    for _ in range(len(wanted) + 3):
        focused = QApplication.focusWidget() or bubble
        reached.add(focused)
        QApplication.sendEvent(
            focused, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier)
        )
    assert wanted - reached == set()
