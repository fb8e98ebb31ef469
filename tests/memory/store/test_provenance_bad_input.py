"""Proof and past of entries over a bad history: pruned, forgotten, rewritten outside, crowded, circular, set back."""

from __future__ import annotations

from datetime import timedelta

from benchmarks.memory_truth.cases import pruned
from pet.bridge.commands.about_owner import StatementView
from pet.memory.store.forget_plan import EntryAt
from pet.model import Author, Source
from tests.engine.conftest import Core, Make
from tests.engine.conftest import make_core as make_core
from tests.engine.test_compaction import tell
from tests.memory.store.test_provenance import TEA, origin, page_of, wrote
from tests.support.models.scripted import call, say


def shown(core: Core) -> dict[str, StatementView]:
    groups = page_of(core).list_statements(count=200).groups
    return {each.sentence: each for group in groups for each in group.statements}


def test_of_pruned_versions_the_source_is_unknown_and_nothing_is_invented(make_core: Make) -> None:
    core = make_core()
    wrote(core, "- Works at A\n")
    wrote(core, "- Works at B\n")
    assert [each.part for each in shown(core)["You work at B."].earlier] == ["A"]
    for more in ("Likes rain", "Likes snow", "Likes fog"):
        core.clock.later(days=2)
        wrote(core, f"{core.file('USER.md')}- {more}\n")
    pruned(core.app)
    assert origin(core, "You work at B.").kind == "unknown"
    assert shown(core)["You work at B."].earlier == []
    assert origin(core, "You like fog.").kind == "owner"


def test_of_a_forgotten_message_nothing_is_quoted(make_core: Make) -> None:
    core = make_core(
        call("memory_write", {"content": "Hides presents in the attic"}),
        call("memory_write", {"content": "Likes oolong"}, call_id="call_2"),
        say("Noted."),
    )
    chat = core.app.conversations.create(memory=True)
    tell(chat, "Hides presents in the attic")
    assert origin(core, "You like oolong.").quote == "Hides presents in the attic"
    plan = core.app.forgetting.find("Hides presents in the attic")
    core.app.forgetting.forget(plan)
    told = origin(core, "You like oolong.")
    assert (told.forgotten, told.quote, told.title, told.conversation) == (True, "", "", "")
    assert "attic" not in "".join(shown(core))


def test_a_forgotten_earlier_text_is_in_no_past(make_core: Make) -> None:
    core = make_core()
    wrote(core, "- Works at Zanzibar\n")
    wrote(core, "- Works at B\n", author=Author.PET)
    assert [each.part for each in shown(core)["You work at B."].earlier] == ["Zanzibar"]
    core.app.forgetting.forget(core.app.forgetting.find("Works at Zanzibar"))
    assert "Zanzibar" not in str(shown(core))
    place = EntryAt(file="USER.md", start_line=1, end_line=1)
    core.app.forgetting.forget(core.app.forgetting.find(place))
    assert shown(core) == {}


def test_a_file_that_was_rewritten_outside_keeps_the_source_of_lines_that_stayed(make_core: Make) -> None:
    core = make_core()
    wrote(core, f"{TEA}- Works at A\n", author=Author.PET, source=Source(conversation="", turn="", agent="Codex"))
    core.put("USER.md", f"# Mine\n\nOnce upon a time\n\n- Works at A\n- Likes snow\n\n{TEA}")
    core.app.store.observe("USER.md")
    assert [origin(core, f"You {each}.").kind for each in ("like tea", "work at A")] == ["agent", "agent"]
    assert origin(core, "You like snow.").kind == "outside"
    core.put("USER.md", "")
    core.app.store.observe("USER.md")
    assert shown(core) == {}


def test_a_thousand_entries_a_day_have_their_sources(make_core: Make) -> None:
    core = make_core(call("memory_write", {"content": "Likes oolong"}), say("Noted."))
    day = core.clock.now().date().isoformat()
    entries = "".join(f"\n## [10:00:00] preference\n\nLikes tea {at}\n" for at in range(1_000))
    core.put(f"memory/{day}.md", f"# Memory Log: {day}\n{entries}")
    core.app.store.observe(f"memory/{day}.md")
    tell(core.app.conversations.create(memory=True), "I drink oolong.")
    assert origin(core, "You like oolong.").quote == "I drink oolong."
    assert origin(core, "You like tea 999.").kind == "outside"
    lines = "".join(f"- Likes tea {at}\n" for at in range(1_000))
    wrote(core, f"{lines}- Works at A\n")
    wrote(core, f"{lines}- Works at B\n", author=Author.PET)
    assert [each.part for each in page_of(core).list_statements("work").groups[0].statements[0].earlier] == ["A"]


def test_a_circle_of_contradictions_ends(make_core: Make) -> None:
    core = make_core()
    for _ in range(6):
        wrote(core, "- Lives in Oslo\n- Lives in Rome\n")
        wrote(core, "- Lives in Rome\n")
        wrote(core, "- Lives in Rome\n- Lives in Oslo\n")
        wrote(core, "- Lives in Oslo\n")
    assert [each.part for each in shown(core)["You live in Oslo."].earlier] == ["Rome"]


def test_a_clock_that_was_set_back_leaves_order_and_words(make_core: Make) -> None:
    core = make_core()
    wrote(core, "- Works at A\n")
    core.clock.later(days=-400)
    wrote(core, "- Works at B\n", author=Author.PET)
    core.clock.later(days=800)
    wrote(core, "- Works at C\n", author=Author.PET)
    now = shown(core)["You work at C."]
    assert [each.part for each in now.earlier] == ["B", "A"]
    assert now.since[:10] == (core.clock.now() - timedelta()).date().isoformat()
