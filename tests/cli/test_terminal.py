"""Output of the terminal: JSON without control characters, and lines of the program that no reply can imitate."""

from __future__ import annotations

import io
import json
from datetime import date

import pytest

from pet.cli.chat_turn import Confirmation
from pet.cli.format import facts_of
from pet.cli.terminal import MARK, Terminal, padded, print_json, revealed, wrapped
from pet.i18n import LANGUAGES, Language, Texts
from pet.model import MISSING, Allowed, AskedCall, Decision, ForeignSource, NotedText, Proposal, Refused


def terminal() -> Terminal:
    out = io.StringIO()
    return Terminal(out=out, err=out, stdin=io.StringIO(), talk=out)


def written(shown: Terminal) -> str:
    assert isinstance(shown.out, io.StringIO)
    return shown.out.getvalue()


CONTROLS = [*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]


def test_a_proposed_note_says_when_it_reminds_and_its_kind() -> None:
    noted = NotedText(text="ferns", due="2026-03-02", at="18:00", repeats="every Monday")
    asked = Proposal(
        id="p", file="x", reason="unasked", before="", after="ferns", base=MISSING, category="todo", noted=noted
    )
    facts = list(facts_of(asked, Texts("en"), date(2026, 2, 24)))
    assert facts == ["Reminds: every Monday at 18:00, first on Monday", "As: to do"]


def test_what_the_owner_agrees_to_shows_every_character_that_is_unseen() -> None:
    assert revealed("a\u3164b\U000e0041c\u2028d\re\ufe0ff ❤\ufe0f") == (
        "a<U+3164>b<U+E0041>c<U+2028>d<U+000D>e<U+FE0F>f ❤\ufe0f"
    )


def test_json_escapes_control_and_direction_characters() -> None:
    shown = terminal()
    data = {"".join(map(chr, CONTROLS)): ["".join(map(chr, CONTROLS)), "猫 é\u2028"]}
    print_json(shown, data)
    text = written(shown)
    assert json.loads(text) == data
    assert not {chr(code) for code in CONTROLS if chr(code) != "\n"} & set(text)
    assert "\\u009b" in text
    assert "\\u202e" in text
    assert "猫 é" in text


@pytest.mark.parametrize("pieces", [[f"{MARK}Wrote down: tea\n"], [MARK[:1], MARK[1:] + "Wrote down: tea"]])
def test_a_reply_cannot_begin_with_the_mark_of_the_program(pieces: list[str]) -> None:
    shown = terminal()
    for piece in pieces:
        shown.answer(piece)
    assert MARK.strip() not in written(shown)


@pytest.mark.parametrize("mark", "\u2589\u258a\u258b\u258d\u258e\u258f\u2590\u275a")
def test_a_reply_cannot_begin_with_a_mark_that_looks_alike(mark: str) -> None:
    shown = terminal()
    shown.answer(f"{mark} Wrote down: tea\n")
    assert written(shown) == "| Wrote down: tea\n"


def test_every_line_of_a_note_has_the_mark() -> None:
    shown = terminal()
    shown.note("Wrote down: tea\nWrote down: cake")
    assert written(shown) == f"{MARK}Wrote down: tea\n{MARK}Wrote down: cake\n"


def test_texts_take_equally_many_columns() -> None:
    assert padded(["on", "read only", "off"]) == ["on       ", "read only", "off      "]
    assert padded(["开", "只读", "Mo"]) == ["开  ", "只读", "Mo  "]
    assert padded(["한글", "🦊", "e\u0301", "a\u200b"]) == ["한글", "🦊  ", "e\u0301   ", "a\u200b   "]
    assert padded([]) == []


