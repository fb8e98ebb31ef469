"""The field beside the pet: the owner's line, with a text, pictures and files of other programs that it asks about.

What it asks about is held in memory, in the temporary conversation of the question. Escape deletes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pet.engine.document_pages import DocumentPages
from pet.errors import AttachmentRefused, BadArguments, PetError
from pet.events import ErrorInfo
from pet.i18n import Texts
from pet.model import Attachment
from pet.services.file_transfer import (
    DroppedThings,
    GivenFile,
    check_dropped,
    data_address,
    decode_chunks,
    plain_name,
)
from pet.services.offers.bubble_content import BubbleContent, Choice, FieldContent, ShownFile
from pet.services.offers.offer import BubbleLine, Offer, Shape, always
from pet.services.offers.wording import worded_error
from pet.workspace.attachments import MAX_FILE, MAX_TEXT, MOST_IN_A_MESSAGE, Attachments

if TYPE_CHECKING:
    from pet.app.pet import Pet
    from pet.services.offers.bubble import SpeechBubble

LONGEST_QUOTE = 20_000
"""Characters of a text that a question goes with."""
_LONGEST_SAID = 2_000  # the chat takes more
_MOST_FILES = MOST_IN_A_MESSAGE - 1  # beside a quoted text
_MEGABYTE = 1024 * 1024
_LIMITS = {
    "too_large": MAX_FILE // _MEGABYTE,
    "too_many": MOST_IN_A_MESSAGE,
    "text_too_large": MAX_TEXT // _MEGABYTE,
    "unreadable": 0,
}
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


def quoted_text(text: str, *, cut: bool) -> tuple[str, bool]:
    """Return a text of another program as it is quoted, bounded, and whether it has more."""
    quote = text.replace("\0", "").strip()
    return quote[:LONGEST_QUOTE], cut or len(quote) > LONGEST_QUOTE


@dataclass(slots=True)
class QuickAsk:
    """``conversation``: of the last question, until it ends or goes on in the chat. ``awaited``: the conversation
    whose next reply belongs beside the pet, where it is shown whatever else holds bubbles back."""

    pet: Pet
    conversation: str | None = None
    awaited: str | None = None

    def suggestions(self) -> list[str]:
        """Return what may be asked with one click: the owner's, or the shipped ones."""
        return (self.pet.effective.current().ask_suggestions or self.pet.texts()("bubble.suggestions")).splitlines()

    def begin(self) -> str:
        """Create the conversation of a question, in place of the last one, and return its id."""
        self.drop()
        reads = self.pet.effective.current().ask_memory == "read"
        self.conversation = self.pet.conversations.create(memory=False, temporary=True, reads=reads).id
        return self.conversation

    def send(self, conversation: str, text: str, quote: str = "", files: Sequence[str] = ()) -> None:
        """Send the owner's words; with ``quote`` beside them, marked as a file is, and attachments. Raises
        TurnRunning, or AttachmentRefused for the text of a memory file while memory is off.
        """
        live = self.pet.conversations.open(conversation)
        sent = [self.pet.attachments.describe(each) for each in files]
        if quote:
            data = quote.encode("utf-8", "replace")
            sent.insert(0, self.pet.attachments.add(self.pet.texts()("bubble.quote_name"), data, temporary=live.id))
        live.send(text, tuple(sent))

    def drop(self) -> None:
        """Delete the conversation, unless it went on in the chat."""
        ended, self.conversation = self.conversation, None
        if ended is not None:
            with suppress(PetError):  # a reply that still runs: it was never on disk, and ends with the program
                self.pet.conversations.delete(ended)


