"""What the owner set aside: in no request and no search while memory is on, and forgotten like any other entry."""

from __future__ import annotations

from pet.engine.conversation import LiveConversation
from pet.memory.store.forget_plan import EntryAt
from pet.model import ToolCallPart
from tests.engine.conftest import Core, Make
from tests.engine.test_compaction import tell
from tests.property.memory_mode.test_memory_off import leaves
from tests.support.models.scripted import calls, say

ASIDE = "# Not used\n\n## USER.md: Health\n\n- Allergic to canary-hazelnuts\n"


def asked(core: Core) -> LiveConversation:
    core.put("USER.md", "# About\n\n- Likes tea\n")
    core.put("ASIDE.md", ASIDE)
    return core.app.conversations.create(memory=True)


def test_no_request_has_it_while_memory_is_on_whatever_the_model_asks_for(make_core: Make) -> None:
    reads = [("read", "path"), ("memory_get", "path"), ("memory_search", "query")]
    wishes = [
        ToolCallPart(id=f"c{at}", name=name, arguments=f'{{"{key}": "{value}"}}')
        for at, (name, key) in enumerate(reads)
        for value in ("ASIDE.md", "allergic to hazelnuts")
    ]
    writes = ToolCallPart(id="w", name="write", arguments='{"path": "ASIDE.md", "content": "mine"}')
    core = make_core(calls(*wishes, writes), say("Nothing."), say("Hm."))
    chat = asked(core)
    tell(chat, "Am I allergic to hazelnuts? What do you know of my health?")
    tell(chat, "What about hazelnuts at the bakery?")
    assert len(core.provider.requests) == 3
    assert not any("canary" in leaves(request) for request in core.provider.requests)
    assert core.file("ASIDE.md") == ASIDE


def test_it_is_forgotten_like_any_other_entry(make_core: Make) -> None:
    core = make_core()
    asked(core)
    plan = core.app.forgetting.find(EntryAt(file="ASIDE.md", start_line=3, end_line=5))
    core.app.forgetting.forget(plan)
    assert "canary" not in core.file("ASIDE.md")
    core.put("ASIDE.md", ASIDE.replace("hazelnuts", "peanuts"))
    core.app.forgetting.forget(core.app.forgetting.find("canary-peanuts"))
    assert "canary" not in core.file("ASIDE.md")


def test_the_archive_is_searched_by_the_pet_and_forgotten_like_a_log(make_core: Make) -> None:
    found = ToolCallPart(id="c1", name="memory_search", arguments='{"query": "green shed"}')
    core = make_core(calls(found), say("It is green."))
    core.put("memory/archive.md", "# Memory Log: 2024-03-02\n\n## [10:00:00] fact\n\nThe shed is canary-green shed\n")
    tell(core.app.conversations.create(memory=True), "Look it up, please.")
    assert "memory/archive.md" in leaves(core.provider.requests[-1])
    core.app.forgetting.forget(core.app.forgetting.find("canary-green"))
    assert "canary" not in core.file("memory/archive.md")
