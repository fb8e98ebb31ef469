"""Replies of the pet in the bubble, their failures, and lines it says by itself that may be as long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pet.errors import PetError
from pet.events import ErrorInfo, TurnEnded
from pet.i18n import Texts, catalogue
from pet.model import TurnEnd
from pet.services.offers.bubble_content import BubbleContent, Choice
from pet.services.offers.offer import LAST, UNASKED, Answer, BubbleLine, Cue, Offer, Shape, always
from pet.services.offers.wording import plain_text, shortened, worded_error
from pet.text.plain_markdown import MarkdownBlock, blocks

if TYPE_CHECKING:
    from pet.services.offers.bubble import SpeechBubble

_OWN_WISH = (TurnEnd.STOPPED, TurnEnd.MEMORY_OFF)
_FAILURES = {TurnEnd.FAILED: "bubble.failed", TurnEnd.CUT: "bubble.cut", TurnEnd.REFUSED: "ui.end.refused"}


def _due(bubble: SpeechBubble, cue: Cue) -> BubbleLine | None:
    assert isinstance(cue, TurnEnded)
    ask, conversation = bubble.ask, cue.conversation
    stays = conversation == ask.conversation
    awaited = conversation == ask.awaited and (stays or not bubble.pet.windows.chat_shown)
    if conversation == ask.awaited:
        ask.awaited = None
    if cue.end in _OWN_WISH:
        return None

    def suited(offer: Offer) -> Offer:
        if not awaited:
            return replace(offer, setting=REPLY.setting)
        return replace(offer, setting=always, held="never")

    if (key := _FAILURES.get(cue.end)) is not None:
        error = cue.error if cue.end is TurnEnd.FAILED else None
        return failure(bubble, error, key=key, offer=suited(FAILED), conversation=conversation)
    try:
        turns = bubble.pet.conversations.open(conversation).folded().turns
    except PetError:  # deleted meanwhile
        return None
    reply = next((turn.reply for turn in turns if turn.id == cue.turn), "")
    offer = replace(suited(REPLY), stays="answered", held="never", setting=always) if stays else suited(REPLY)
    line = long_line(bubble, offer, reply, conversation=conversation)
    return line if line.text else None


REPLY = Offer(
    kind="reply",
    on=(TurnEnded,),
    due=_due,
    setting=lambda settings: settings.bubbles,
    memory="any",
    held="dropped",
    chat="shown",
    stays="time",
    rank=LAST,
    seconds=0.0,
    questions=0,
    pauses=False,  # a turn does, whether its reply is shown or not
    voiced=True,
)
FAILED = replace(REPLY, kind="failed", on=(), due=None, setting=always, seconds=UNASKED)


@dataclass(frozen=True, slots=True, kw_only=True)
class LongLine(BubbleLine):
    """A line that may be cut. ``more``: it was, and ``pieces`` are the whole."""

    text: str
    more: bool
    pieces: tuple[MarkdownBlock, ...]

    def content(self, shape: Shape) -> BubbleContent:
        closed, opened = self._choices(shape.texts)
        return replace(BubbleLine.content(self, shape), pieces=self.pieces, choices=closed, open_choices=opened)

    def _choices(self, texts: Texts) -> tuple[tuple[Choice, ...], tuple[Choice, ...]]:
        """Return the buttons, and those of the whole text."""
        answer = Choice(id="open", text=texts("bubble.answer"))
        if not self.more:
            return (answer,), ()
        more = Choice(id="more", text=texts("bubble.more"), style="main")
        less = Choice(id="less", text=texts("bubble.less"))
        return (more, Choice(id="open", text=texts("bubble.open"))), (replace(answer, style="main"), less)


def long_line(
    bubble: SpeechBubble,
    offer: Offer,
    markdown: str,
    *,
    conversation: str | None = None,
    opens: Callable[[], object] | None = None,
) -> LongLine:
    """Return a line of this Markdown. ``opens``: instead of its conversation in the chat."""
    whole, left_out = plain_text(markdown)
    text, cut = shortened(whole)
    more = cut or left_out
    to_chat = bubble.to_chat(conversation, "bubble.answer", "plain")
    return LongLine(
        offer=offer,
        words=lambda _texts: text,
        answers=(replace(to_chat, act=opens) if opens else to_chat,),
        conversation=conversation,
        text=text,
        more=more,
        pieces=tuple(blocks(markdown)) if more else (),
    )


def failure(
    bubble: SpeechBubble,
    error: ErrorInfo | None,
    *,
    key: str = "bubble.failed",
    offer: Offer = FAILED,
    conversation: str | None = None,
) -> BubbleLine:
    """Return a line about an error, or what ``key`` says."""

    def words(texts: Texts) -> str:
        if error is not None and f"error.{error.code}" in catalogue(texts.language):
            return worded_error(error, texts)
        return texts(key)

    to_chat = bubble.to_chat(conversation, "bubble.look", "main")
    return BubbleLine(offer=offer, words=words, answers=(to_chat,), conversation=conversation)


NO_CHAT = replace(FAILED, kind="no_chat", held="never")  # the owner asked for the chat


def no_chat_line(bubble: SpeechBubble, reason: str) -> BubbleLine:
    """Return what is wrong, and where one can talk meanwhile: beside the pet and in the terminal."""
    return BubbleLine(
        offer=NO_CHAT,
        words=lambda texts: texts("bubble.no_chat", reason=reason),
        answers=(Answer(id="field", text="bubble.say", style="main", act=bubble.open_field, keeps=True),),
    )