@dataclass(frozen=True, slots=True)
class AskField:
    """The owner's acts in the field. Thread-safe: what is shown is kept by the bubble."""

    bubble: SpeechBubble

    def ask_about(self, text: str, *, cut: bool = False, copied: bool = False) -> None:
        """Show the field with a text of another program above it, also over an open chat; without one an empty one.

        ``cut``: the text has more; ``copied``: it is the clipboard's, and without one the page asks for it again
        once the field has the keyboard. Nothing is sent or kept before the owner asks.
        """
        text, more = quoted_text(text, cut=cut)
        if text or copied:
            self.bubble.show_field(text, more=more, copied=copied)
        else:
            self.bubble.open_field()

    def read_copied(self, number: int) -> None:
        """Quote the clipboard's text, if the field waits for one."""
        selection = self.bubble.pet.windows.system.read_selection()
        text, more = quoted_text(selection.text, cut=selection.cut)
        if text:
            self.bubble.amend_field(
                lambda line: replace(line, text=text, more=more) if line.copied and not line.text else line,
                number,
            )

    def take(self, things: DroppedThings, *, opens: bool = False) -> bool:
        """Put dropped or captured things into the field, and return whether it is open. May take a minute.

        ``opens``: open it first, unless the chat is shown. Raises BadArguments.
        """
        check_dropped(things)
        if opens and self.bubble.field is None and not self.bubble.pet.windows.chat_shown:
            self.bubble.open_field()
        if self.bubble.amend_field(lambda line: replace(line, refused=None)) is None:
            return False
        if things.text:
            self.ask_about(things.text)
        for each in things.refused:
            self._refuse(AttachmentRefused(each.problem, name=plain_name(each.name), limit=_LIMITS[each.problem]))
        for file in things.files:
            self._add(file)
        return True

    def remove(self, attachment: str, number: int) -> None:
        """Take a file out of the field, "" for the quoted text."""

        def without(line: FieldLine) -> FieldLine:
            if not attachment:
                return replace(line, text="", more=False, copied=False)
            return replace(line, files=tuple(each for each in line.files if each.id != attachment))

        self.bubble.amend_field(without, number)

    def answer(self, text: str, number: int | None = None) -> None:
        """Send the field's text with what it asks about. Raises BadArguments, TurnRunning, or AttachmentRefused for
        a quoted memory file while memory is off."""
        bubble = self.bubble
        line = bubble.shown(number)
        if not isinstance(line, FieldLine) or not 0 < len(text.strip()) <= _LONGEST_SAID:
            raise BadArguments(where="text", why="value")
        conversation = self._conversation(line)
        bubble.ask.awaited = conversation
        try:
            bubble.ask.send(conversation, text.strip(), line.text, [each.id for each in line.files])
        except PetError as problem:
            bubble.ask.awaited = None
            if line.asks and line.conversation is None:
                bubble.ask.drop()
            self._refuse(problem)
            raise

    def _conversation(self, line: FieldLine) -> str:
        """Return where the owner's words go: a question's conversation, or the open one."""
        pet = self.bubble.pet
        if line.asks:
            return line.conversation or self.bubble.ask.begin()
        memory = pet.effective.current().default_memory_mode
        return pet.open_tab.conversation or pet.conversations.create(memory=memory).id

    def _add(self, file: GivenFile) -> None:
        name, bubble = plain_name(file.name), self.bubble
        content = decode_chunks(file.data, "files.data")

        def begun(line: FieldLine) -> FieldLine:
            return replace(line, reading=name, conversation=line.conversation or bubble.ask.begin())

        reading = bubble.amend_field(begun)
        if reading is None or reading.conversation is None:
            return
        conversation, files, refused = reading.conversation, list[FieldFile](), None
        try:
            if len(reading.files) >= _MOST_FILES:
                raise AttachmentRefused("too_many", limit=MOST_IN_A_MESSAGE)
            added = bubble.pet.attachments.add_file(name, content, temporary=conversation)
            pages = bubble.pet.conversations.open(conversation).documents
            files = [_shown(each, bubble.pet.attachments, pages, bubble.pet.texts()) for each in added]
        except PetError as problem:
            refused = ErrorInfo.of(problem)

        def arrived(line: FieldLine) -> FieldLine:
            known = {each.id for each in line.files}
            more = (*line.files, *(each for each in files if each.id not in known))
            return replace(line, files=more[:_MOST_FILES], reading="", refused=refused)

        if bubble.amend_field(arrived, conversation=conversation) is None:
            bubble.pet.attachments.release(conversation)  # the owner closed it meanwhile

    def _refuse(self, problem: PetError) -> None:
        self.bubble.amend_field(lambda line: replace(line, refused=ErrorInfo.of(problem)))


def _shown(attachment: Attachment, attachments: Attachments, documents: DocumentPages, texts: Texts) -> FieldFile:
    if attachment.kind != "text/plain":
        from pet.workspace.images import thumbnail  # lazy: importing Pillow is slow

        small = thumbnail(attachments.read(attachment.id) or b"", attachment.name)
        return FieldFile(id=attachment.id, name=attachment.name, image=data_address(small.kind, small.data), note="")
    fitting = documents.fitting(attachment)
    whole = fitting == attachment.pages and not attachment.unread
    key = "bubble.fits_one" if fitting == 1 else "bubble.fits"
    note = "" if whole else texts(key, fitting=fitting, count=attachment.pages + attachment.unread)
    return FieldFile(id=attachment.id, name=attachment.name, image="", note=note)