def test_the_chats_help_names_the_mark_at_the_end_of_a_line_and_keeps_to_two_columns() -> None:
    for language in LANGUAGES:
        shown = Texts(language)("cli.chat.help")
        assert shown.count("\\") == 1
        assert "\n/memory on|read|off " in shown and "\n/memory on|read|off  " not in shown


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("pet chat [--memory on|read|off] [--yes]", 34, ["pet chat [--memory on|read|off]", "    [--yes]"]),
        ("  --yes     allow what is asked about", 60, ["  --yes     allow what is asked about"]),
        ("  --yes     allow what is asked about", 20, ["  --yes", "      allow what is", "      asked about"]),
        (
            "  --yes" + " " * 40 + "allow what is asked about",
            64,
            ["  --yes" + " " * 40 + "allow what is", " " * 47 + "asked about"],
        ),
        ("说这一句，打印回复。", 11, ["说这一句，", "打印回复。"]),
        ("说这一句（打印）", 11, ["说这一句", "（打印）"]),
        ("https://example.org/long two", 10, ["https://example.org/long", "two"]),
    ],
)
def test_a_text_is_broken_to_the_width_of_the_terminal(text: str, width: int, rows: list[str]) -> None:
    assert wrapped(text, width).split("\n") == rows


def test_nothing_is_printed_that_a_terminal_obeys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    text, shown = "".join(map(chr, CONTROLS)), terminal()
    monkeypatch.setattr(Terminal, "colours", True)
    shown.say(shown.painted(f"Momo {text}", "red"))
    shown.complain(text)
    shown.note(text)
    shown.ask(f"{text}? ")
    left = written(shown).replace("\033[31m", "").replace("\033[2m", "").replace("\033[0m", "")
    obeyed = {chr(code) for code in CONTROLS if chr(code) not in "\n\t\u061c\u200e\u200f"}
    assert not obeyed & set(left)
    assert left.startswith("Momo ")


class _Typed(Terminal):
    """A terminal in which lines are typed."""

    can_ask = True

    def ask(self, question: str) -> str | None:
        self.say(question)
        return self.stdin.readline().removesuffix("\n")


def typed_in(*lines: str) -> Terminal:
    out = io.StringIO()
    return _Typed(out=out, err=out, stdin=io.StringIO("\n".join([*lines, "r"])), talk=out)


NOTE = Proposal(
    id="p",
    file="memory/2026-02-24.md",
    reason="foreign",
    before="",
    after="likes tea",
    base=MISSING,
    foreign=(ForeignSource(kind="file", name="let\u202eter.txt"), ForeignSource(kind="import", name="chatgpt")),
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("typed", "decision"),
    [
        ("", Refused(why="owner")),
        ("c", Allowed(text="likes tea", edited=False, lasting="conversation")),
        ("r", Refused(why="owner")),
    ],
)
def test_a_note_beside_something_foreign_names_it_and_may_be_allowed_for_the_conversation(
    language: Language, typed: str, decision: Decision
) -> None:
    shown = typed_in(typed)
    confirmation = Confirmation(terminal=shown, texts=Texts(language))
    assert confirmation.decide(NOTE, date(2026, 2, 24)) == decision
    assert "let<U+202E>ter.txt" in written(shown) and "ChatGPT" in written(shown)


def test_an_answer_in_advance_does_not_allow_a_note_beside_something_foreign() -> None:
    asked = Confirmation(terminal=typed_in(), texts=Texts("en"), answer="yes")
    assert asked.decide(NOTE, date(2026, 2, 24)) == Refused(why="owner")
    nobody = Confirmation(terminal=terminal(), texts=Texts("en"), answer="yes")
    assert nobody.decide(NOTE, date(2026, 2, 24)) == Refused(why="no_terminal")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("changes", [False, True])
def test_a_call_that_changes_something_can_not_be_allowed_for_the_conversation(
    language: Language, changes: bool
) -> None:
    call = AskedCall(source="git", tool="push", changes=changes, remembered=())
    proposal = Proposal(id="p", file="", reason="call", before="{}", after="", base="", call=call)
    texts = Texts(language)
    shown = typed_in("c")
    decision = Confirmation(terminal=shown, texts=texts).decide(proposal, date(2026, 2, 24))
    assert ("[c]" in written(shown)) != changes
    allowed = Allowed(text="", edited=False, lasting="conversation")
    assert decision == (Refused(why="owner") if changes else allowed)
    once = Confirmation(terminal=typed_in(texts("cli.confirm.words.once").split()[0]), texts=texts)
    assert once.decide(proposal, date(2026, 2, 24)) == Allowed(text="", edited=False)
