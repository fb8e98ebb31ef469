"""USER.md and MEMORY.md stay byte-identical in the prompt while the provider's cache is warm; changes go beside."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pet.access import MemoryMode
from pet.engine.conversation import LiveConversation
from pet.engine.system_prompt import PromptView
from pet.model import ContextPart, Request
from pet.prompt.context import KEPT_FILES
from pet.providers.anthropic_messages import encode_request
from pet.providers.faults import fault_of
from tests.engine.conftest import Core, Make
from tests.engine.reader import reader
from tests.engine.test_memory_maintenance import FULL
from tests.memory.care_desk import SMALL
from tests.property.test_file_changes import as_read
from tests.support.models.scripted import call, say

OLD, NEW = "- Likes green tea", "- Likes black tea"
PROFILE = "# Owner\n\n" + "".join(f"- Fact {n} about the owner and the harbour\n" for n in range(20)) + f"{OLD}\n"


def begin(make_core: Make) -> tuple[Core, LiveConversation]:
    """A conversation of one message, after which the owner corrected a line of USER.md."""
    core = make_core(*[reader("ok")] * 12)
    core.put("USER.md", PROFILE)
    core.put("MEMORY.md", "# Memory\n\n- We painted the boat.\n")
    chat = core.app.conversations.create(memory=True)
    talk(chat)
    core.put("USER.md", PROFILE.replace(OLD, NEW))
    return core, chat


def talk(chat: LiveConversation, text: str = "hello") -> None:
    chat.send(text)
    chat.wait(60)


def memory_block(request: Request) -> str:
    return request.system[1].text


def changes(request: Request) -> list[str]:
    parts = (part for message in request.messages for part in message.parts)
    return [part.text for part in parts if isinstance(part, ContextPart) and part.kind == "file_changes"]


def test_a_changed_line_goes_with_the_newest_message_and_is_replayed_there(make_core: Make) -> None:
    core, chat = begin(make_core)
    talk(chat)
    talk(chat)
    first, second, third = core.provider.requests
    assert memory_block(first) == memory_block(second) == memory_block(third)
    (note,) = changes(third)
    assert note.split("\n")[1:] == [
        '<pet-file name="USER.md" state="changed">',
        "Line 23:",
        f"- {OLD}",
        f"+ {NEW}",
        "</pet-file>",
    ]
    assert second.messages[-1].parts[0] == ContextPart(kind="file_changes", text=note, gated=True)
    sent, again = (encode_request(request)["messages"] for request in (second, third))
    assert [block["text"] for block in sent[-1]["content"]] == [block["text"] for block in again[2]["content"]]


def test_what_the_pet_changes_is_in_its_own_call_and_beside_the_next_message(make_core: Make) -> None:
    edit = call("edit", {"path": "USER.md", "old_text": OLD, "new_text": NEW})
    core = make_core(edit, say("ok"), say("ok"))
    core.put("USER.md", PROFILE)
    chat = core.app.conversations.create(memory=True)
    talk(chat)
    talk(chat)
    assert [len(changes(request)) for request in core.provider.requests] == [0, 0, 1]
    assert len({memory_block(request) for request in core.provider.requests}) == 1


def test_a_line_changed_back_is_told_so(make_core: Make) -> None:
    core, chat = begin(make_core)
    talk(chat)
    core.put("USER.md", PROFILE)
    talk(chat)
    assert [f"+ {NEW}" in note for note in changes(core.provider.requests[-1])] == [True, False]
    assert f"+ {OLD}" in changes(core.provider.requests[-1])[1]


def test_read_gives_the_file_as_it_is(make_core: Make) -> None:
    core, chat = begin(make_core)
    core.provider._script.clear()
    core.provider.queue(call("read", {"path": "USER.md"}), say("ok"))
    talk(chat)
    result = core.provider.requests[-1].messages[-1].parts[0]
    assert NEW in getattr(result, "text", "") and OLD not in getattr(result, "text", "")


def test_a_reply_made_anew_carries_the_same_changes(make_core: Make) -> None:
    core, chat = begin(make_core)
    talk(chat)
    chat.resend(chat.folded().turns[-1].id, None)
    chat.wait(60)
    second, third = core.provider.requests[1:]
    assert memory_block(second) == memory_block(third)
    assert changes(second) == changes(third) != []


def test_a_file_that_becomes_nearly_full_is_said_beside_the_message(make_core: Make) -> None:
    """The hint stood in the memory block, which was written anew by it."""
    core, chat = begin(make_core)
    memory = "# Memory\n\n" + "".join(f"- We painted boat {n}, and the pier.\n" for n in range(10, 45))
    core.put("MEMORY.md", memory)
    core.app.settings.change({"prompt_file_characters": round(len(memory) / 0.79)})
    talk(chat)
    core.put("MEMORY.md", memory + "- One more line, and another one beside it.\n")
    talk(chat)
    first, second = core.provider.requests[-2:]
    assert memory_block(first) == memory_block(second)
    assert ["nearly full" in each for each in changes(second)] == [True]


def cold(core: Core, _chat: LiveConversation) -> None:
    core.clock.later(seconds=301)


def put_back(core: Core, _chat: LiveConversation) -> None:
    core.clock.later(hours=-1)


def read_only(_core: Core, chat: LiveConversation) -> None:
    chat.set_memory(MemoryMode.READ_ONLY)


def off_and_on(_core: Core, chat: LiveConversation) -> None:
    chat.set_memory(False)
    talk(chat)
    chat.set_memory(True)


def new_soul(core: Core, _chat: LiveConversation) -> None:
    core.put("SOUL.md", "I am somebody else.\n")


def other_model(core: Core, _chat: LiveConversation) -> None:
    core.app.settings.change({"model": "another-model"})


def earlier_dropped(_core: Core, chat: LiveConversation) -> None:
    chat.record.drop_earlier()


def rewritten(core: Core, _chat: LiveConversation) -> None:
    core.put("USER.md", "# Owner\n\n" + "".join(f"- Something else, number {n}\n" for n in range(90)))


def nearly_empty(core: Core, _chat: LiveConversation) -> None:
    core.put("USER.md", "# Owner\n")


def gone(core: Core, _chat: LiveConversation) -> None:
    (core.app.store.root / "MEMORY.md").unlink()


def forgotten(core: Core, _chat: LiveConversation) -> None:
    core.app.forgetting.forget(core.app.forgetting.find("green tea"))
    core.app.forgetting.forget(core.app.forgetting.find("black tea"))


CAUSES = [
    *(cold, put_back, read_only, off_and_on, new_soul, other_model, earlier_dropped, rewritten, nearly_empty, gone),
    forgotten,
]


@pytest.mark.parametrize("cause", CAUSES)
def test_the_prompt_is_written_anew(make_core: Make, cause: Callable[[Core, LiveConversation], None]) -> None:
    core, chat = begin(make_core)
    talk(chat)
    assert changes(core.provider.requests[-1])
    cause(core, chat)
    talk(chat)
    last = core.provider.requests[-1]
    assert changes(last) == []
    for name in KEPT_FILES:
        if (core.app.store.root / name).exists():
            assert core.file(name).rstrip("\n") in memory_block(last)


def test_the_prompt_is_written_anew_after_a_restart(make_core: Make) -> None:
    core, chat = begin(make_core)
    talk(chat)
    core.close()
    again = make_core(say("ok"))
    talk(again.app.conversations.open(chat.id))
    (request,) = again.provider.requests
    assert changes(request) == [] and NEW in memory_block(request) and OLD not in memory_block(request)


def test_the_prompt_is_written_anew_after_a_compaction(make_core: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pet.engine.compaction.KEPT_TURNS", 2)
    core, chat = begin(make_core)
    for _ in range(4):
        talk(chat)
    assert changes(core.provider.requests[-1])
    chat.compact()
    chat.wait(60)
    talk(chat)
    assert changes(core.provider.requests[-1]) == [] and NEW in memory_block(core.provider.requests[-1])


def test_a_forgotten_text_leaves_prompt_and_changes(make_core: Make) -> None:
    core, chat = begin(make_core)
    talk(chat)
    core.app.forgetting.forget(core.app.forgetting.find("Likes black tea"))
    talk(chat)
    core.app.forgetting.forget(core.app.forgetting.find("Likes green tea"))
    talk(chat)
    sent = [f"{memory_block(request)}{changes(request)}" for request in core.provider.requests]
    assert [("green" in text, "black" in text) for text in sent] == [
        (True, False),
        (True, True),
        (False, False),
        (False, False),
    ]


def test_a_forgotten_text_that_was_only_in_changes_leaves_them(make_core: Make) -> None:
    core, chat = begin(make_core)
    talk(chat)
    core.put("USER.md", PROFILE)
    talk(chat)
    core.app.store.forgotten.remember("Likes black tea", locks=core.app.store.locks)
    talk(chat)
    assert ["black" in "".join(changes(request)) for request in core.provider.requests] == [False, True, True, False]


def test_a_text_that_is_being_forgotten_is_not_quoted(make_core: Make) -> None:
    """Its tombstone is written before the files: a turn may read the files in between."""
    core, chat = begin(make_core)
    core.app.store.forgotten.remember("Likes green tea", locks=core.app.store.locks)
    core.put("USER.md", PROFILE)
    talk(chat)
    core.put("USER.md", PROFILE.replace(f"{OLD}\n", ""))
    talk(chat)
    last = core.provider.requests[-1]
    assert changes(last) == [] and "green" not in memory_block(last)


def test_full_files_are_tidied_only_once_the_cache_is_cold(make_core: Make) -> None:
    core, chat = begin(make_core)
    core.app.settings.change({"prompt_file_characters": SMALL.prompt_file_characters})
    talk(chat)
    core.put("MEMORY.md", FULL)
    talk(chat)
    assert core.file("MEMORY.md") == FULL
    core.clock.later(seconds=301)
    talk(chat)
    assert len(core.file("MEMORY.md")) < len(FULL)


def test_cache_that_was_never_warm_loses_no_line(make_core: Make) -> None:
    """The only request so far was refused, so that no server has the prompt."""
    core = make_core(say(fault_of("bad_key")), say("ok"), say("ok"))
    core.put("USER.md", PROFILE)
    chat = core.app.conversations.create(memory=True)
    talk(chat)
    for text in (PROFILE.replace(OLD, NEW), PROFILE + "- Sings\n"):
        core.put("USER.md", text)
        talk(chat)
        assert as_read(core.provider.requests[-1], "USER.md") == text.rstrip("\n")


def test_another_conversation_has_the_files_as_they_are(make_core: Make) -> None:
    core, _chat = begin(make_core)
    talk(core.app.conversations.create(memory=True))
    assert changes(core.provider.requests[-1]) == [] and NEW in memory_block(core.provider.requests[-1])


def preview(core: Core, chat: LiveConversation, *, memory: bool = True) -> PromptView:
    return core.app.preview_prompt(memory=memory, conversation=chat.id)


def test_what_it_sees_is_what_the_next_message_sends_after_edits_in_between(make_core: Make) -> None:
    """Base plus notes, in mid-conversation; looking changes nothing of what is sent."""
    core, chat = begin(make_core)
    for edit in (PROFILE.replace(OLD, NEW), PROFILE, PROFILE + "- Sings\n", PROFILE + "- Sings\n"):
        core.put("USER.md", edit)
        shown = [preview(core, chat) for _ in range(2)][-1]
        talk(chat)
        sent = core.provider.requests[-1]
        assert shown.blocks == [block.text for block in sent.system]
        assert shown.changes == changes(sent)
    assert len({memory_block(request) for request in core.provider.requests}) == 1
    assert len(changes(core.provider.requests[-1])) == 3
    core.clock.later(seconds=301)
    shown = preview(core, chat)
    talk(chat)
    assert shown.blocks == [block.text for block in core.provider.requests[-1].system]
    assert shown.changes == [] and "- Sings" in memory_block(core.provider.requests[-1])


def test_what_it_sees_with_memory_off_has_no_changes(make_core: Make) -> None:
    core, chat = begin(make_core)
    talk(chat)
    shown = preview(core, chat, memory=False)
    assert shown.changes == [] and NEW not in "".join(shown.blocks) and OLD not in "".join(shown.blocks)
    assert preview(core, chat).changes != []
