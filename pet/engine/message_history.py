"""Earlier messages of a conversation, with their attachments, as requests carry them.

Only the latest images are sent, older ones by name. The cut-off moves in steps, so that the cached prefix stays
stable between requests.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import ceil

from pet.access import Access
from pet.i18n import Texts
from pet.model import Attachment, ContextPart, ImagePart, Message, Part, TextPart
from pet.prompt.context import summary_context
from pet.prompt.fence import escape, one_line
from pet.text.markup import sent_file
from pet.text.pages import numbered_pages, parse_ranges
from pet.transcripts.conversation import Conversation, Turn
from pet.transcripts.request_messages import GoesBack, first_sent, no_thinking, to_messages
from pet.workspace.attachments import Attachments

MOST_PICTURES = 12
_STEP = 6
_NAME = 120

ReadAttachment = Callable[[str], bytes | None]


def left_out(pictures: int) -> int:
    """Return the number of images, oldest first, that are sent by name only."""
    return 0 if pictures <= MOST_PICTURES else ceil((pictures - MOST_PICTURES) / _STEP) * _STEP


class AttachmentRenderer:
    """Renderer of the attachments of these turns, in order.

    ``blind``: the model has no image input, so earlier images are sent by name. Those of the last turn are sent
    anyway, so that the owner gets the error. ``withheld``: ids of memory files, while memory is off.
    """

    def __init__(
        self,
        turns: Sequence[Turn],
        read: ReadAttachment,
        texts: Texts,
        *,
        blind: bool,
        withheld: Collection[str] = (),
    ) -> None:
        self._read = read
        self._withheld = withheld
        self._texts = texts
        pictures = sum(is_picture(each) for turn in turns for each in turn.attachments)
        self._named = left_out(pictures)
        if blind and turns:
            self._named = max(self._named, sum(is_picture(each) for turn in turns[:-1] for each in turn.attachments))
        self._seen = 0

    def __call__(self, attachment: Attachment) -> Part:
        if not is_picture(attachment):
            return self._text(attachment)
        self._seen += 1
        if self._seen <= self._named:
            return self._by_name("engine.picture.earlier", attachment)
        data = self._read(attachment.id)
        if data is None or attachment.kind == "text/plain":
            return self._by_name("engine.attachment.gone", attachment)
        picture = base64.b64encode(data).decode("ascii")
        return ImagePart(kind=attachment.kind, data=picture, width=attachment.width, height=attachment.height)

    def _text(self, attachment: Attachment) -> Part:
        if attachment.id in self._withheld:
            return self._by_name("engine.attachment.memory_off", attachment)
        data = self._read(attachment.id)
        if data is None:
            return self._by_name("engine.attachment.gone", attachment)
        text = sent_file(one_line(attachment.name, _NAME), escape(_pages(attachment, data)))
        heading = self._texts("engine.attachment.file")
        if attachment.sent or attachment.unread:
            sent = attachment.sent or f"1-{attachment.pages}"
            total = attachment.pages + attachment.unread
            heading += "\n" + self._texts("engine.attachment.pages", pages=sent, count=total)
        return TextPart(text=f"{heading}\n{text}")

    def _by_name(self, key: str, attachment: Attachment) -> Part:
        return TextPart(text=self._texts(key, name=one_line(attachment.name, _NAME) or attachment.kind))


def _pages(attachment: Attachment, data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    try:
        return numbered_pages(text, attachment.sent)
    except ValueError:  # of a transcript that was changed by hand
        return numbered_pages(text, "")


def sized(attachment: Attachment) -> Part:
    """Return a placeholder of about the size that is sent, for token counting."""
    if attachment.kind == "text/plain":
        share = 1.0
        if attachment.sent:
            with suppress(ValueError):
                share = len(parse_ranges(attachment.sent, attachment.pages)) / attachment.pages
        return TextPart(text="x" * round(attachment.bytes * share))
    return ImagePart(kind=attachment.kind, data="", width=attachment.width, height=attachment.height)


def is_picture(attachment: Attachment) -> bool:
    return attachment.kind != "text/plain"


class MessageHistory:
    """The messages of a conversation up to and including the running turn's, cached per access."""

    def __init__(
        self,
        folded: Callable[[], Conversation],
        turn: str | None,
        texts: Texts,
        *,
        attachments: Attachments,
        blind: Callable[[], bool],
        goes_back: GoesBack = no_thinking,
        demo: bool = False,
    ) -> None:
        self.goes_back = goes_back  # whether thinking of earlier turns is the model's own
        self._demo = demo  # whether the demo answers
        self._folded = folded
        self._attachments = attachments
        self._blind = blind  # whether the model is known to take no pictures
        self._turn = turn
        self._texts = texts
        self._conversation: Conversation | None = None
        self._made: dict[bool, tuple[Mapping[str, ContextPart], tuple[Message, ...]]] = {}

    @property
    def conversation(self) -> Conversation:
        if self._conversation is None:
            self._conversation = self._folded()
        return self._conversation

    def messages(self, access: Access, beside: Mapping[str, ContextPart]) -> tuple[Message, ...]:
        """Return the earlier turns as this access may see them. ``beside``: more context of turns, by their ids,
        withheld as that in the transcript is.
        """
        made_with, messages = self._made.get(access.replays_gated, (None, ()))
        if made_with != beside:
            turns = (
                replace(turn, context=(beside[turn.id], *turn.context)) if turn.id in beside else turn
                for turn in self.conversation.turns
            )
            messages = to_messages(
                replace(self.conversation, turns=tuple(turns)),
                access,
                self._texts("tool.masked"),
                upto=self._turn,
                framed=lambda summary: summary_context(summary.text, self._texts, gated=summary.memory),
                shown=self._shown(access),
                goes_back=self.goes_back,
                demo=self._demo,
            )
            self._made[access.replays_gated] = beside, messages
        return messages

    def _shown(self, access: Access) -> AttachmentRenderer:
        turns = list(self.conversation.turns)
        upto = next((place for place, turn in enumerate(turns) if turn.id == self._turn), len(turns) - 1)
        sent = turns[first_sent(self.conversation, access) : upto + 1]
        gated: set[str] = set()
        if not access.replays_gated:
            gated = {each.id for each in self._attachments.gated(a for turn in sent for a in turn.attachments)}
            gated.update(each for turn in sent for each in turn.memory_files)
        return AttachmentRenderer(sent, self._attachments.read, self._texts, blind=self._blind(), withheld=gated)

    def renew(self) -> None:
        """Drop the cache after context or a summary was added."""
        self._conversation = None
        self._made.clear()
