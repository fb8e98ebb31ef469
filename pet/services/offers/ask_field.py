"""The field beside the pet: the owner's line, with a text, pictures and files of other programs that it asks about.

What it asks about is held in memory, in the temporary conversation of the question. Escape deletes it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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
from pet.services.offers.bubble import SpeechBubble
from pet.services.offers.field import FieldFile, FieldLine
from pet.services.offers.quick_ask import quoted_text
from pet.workspace.attachments import MAX_FILE, MAX_TEXT, MOST_IN_A_MESSAGE, Attachments

_LONGEST_SAID = 2_000  # the chat takes more
_MOST_FILES = MOST_IN_A_MESSAGE - 1  # beside a quoted text
_MEGABYTE = 1024 * 1024
_LIMITS = {
    "too_large": MAX_FILE // _MEGABYTE,
    "too_many": MOST_IN_A_MESSAGE,
    "text_too_large": MAX_TEXT // _MEGABYTE,
    "unreadable": 0,
}


@dataclass(frozen=True, slots=True)
class AskField:
    """Thread-safe: what is shown is kept by the bubble."""

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
        selection = self.bubble.windows.system.read_selection()
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
        if opens and self.bubble.field is None and not self.bubble.windows.chat_shown:
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
        bubble = self.bubble
        if line.asks:
            return line.conversation or bubble.ask.begin()
        return (
            bubble.open_conversation() or bubble.conversations.create(memory=bubble.settings().default_memory_mode).id
        )

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
            added = bubble.ask.pet.attachments.add_file(name, content, temporary=conversation)
            pages = bubble.conversations.open(conversation).documents
            files = [_shown(each, bubble.ask.pet.attachments, pages, bubble.texts()) for each in added]
        except PetError as problem:
            refused = ErrorInfo.of(problem)

        def arrived(line: FieldLine) -> FieldLine:
            known = {each.id for each in line.files}
            more = (*line.files, *(each for each in files if each.id not in known))
            return replace(line, files=more[:_MOST_FILES], reading="", refused=refused)

        if bubble.amend_field(arrived, conversation=conversation) is None:
            bubble.ask.pet.attachments.release(conversation)  # the owner closed it meanwhile

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
