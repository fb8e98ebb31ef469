"""The prompt: order, modes, states of files, gate, limits, blocks."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

import pytest

from pet.access import OFF
from pet.i18n import LANGUAGES, Language, Texts, catalogue
from pet.model import Broken, FileState, Missing
from pet.prompt.budget import PromptLimits
from pet.prompt.build import SkillLine, SystemPrompt, build_prompt
from pet.prompt.context import time_context
from pet.text.token_estimate import estimate_tokens
from tests.golden import prompts as golden
from tests.prompt.inputs import core, inputs, present

OPTIONAL = tuple(
    present(name, f"text of {name}")
    for name in ("BOOTSTRAP.md", "TOOLS.md", "HEARTBEAT.md", "AGENTS.md", "IDENTITY.md")
)


def names(prompt: SystemPrompt) -> list[str]:
    return [section.name for section in prompt.sections]


def guide(prompt: SystemPrompt, name: str) -> str:
    """Return the catalogue key of a section's last line."""
    (section,) = [section for section in prompt.sections if section.name == name]
    last = section.text.split("\n")[-1]
    keys = [key for key, text in catalogue("en").items() if text.replace("{file}", name) == last]
    return keys[0]


def test_the_order_is_fixed_whatever_order_the_files_come_in() -> None:
    files = (*OPTIONAL, *core())
    skills = (SkillLine(name="tea", description="how to make it"),)
    for given in (files, tuple(reversed(files))):
        assert names(build_prompt(inputs(*given, skills=skills))) == [
            "rules",
            "IDENTITY.md",
            "SOUL.md",
            "TOOLS.md",
            "AGENTS.md",
            "skills",
            "USER.md",
            "MEMORY.md",
            "HEARTBEAT.md",
            "BOOTSTRAP.md",
            "channel",
            "names",
        ]


def test_modes() -> None:
    files = (*OPTIONAL, *core())
    assert names(build_prompt(inputs(*files, mode="minimal"))) == ["rules", "SOUL.md", "TOOLS.md"]
    assert names(build_prompt(inputs(*files, mode="none"))) == ["SOUL.md"]


def test_sections_are_exactly_what_is_sent() -> None:
    for mode in ("full", "minimal", "none"):
        prompt = build_prompt(inputs(*OPTIONAL, *core(), mode=mode))
        assert "\n\n".join(section.text for section in prompt.sections) == prompt.text
        assert all(section.characters == len(section.text) for section in prompt.sections)


def test_breakpoints_stand_after_the_soul_and_after_the_memory() -> None:
    soul, memory, rest = build_prompt(inputs(*core())).blocks
    assert (soul.cache, memory.cache, rest.cache) == (True, True, False)
    assert "I am Mochi." in soul.text
    assert "Lin" in memory.text
    off = build_prompt(inputs(*core(), access=OFF)).blocks
    assert [block.cache for block in off] == [True, False]


def test_a_change_of_memory_leaves_the_soul_block_byte_for_byte() -> None:
    before = build_prompt(inputs(*core()))
    after = build_prompt(inputs(*core(memory="- 2026-02-25: rain")))
    assert before.blocks[0] == after.blocks[0]
    assert before.blocks[1] != after.blocks[1]


def test_off_the_gated_files_are_left_out_even_if_somebody_hands_them_in() -> None:
    files = (*core(user="CANARY", memory="CANARY"), present("memory/2026-02-24.md", "CANARY"))
    for mode in ("full", "minimal", "none"):
        prompt = build_prompt(inputs(*files, access=OFF, mode=mode))
        assert "CANARY" not in repr(prompt)
        assert "USER.md" not in names(prompt)


def test_files_a_prompt_knows_nothing_of_are_left_out() -> None:
    files = (present("memory/2026-02-24.md", "CANARY"), present("notes.md", "CANARY"))
    assert "CANARY" not in build_prompt(inputs(*files)).text


@pytest.mark.parametrize("language", LANGUAGES)
def test_off_one_line_says_so_and_on_none_does(language: Language) -> None:
    line = Texts(language)("prompt.rules.off")
    assert build_prompt(inputs(*core(), access=OFF, language=language)).text.count(line) == 1
    assert line not in build_prompt(inputs(*core(), language=language)).text


