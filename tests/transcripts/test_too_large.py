"""A transcript that is larger than what is read (512 MB, sparse): its conversation alone is refused, in words."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

import pytest

from pet.app import Pet
from pet.cli.format import error_text
from pet.errors import PetError
from pet.i18n import LANGUAGES, Texts
from pet.paths import Home
from pet.transcripts.jsonl_file import LARGEST
from pet.workspace.file_names import CONVERSATIONS
from tests.engine.test_compaction import tell
from tests.support.models.scripted import ScriptedProvider, say
from tests.support.program.invoking import ask

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sparse files and getrusage")


def opened(home: Home) -> Pet:
    provider = ScriptedProvider(*[say("Hello.")] * 4)
    return Pet(home, environ={}, provider=provider, channel="terminal")


def transcript(home: Home, conversation: str) -> Path:
    return home.workspace("pet") / CONVERSATIONS / f"{conversation}.jsonl"


def test_a_transcript_over_the_limit_costs_its_own_conversation_alone(home: Home) -> None:
    app = opened(home)
    large, other = app.conversations.create(memory=True), app.conversations.create(memory=True)
    tell(large, "the fern is called Zora")
    tell(other, "the kettle is blue")
    app.close()
    file = transcript(home, large.id)
    before = file.read_bytes()
    os.truncate(file, LARGEST + 1)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    app = opened(home)
    with pytest.raises(PetError) as refused:
        app.conversations.open(large.id)
    assert all(error_text(Texts(language), refused.value) for language in LANGUAGES)
    ask(app.commands, "list_conversations")
    hits = ask(app.commands, "search_history", query="kettle")
    assert other.id in str(hits) and large.id not in str(hits)
    tell(app.conversations.open(other.id), "and the cup")
    app.close()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used
    assert grown < 200_000  # kB: the file was not read
    assert file.stat().st_size == LARGEST + 1 and not list(file.parent.glob("*.torn"))
    os.truncate(file, len(before))
    app = opened(home)
    assert [turn.text for turn in app.conversations.open(large.id).folded().turns] == ["the fern is called Zora"]
    app.close()


def test_a_transcript_that_grows_over_the_limit_while_it_is_open_is_refused_then(home: Home) -> None:
    app = opened(home)
    chat = app.conversations.create(memory=True)
    tell(chat, "the fern is called Zora")
    os.truncate(transcript(home, chat.id), LARGEST + 1)
    with pytest.raises(PetError):
        tell(chat, "again")
    app.close()
