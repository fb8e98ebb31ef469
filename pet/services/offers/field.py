"""The line for the owner's words beside the pet, as the bubble draws it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from pet.events import ErrorInfo
from pet.i18n import Texts
from pet.services.bubble_content import BubbleContent, Choice, FieldContent, ShownFile
from pet.services.offers.offer import BubbleLine, Offer, Shape, always
from pet.services.offers.wording import worded_error

_QUOTE_SHOWN = 400
FIELD = Offer(
    kind="field",
    on=(),
    due=None,
    setting=always,
    memory="any",
    held="never",  # the owner asked for it
    chat="shown",
    stays="answered",
    rank=0,  # nothing replaces the owner's draft
    seconds=0.0,
    questions=0,
    pauses=False,
    voiced=False,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldFile:
    """A picture or a text that the field asks about. ``image``: a data address of a small copy, "" for a text;
    ``note``: how much of it is sent, "" for all."""

    id: str
    name: str
    image: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldLine(BubbleLine):
    """``text``: of another program, which it asks about, ``more``: that was cut, ``copied``: from the clipboard;
    ``files``: held by its conversation; ``reading``: name of a file that comes into it; ``refused``: why the last one
    did not, or could not be sent; ``suggestions``: what may be asked with one click."""

    text: str = ""
    more: bool = False
    copied: bool = False
    files: tuple[FieldFile, ...] = ()
    reading: str = ""
    refused: ErrorInfo | None = None
    suggestions: Callable[[], list[str]]

    @property
    def asks(self) -> bool:
        """Whether it asks about something."""
        return bool(self.text or self.files)

    def content(self, shape: Shape) -> BubbleContent:
        texts, text = shape.texts, self.text
        quoted_name = texts("bubble.copied" if self.copied else "bubble.quoted")
        above = "" if not self.copied else quoted_name if text else texts("bubble.copy_first")
        field = FieldContent(
            prompt=texts("bubble.ask" if self.asks or self.copied else "bubble.say"),
            quoted=text[:_QUOTE_SHOWN],
            quoted_name=quoted_name,
            remove_quoted=texts("bubble.remove", name=quoted_name),
            above=above,
            below=f"\u2026 {texts('bubble.quote_cut')}" if text and self.more else "",
            files=tuple(
                ShownFile(
                    id=file.id,
                    name=file.name,
                    image=file.image,
                    note=file.note,
                    remove=texts("bubble.remove", name=file.name),
                )
                for file in self.files
            ),
            notice=self.notice(texts),
            awaits_copy=self.copied and not text,
            capture=texts("bubble.screenshot") if shape.captures else "",
        )
        quick = self.suggestions() if self.asks else []
        choices = tuple(Choice(id=text, text=text, style="quick") for text in quick)
        return replace(BubbleLine.content(self, shape), field=field, choices=choices)

    def notice(self, texts: Texts) -> str:
        """Return what is said about a file: that it is read, or why it was refused."""
        if self.reading:
            return texts("ui.attach.reading", name=self.reading)
        return worded_error(self.refused, texts) if self.refused else ""