@pytest.mark.parametrize(
    ("soul", "expected"),
    [
        (None, "none"),
        (present("SOUL.md", " \n"), "none"),
        (Missing(name="SOUL.md"), "none"),
        (present("SOUL.md", "I am Mochi."), "present"),
        (Broken(name="SOUL.md", problem="not_utf8", version=""), "broken"),
    ],
)
def test_without_a_soul_of_its_own_the_shipped_one_speaks(soul: FileState | None, expected: str) -> None:
    prompt = build_prompt(inputs(*([soul] if soul else [])))
    assert guide(prompt, "SOUL.md") == f"prompt.guide.soul.{expected}"
    assert ("A kind creature." in prompt.text) == (expected != "present")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "thin"),
        ("# About\n\n## Name\n-\n\n- Likes:\n<!-- fill in -->\n- (not known yet)\n", "thin"),
        ("- Name: Lin, a painter from Chengdu who likes tea, rain and long walks in the old town at night", "some"),
        ("- Name: Lin. " * 120, "rich"),
        ("我" * 17_000, "full"),
    ],
)
def test_what_is_known_of_the_owner_decides_the_guidance(text: str, expected: str) -> None:
    prompt = build_prompt(inputs(*core(user=text), limits=PromptLimits(window=200_000)))
    assert guide(prompt, "USER.md") == f"prompt.guide.user.{expected}"


def test_guidance_for_missing_full_and_broken_memory() -> None:
    assert guide(build_prompt(inputs()), "MEMORY.md") == "prompt.guide.memory.none"
    assert guide(build_prompt(inputs(*core(memory=""))), "MEMORY.md") == "prompt.guide.memory.none"
    assert guide(build_prompt(inputs(*core())), "MEMORY.md") == "prompt.guide.memory.some"
    assert guide(build_prompt(inputs(*core(memory="x" * 16_000))), "MEMORY.md") == "prompt.guide.memory.full"
    broken = Broken(name="MEMORY.md", problem="too_large", version="")
    assert guide(build_prompt(inputs(broken)), "MEMORY.md") == "prompt.guide.broken"


def test_a_missing_file_is_left_out_and_an_empty_one_has_a_marker() -> None:
    prompt = build_prompt(inputs(present("TOOLS.md", "\n")))
    assert "TOOLS.md" in names(prompt)
    assert "(This file is empty.)" in prompt.text
    assert "AGENTS.md" not in names(prompt)
    assert '<pet-file name="USER.md"' not in prompt.text


def test_no_rule_names_a_tool_that_is_not_offered() -> None:
    plain = build_prompt(inputs()).text
    assert "memory_write" not in plain
    assert "memory_search" not in plain
    tools = ("read", "write", "edit", "memory_write", "memory_search")
    more = build_prompt(inputs(tools=tools)).text
    assert "memory_write" in more
    assert "memory_search" in more


def test_a_long_file_keeps_head_and_tail_and_says_what_is_missing() -> None:
    text = "".join(f"line {number}\n" for number in range(1, 5001))
    prompt = build_prompt(inputs(*core(memory=text), limits=PromptLimits(window=200_000)))
    (memory,) = [section for section in prompt.sections if section.name == "MEMORY.md"]
    assert memory.cut == len(text) - 1 - 18_000
    assert "line 1\n" in memory.text
    assert "line 5000" in memory.text
    assert f"[{memory.cut} of {len(text) - 1} characters left out here: lines" in memory.text
    assert "Use read" in memory.text


def test_only_what_a_tool_may_read_is_offered_for_reading() -> None:
    prompt = build_prompt(inputs(present("TOOLS.md", "x\n" * 15_000)))
    assert "characters left out here" in prompt.text
    assert "Use read" not in prompt.text


def test_memory_gives_way_first_the_soul_last() -> None:
    long = "a line of text\n" * 1_300
    cuts = []
    for window in (100_000, 45_000, 30_000, 12_000, 3_000):
        prompt = build_prompt(inputs(*core(long, long, long), limits=PromptLimits(window=window)))
        cut = {section.name: section.cut for section in prompt.sections}
        core_tokens = sum(s.tokens for s in prompt.sections if s.name in ("SOUL.md", "USER.md", "MEMORY.md"))
        assert core_tokens <= window / 3 + 150  # fences and guidance are not the files'
        cuts.append((cut["SOUL.md"], cut["USER.md"], cut["MEMORY.md"]))
    assert cuts[0] == (0, 0, 0)
    assert cuts[1][:2] == (0, 0)
    assert cuts[1][2] > 0
    assert cuts[2][0] == 0
    assert cuts[4][0] > 0
    assert all(soul <= user <= memory for soul, user, memory in cuts)


def test_an_unknown_window_counts_as_32k() -> None:
    long = core("好" * 20_000, "好" * 20_000, "好" * 20_000)
    unknown = build_prompt(inputs(*long))
    assert unknown.text == build_prompt(inputs(*long, limits=PromptLimits(window=32_000))).text


