"""Where an entry comes from: every kind of source, what was deleted shows nothing, what is unknown is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pet.bridge.commands.about_owner import AboutOwnerCommands
from pet.i18n import LANGUAGES, Language
from pet.memory.store.provenance import Origin
from pet.model import Author, Receipt, Source
from pet.settings.import_records import ImportRecord, ImportRecords
from pet.workspace.templates import gallery
from tests.engine.conftest import Core, Make
from tests.engine.conftest import make_core as make_core
from tests.engine.test_compaction import tell
from tests.property.memory_mode.test_memory_off import leaves
from tests.support.models.scripted import call, say

TEA = "- Likes tea\n"


def page_of(core: Core) -> AboutOwnerCommands:
    return AboutOwnerCommands(core.app)


def origin(core: Core, sentence: str) -> Origin:
    page = page_of(core)
    (found,) = [each for each in page.statements() if each.sentence == sentence]
    return page.explain_statement(found.file, found.start_line)


def wrote(core: Core, text: str, *, author: Author = Author.OWNER, source: Source | None = None) -> Receipt:
    store, before = core.app.store, core.app.store.read("USER.md")
    receipt = store.write("USER.md", text, base=getattr(before, "version", "missing"), author=author, source=source)
    assert receipt is not None
    return receipt


def test_an_entry_leads_to_the_owners_own_words(make_core: Make) -> None:
    core = make_core(call("memory_write", {"content": "Likes oolong", "category": "preference"}), say("Noted."))
    chat = core.app.conversations.create(memory=True)
    tell(chat, "By the way, I drink oolong every morning.")
    told = origin(core, "You like oolong.")
    assert (told.kind, told.quote) == ("conversation", "By the way, I drink oolong every morning.")
    assert (told.conversation, told.turn) == (chat.id, chat.folded().turns[-1].id)
    assert told.title and not told.gone


def test_a_deleted_conversation_shows_nothing_of_itself(make_core: Make) -> None:
    core = make_core(call("memory_write", {"content": "Likes oolong"}), say("Noted."))
    chat = core.app.conversations.create(memory=True)
    tell(chat, "Zanzibar! And I drink oolong.")
    core.app.conversations.delete(chat.id)
    told = origin(core, "You like oolong.")
    assert (told.kind, told.gone, told.conversation, told.title, told.quote) == ("conversation", True, "", "", "")


def test_a_message_that_was_taken_out_is_not_quoted(make_core: Make) -> None:
    core = make_core(say("Hi."), call("memory_write", {"content": "Likes oolong"}), say("Noted."))
    chat = core.app.conversations.create(memory=True)
    tell(chat, "Hello")
    tell(chat, "Zanzibar! And I drink oolong.")
    chat.record.remove_turn(chat.folded().turns[-1].id)
    told = origin(core, "You like oolong.")
    assert (told.gone, told.quote, told.turn, told.conversation) == (True, "", "", chat.id)


def test_the_owner_an_agent_an_import_and_another_program_are_told_apart(make_core: Make) -> None:
    core = make_core()
    wrote(core, TEA)
    assert origin(core, "You like tea.").kind == "owner"
    agent = Source(conversation="", turn="", agent="Codex · shop")
    wrote(core, f"{TEA}- Likes rain\n", author=Author.PET, source=agent)
    assert (origin(core, "You like rain.").kind, origin(core, "You like rain.").name) == ("agent", "Codex · shop")
    receipt = wrote(core, f"{TEA}- Likes rain\n- Likes snow\n")
    record = ImportRecord(at="2026-11-23T12:00:00+00:00", kind="chatgpt", receipts=[receipt])
    ImportRecords(core.app.home.imports_file, core.app.pet_id).add(record)
    assert (origin(core, "You like snow.").kind, origin(core, "You like snow.").name) == ("import", "chatgpt")
    core.put("USER.md", f"{core.file('USER.md')}- Likes fog\n")
    core.app.store.observe("USER.md")
    assert origin(core, "You like fog.").kind == "outside"
    assert origin(core, "You like tea.").kind == "owner"


def test_a_correction_remembers_what_it_replaced(make_core: Make) -> None:
    core = make_core()
    wrote(core, f"{TEA}- Works at A\n")
    for place in ("B", "C"):
        wrote(core, f"{TEA}- Works at {place}\n", author=Author.PET)
    wrote(core, f"{TEA}- Works at C\n- Has a dog\n")
    (work,) = [each for each in page_of(core).list_statements().groups if each.name == "places"]
    assert [each.sentence for each in work.statements] == ["You work at C."]
    (now,) = work.statements
    assert [(each.sentence, each.part) for each in now.earlier] == [("You work at B.", "B"), ("You work at A.", "A")]
    assert now.since == now.earlier[0].until != now.earlier[1].until
    others = [each for group in page_of(core).list_statements().groups for each in group.statements]
    assert [each.sentence for each in others if each.earlier] == ["You work at C."]


def test_a_line_of_another_kind_in_the_place_of_one_is_no_past(make_core: Make) -> None:
    core = make_core()
    wrote(core, f"{TEA}- Works at A\n")
    wrote(core, f"{TEA}- Plays the cello\n")
    assert not any(each.earlier for group in page_of(core).list_statements().groups for each in group.statements)


@pytest.mark.parametrize(
    ("blank", "filled"),
    [
        *((mark, f"{mark} Works as a baker in the bakery A") for mark in "-*+•·–—●○◦・>"),
        *(
            (mark, f"{mark} Works as a baker in the bakery A")
            for mark in ("1.", "2)", "3、", "（4）", "- [ ]", "* [x]")
        ),
        ("- Work or studies:", "- Work or studies: a baker in the bakery A"),
        ("- **Work:**", "- **Work:** a baker in the bakery A"),
        ("- 工作或学业：", "- 工作或学业：bakery A 的面包师"),
        ("- Trabajo o estudios:", "- Trabajo o estudios: en la bakery A"),
    ],
)
def test_an_unfilled_line_is_no_earlier_value(make_core: Make, blank: str, filled: str) -> None:
    core = make_core(say("At A."))
    core.app.settings.change({"recall_threshold": 0.0})
    wrote(core, f"# About my person\n\n## Work\n{blank}\n")
    wrote(core, f"# About my person\n\n## Work\n{filled}\n", author=Author.PET)
    assert not any(each.earlier for group in page_of(core).list_statements().groups for each in group.statements)
    tell(core.app.conversations.create(memory=True), "Where did I work in spring, at which bakery?")
    sent = leaves(core.provider.requests[-1])
    assert "bakery A" in sent
    assert "(until" not in sent and "(earlier)" not in sent


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_line_of_the_profiles_template_is_no_earlier_value(make_core: Make, language: Language) -> None:
    core = make_core()
    profiles = [each.text for each in gallery(language) if each.file == "USER.md"]
    assert len(profiles) == 3
    for profile in profiles:
        wrote(core, f"{profile}\n")
        wrote(core, re.sub("^-.*$", r"\g<0> Ida", profile, flags=re.MULTILINE), author=Author.PET)
        assert "Ida" in core.file("USER.md")
        assert not any(each.earlier for group in page_of(core).list_statements().groups for each in group.statements)


def test_circular_corrections_end(make_core: Make) -> None:
    core = make_core()
    for place in "ABABABABAB":
        wrote(core, f"- Works at {place}\n", author=Author.PET)
    (found,) = [each for group in page_of(core).list_statements().groups for each in group.statements]
    assert (found.sentence, [each.part for each in found.earlier]) == ("You work at B.", ["A"])


def test_what_an_undo_brought_back_comes_from_where_it_came_first(make_core: Make) -> None:
    core = make_core()
    wrote(core, TEA, source=Source(conversation="", turn="", agent="Codex"))
    receipt = wrote(core, "- Likes rain\n")
    core.app.store.undo(receipt, author=Author.OWNER)
    assert origin(core, "You like tea.").kind == "agent"


def test_what_holds_no_longer_comes_from_where_it_came_first(make_core: Make) -> None:
    core = make_core()
    plan = "- Training for a marathon (2026-03-02)\n"
    wrote(core, plan, source=Source(conversation="", turn="", agent="Codex"))
    wrote(core, "- Training for a marathon (until 2026-11-20)\n")
    assert origin(core, "Training for a marathon.").kind == "agent"


def test_a_pruned_history_is_said_to_be_unknown(make_core: Make) -> None:
    core = make_core()
    wrote(core, TEA)
    wrote(core, f"{TEA}- Likes rain\n")
    log = core.app.store.root / ".history" / "USER.md.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    last = [line for line in lines if b'"before"' in line][-1]
    log.write_bytes(b"".join(lines[lines.index(last) :]))
    core.close()
    again = make_core()
    assert origin(again, "You like tea.").kind == "unknown"
    _without_objects(again.app.store.root)
    assert origin(again, "You like tea.").kind == "unknown"


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("Please remember that I play the cello.", True),
        ("请记住我拉大提琴", True),
        ("Recuerda que toco el violonchelo, por favor", True),
        ("I play the cello, by the way.", False),
        ("Do you remember that I play the cello?", False),
    ],
)
def test_what_the_owner_asked_to_remember_comes_to_the_profile(make_core: Make, message: str, kept: bool) -> None:
    core = make_core(call("memory_write", {"content": "Plays the cello"}), say("Noted."), say("Hi."))
    tell(core.app.conversations.create(memory=True), message)
    core.clock.later(days=2)
    tell(core.app.conversations.create(memory=True), "Good morning!")
    assert ("Plays the cello" in core.file("USER.md")) is kept


@pytest.mark.parametrize("gone", ["conversation", "turn", "forgotten", "versions"])
def test_what_no_message_shows_any_more_was_not_asked_for(make_core: Make, gone: str) -> None:
    core = make_core(call("memory_write", {"content": "Plays the cello"}), say("Noted."), say("Hi."))
    chat = core.app.conversations.create(memory=True)
    tell(chat, "Please remember that I play the cello.")
    if gone == "conversation":
        core.app.conversations.delete(chat.id)
    elif gone == "turn":
        chat.record.remove_turn(chat.folded().turns[-1].id)
    elif gone == "forgotten":
        core.app.store.forgotten.remember("I play the cello", locks=core.app.home.locks)
    else:
        _without_objects(core.app.store.root)
    core.clock.later(days=2)
    tell(core.app.conversations.create(memory=True), "Good morning!")
    assert "Plays the cello" not in core.file("USER.md")


def test_without_memory_nothing_is_looked_up(make_core: Make) -> None:
    core = make_core(call("memory_write", {"content": "Plays the cello"}), say("Noted."), say("Hi."))
    tell(core.app.conversations.create(memory=True), "Please remember that I play the cello.")
    before = core.file("USER.md")
    core.clock.later(days=2)
    tell(core.app.conversations.create(memory=False), "Good morning!")
    assert core.file("USER.md") == before


def _without_objects(root: Path) -> None:
    for each in (root / ".history" / "objects").iterdir():
        each.unlink()


def test_what_upkeep_moved_leads_to_where_it_was_said(make_core: Make) -> None:
    core = make_core(call("memory_write", {"content": "Allergic to hazelnuts"}), say("Noted."), say("Hi."))
    chat = core.app.conversations.create(memory=True)
    tell(chat, "Careful, I am allergic to hazelnuts.")
    core.clock.later(days=2)
    other = core.app.conversations.create(memory=True)
    tell(other, "Good morning!")
    page = page_of(core)
    moved = [each for each in page.statements() if each.sentence == "You are allergic to hazelnuts."]
    assert moved[0].file == "USER.md"
    told = page.explain_statement("USER.md", moved[0].start_line)
    assert (told.kind, told.conversation) == ("conversation", chat.id)
    assert told.quote == "Careful, I am allergic to hazelnuts."


@pytest.mark.parametrize(
    ("question", "has_past"),
    [
        ("Where did I work in spring?", True),
        ("What was my job at the bakery before?", True),
        ("¿En qué bakery trabajaba antes?", True),
        ("我以前在哪家 bakery 工作？", True),
        ("Where do I work, at which bakery?", False),
        ("Before Friday: at which bakery do I work?", False),
        ("¿En qué bakery trabajo antes del mediodía?", False),
        ("上班之前我要去哪家 bakery？", False),
    ],
)
def test_a_question_about_the_past_gets_what_held_then(make_core: Make, question: str, has_past: bool) -> None:
    core = make_core(say("At A."), say("At A."))
    core.app.settings.change({"recall_threshold": 0.0})
    for place in "AB":
        wrote(core, f"{TEA}- Works as a baker in the bakery {place}\n", author=Author.PET)
    chat = core.app.conversations.create(memory=True)
    tell(chat, question)
    sent = leaves(core.provider.requests[-1])
    assert ("bakery A (until" in sent) is has_past
    assert "bakery B" in sent
    chat.set_memory(False)
    tell(chat, question)
    assert "bakery A" not in leaves(core.provider.requests[-1])


def test_what_was_forgotten_of_the_past_is_in_no_request(make_core: Make) -> None:
    core = make_core(say("I don't know."))
    core.app.settings.change({"recall_threshold": 0.0})
    for place in "AB":
        wrote(core, f"{TEA}- Works as a baker in the bakery {place}\n", author=Author.PET)
    core.app.forgetting.forget(core.app.forgetting.find("Works as a baker in the bakery A"))
    chat = core.app.conversations.create(memory=True)
    tell(chat, "Where did I work in spring, at which bakery?")
    assert "bakery A" not in leaves(core.provider.requests[-1])


def test_an_entry_of_a_note_leads_to_its_source_and_is_not_listed_among_what_is_known(make_core: Make) -> None:
    core = make_core()
    (core.app.store.root / "memory" / "people").mkdir(parents=True)
    core.put("memory/people/femi.md", "# Femi\n\n- Femi repairs accordions\n")
    core.app.store.observe("memory/people/femi.md")
    page = page_of(core)
    hit = page.find_statement("memory/people/femi.md", 3, "Femi repairs accordions").statement
    assert hit is not None and (hit.file, hit.start_line) == ("memory/people/femi.md", 3)
    assert page.explain_statement("memory/people/femi.md", 3).kind == "outside"
    assert not any(each.file == hit.file for each in page.statements())
