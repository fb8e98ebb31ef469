"""What the owner sent with a message was said aloud: it stays with memory off, and nothing gated comes with it.
Random histories, with pictures and files on random messages."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from pet.access import OFF, ON, Access
from pet.engine.message_history import MOST_PICTURES, AttachmentRenderer
from pet.i18n import Texts
from pet.model import Attachment, ImagePart, Message, Part, TextPart
from pet.transcripts.conversation import Conversation
from pet.transcripts.entries import TranscriptEntry, UserMessage
from pet.transcripts.entry_codec import decode_entry, encode_entry
from pet.transcripts.fold import fold
from pet.transcripts.request_messages import first_sent, to_messages
from tests.property.replay.test_replay import CANARY, MARKER, check_well_formed, histories, spelled, spellings
from tests.support.examples import examples

SENT = [
    Attachment(id="a" * 64, kind="image/png", name="cat.png", width=9, height=9, bytes=9),
    Attachment(id="b" * 64, kind="image/jpeg", name="", width=9, height=9, bytes=9),
    Attachment(id="c" * 64, kind="text/plain", name="a.md", width=0, height=0, bytes=9),
    Attachment(id="d" * 64, kind="text/plain", name="", width=0, height=0, bytes=9),
]


@st.composite
def histories_with_files(draw: st.DrawFn) -> list[TranscriptEntry]:
    return [
        replace(entry, attachments=tuple(draw(st.lists(st.sampled_from(SENT), max_size=4))))
        if isinstance(entry, UserMessage)
        else entry
        for entry in draw(histories())
    ]


def requested(conversation: Conversation, access: Access, *, blind: bool = False) -> tuple[Message, ...]:
    turns = conversation.turns[first_sent(conversation, access) :]
    shown = AttachmentRenderer(turns, lambda attachment: f"file {attachment}".encode(), Texts("en"), blind=blind)
    return to_messages(conversation, access, MARKER, shown=shown)


def sent(messages: tuple[Message, ...]) -> list[Part]:
    """What came with messages: pictures, pictures by name, and files."""
    return [
        part
        for message in messages
        for part in message.parts
        if isinstance(part, ImagePart)
        or (isinstance(part, TextPart) and part.text.startswith(("Your owner sent this file", "[An earlier picture")))
    ]


@settings(max_examples=examples(80))
@given(histories_with_files(), st.booleans())
def test_the_same_goes_along_on_and_off_and_nothing_gated_with_it(
    entries: list[TranscriptEntry], blind: bool
) -> None:
    conversation = fold(entries)
    off = requested(conversation, OFF, blind=blind)
    assert sent(off) == sent(requested(conversation, ON, blind=blind))
    assert len(sent(off)) == sum(len(turn.attachments) for turn in conversation.turns[conversation.dropped :])
    shown = spelled(off)
    for form in spellings(CANARY) | {"canary", "金丝雀", "7f3a"}:
        assert form not in shown


@given(histories_with_files())
def test_requests_with_files_are_well_formed_and_hold_few_pictures(entries: list[TranscriptEntry]) -> None:
    conversation = fold(entries)
    for access in (ON, OFF):
        messages = requested(conversation, access)
        check_well_formed(messages)
        assert sum(isinstance(part, ImagePart) for part in sent(messages)) <= MOST_PICTURES


@given(histories_with_files())
def test_the_transcript_gives_back_what_was_sent(entries: list[TranscriptEntry]) -> None:
    read = fold([decode_entry(encode_entry(entry)) for entry in entries])
    assert [turn.attachments for turn in read.turns] == [turn.attachments for turn in fold(entries).turns]