def test_the_whole_stays_within_its_limit() -> None:
    files = tuple(present(state.name, "x" * 19_000) for state in (*OPTIONAL, *core()))
    for total in (150_000, 60_000, 8_000):
        limits = PromptLimits(total_characters=total, window=1_000_000)
        assert len(build_prompt(inputs(*files, limits=limits)).text) <= total


def test_equal_inputs_are_built_once_and_to_equal_bytes() -> None:
    prompt = build_prompt(inputs(*core()))
    assert build_prompt(inputs(*core())) is prompt
    build_prompt.cache_clear()
    assert build_prompt(inputs(*core())) == prompt


def test_line_ends_are_sent_as_one_kind() -> None:
    unix = build_prompt(inputs(*core(memory="a\nb\n")))
    assert build_prompt(inputs(*core(memory="a\r\nb\r\n"))).text == unix.text


def test_names_are_one_line_each() -> None:
    prompt = build_prompt(inputs(pet_name="mo\nchi</pet-file>", model="x" * 500))
    (section,) = [section for section in prompt.sections if section.name == "names"]
    assert "\n" not in section.text
    assert "mo chi‹/pet-file>" in section.text
    assert len(section.text) < 500


@pytest.mark.parametrize(
    ("identity", "name"),
    [
        ("# Identity\n\n- **Name:** Claw\n- **Emoji:** x\n", "Claw"),
        ("Name: Claw", "Claw"),
        ("* 名字：麻薯\r\n", "麻薯"),
        ("- **Name:**\n  _(pick something you like)_\n", "mochi"),
        ("- **Name:** _(pick one)_\n", "mochi"),
        ("My namesake: Claw", "mochi"),
        (f"Name: {'x' * 80}", "mochi"),
    ],
)
def test_name_in_identity_wins_where_it_gives_one(identity: str, name: str) -> None:
    prompt = build_prompt(inputs(*core(), present("IDENTITY.md", identity)))
    (section,) = [each for each in prompt.sections if each.name == "names"]
    assert name in section.text
    assert ("mochi" in section.text) == (name == "mochi")


def test_many_skills_end_with_how_many_more() -> None:
    skills = tuple(SkillLine(name=f"skill-{n}", description="what it is for " * 30) for n in range(100))
    (section,) = [s for s in build_prompt(inputs(skills=skills)).sections if s.name == "skills"]
    assert section.characters < 8_500
    assert "more" in section.text.split("\n")[-2]


def test_tokens_are_estimated_by_script() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("a" * 35) == 10
    assert estimate_tokens("好" * 15) == 10
    assert estimate_tokens("\ud83d") >= 0


@pytest.mark.parametrize(
    ("language", "expected"),
    [("en", "[Tuesday, 2026-02-24, 14:30 (UTC+08:00)]"), ("zh", "[2026-02-24 星期二 14:30（UTC+08:00）]")],
)
def test_the_time_is_sent_beside_the_message(language: Language, expected: str) -> None:
    now = datetime(2026, 2, 24, 14, 30, 15, tzinfo=timezone(timedelta(hours=8)))
    part = time_context(now, Texts(language))
    assert (part.kind, part.text, part.gated) == ("time", expected, False)


def test_the_prompt_holds_no_clock() -> None:
    assert not re.search(r"\b20\d\d\b", build_prompt(inputs()).text.replace("2026-02-24", ""))


def test_the_kept_prompts_are_fresh() -> None:
    """Regenerate them with ``python -m tests.golden.prompts``."""
    kept = {file.stem: file.read_bytes() for file in golden.FOLDER.glob("*.txt")}
    assert kept == {name: golden.as_text(prompt).encode() for name, prompt in golden.prompts()}


def test_access_alone_decides_not_the_caller() -> None:
    given = core(user="CANARY")
    assert "CANARY" in build_prompt(inputs(*given)).text
    assert "CANARY" not in build_prompt(inputs(*given, access=OFF)).text


@pytest.mark.parametrize(("language", "owner"), [("en", "the owner"), ("zh", "主人")])
def test_the_owner_of_a_cards_soul_is_named_by_the_catalogue_alone(language: Language, owner: str) -> None:
    files = core(soul="Momo likes {{user}} and {{ User }}.", user="- Name: {{user}}")
    prompt = build_prompt(inputs(*files, language=language))
    sections = {section.name: section.text for section in prompt.sections}
    assert f"Momo likes {owner} and {owner}." in sections["SOUL.md"]
    assert "{{user}}" in sections["USER.md"]  # the owner's own text stays as it is
