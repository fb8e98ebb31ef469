"""The bubble's content, worded for its owner: all that its window draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pet.i18n import Language
from pet.text.plain_markdown import MarkdownBlock

Style = Literal["plain", "main", "quiet", "quick"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A button. ``id``: for the answer; ``more``, ``less``, ``later`` and ``back`` only change what is drawn."""

    id: str
    text: str
    style: Style = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderRow:
    """A due reminder. ``key``: names it in an answer; ``later``: the choices of a moment to put it off to."""

    key: str
    text: str
    when: str
    choices: tuple[Choice, ...]
    later: tuple[Choice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFile:
    """A picture or a text that the field asks about. ``image``: a data address of a small copy, "" for a text;
    ``note``: how much of it is sent, "" for all; ``remove``: the name of the button that takes it out."""

    id: str
    name: str
    image: str
    note: str
    remove: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldContent:
    """A line for the owner's words. ``prompt``: shown while it is empty; ``quoted``: the text it asks about, "" for
    none, ``above`` and ``below``: lines about that; ``awaits_copy``: the clipboard is to be read once the field has
    the keyboard; ``capture``: the name of the button that adds a part of the screen, "" for none."""

    prompt: str
    quoted: str = ""
    quoted_name: str = ""
    remove_quoted: str = ""
    above: str = ""
    below: str = ""
    files: tuple[ShownFile, ...] = ()
    notice: str = ""
    awaits_copy: bool = False
    capture: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BubbleContent:
    """The speech bubble, in plain text.

    ``number``: grows with each message; the same number is the same message, perhaps in another language. ``kind``
    "none": no bubble. ``pieces``: the whole text where ``text`` is cut, drawn once ``more`` is chosen, with
    ``open_choices`` instead of ``choices``. ``tap``: the choice that a click on the text makes, "" for none.
    ``rests``: the buttons take no click for 0.6 s, and Enter presses none of them. ``seconds``: display time, 0 until
    it is answered. ``voiced``: whether it has words of the pet. ``close``, ``rest_name``, ``command_name``: names for
    screen readers.
    """

    number: int
    kind: str
    text: str = ""
    lead: str = ""
    command: str = ""
    pieces: tuple[MarkdownBlock, ...] = ()
    choices: tuple[Choice, ...] = ()
    open_choices: tuple[Choice, ...] = ()
    reminders: tuple[ReminderRow, ...] = ()
    field: FieldContent | None = None
    tap: str = ""
    rests: bool = False
    voiced: bool = False
    wide: bool = False
    seconds: float = 0.0
    language: Language = "en"
    theme: Literal["system", "light", "dark"] = "system"
    reduced_motion: Literal["system", "on", "off"] = "system"
    close: str = ""
    rest_name: str = ""
    command_name: str = ""

    @property
    def more(self) -> bool:
        """Whether ``text`` is cut, and ``pieces`` are the whole."""
        return bool(self.pieces)


NOTHING = BubbleContent(number=0, kind="none")
