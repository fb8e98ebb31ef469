"""Prompts for small models: the question what to note, and the reply, which has no tools. Pure.

The question always begins with the same bytes, so that a server can cache it. Measured with a model of 1.5 billion
parameters, the examples decide the quality; the schema only guarantees the form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pet.i18n import Language, Texts, is_chinese
from pet.model import Message, SystemBlock, TextPart
from pet.prompt.build import Section
from pet.prompt.fence import escape, one_line
from pet.text.markup import replace_comments
from pet.text.token_estimate import estimate_tokens
from pet.untrusted.parsers import read_json

_EMPTY = re.compile(r"[\s\-*+\u2022_=.:：#]*|[ \t]*[-*+\u2022][ \t]+[^:：\n]{1,40}[:：]\s*")
_EXAMPLES = 14
_OPENINGS = 2
_SOUL_EXAMPLES = 3
_LONGEST_LINE = 160  # characters shown of a line
MOST_LINES = 60
"""Lines shown in a question."""
MOST_FITTING = 6
"""Lines among them that are chosen for the message, where a pet has more."""
_WORTH_A_PIECE = 30  # fewest tokens for the beginning of a line
LONGEST_SOUL = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A non-empty line of a file. ``index``: its place among the file's lines, from 0."""

    file: str
    index: int
    text: str


def lines_of(file: str, text: str) -> list[Line]:
    """Return the lines with content, without headings, comments and a template's placeholders."""
    # Each line of a comment becomes NUL, which no file contains, so that line numbers stay.
    shown = replace_comments(text, lambda comment: "\n".join("\0" * (comment[0].count("\n") + 1)))
    return [
        Line(file=file, index=number, text=line.strip())
        for number, line in enumerate(shown.split("\n"))
        if "\0" not in line and not line.startswith("#") and not _EMPTY.fullmatch(line)
    ]


def is_shown_whole(line: Line) -> bool:
    """Whether the model sees all of this line; one that is shown cut must not be replaced."""
    return len(escape(line.text)) <= _LONGEST_LINE


def language_of(message: str, usual: Language) -> Language:
    """Return the language of a message; ``usual`` if it has no letters."""
    if is_chinese(message):
        return "zh"
    return "en" if usual == "zh" and any(character.isalpha() for character in message) else usual


# --- the question ---------------------------------------------------------------------------------


def shown_places(count: int, fitting: Sequence[int]) -> list[int]:
    """Return the places, from 0, of the lines that a question shows: all of few, otherwise the first ones, which stay
    the same bytes while lines are added, and the ``fitting`` ones, best first, of the others.

    >>> shown_places(3, [])
    [0, 1, 2]
    """
    if count <= MOST_LINES:
        return [*range(count)]
    always = MOST_LINES - MOST_FITTING
    return [*range(always), *sorted([place for place in fitting if place >= always][:MOST_FITTING])]


def question(
    lines: Sequence[Line], message: str, texts: Texts, fitting: Sequence[int] = ()
) -> tuple[tuple[SystemBlock, ...], tuple[Message, ...]]:
    """Return system and messages that ask what to note of ``message``. ``fitting``: places of the lines that fit it,
    best first. A line's number is its place among all lines, so it stays while lines are added.

    Two example answers are placed between the owner's lines and the message: directly before the message, the lines
    make a small model take everything for known.
    """
    system = SystemBlock(text=texts("notebook.question"), cache=True)
    first = texts("notebook.example.lines") + "\n\n"
    examples = _examples("notebook.example", _EXAMPLES, first, texts)
    places = shown_places(len(lines), fitting)
    shown = "\n".join(f"{place + 1}. {_shown(lines[place].text)}" for place in places)
    own = texts("notebook.lines", lines=shown or texts("notebook.lines.none")) + "\n\n"
    openings = _examples("notebook.opening", _OPENINGS, own, texts)
    return (system,), (*examples, *openings, _user(texts("notebook.message", message=one_line(message, 600))))


def question_schema(places: Sequence[int]) -> Mapping[str, object]:
    """Return the JSON schema of an answer, with the places, from 0, of the lines that may be older."""
    kinds = [_object({"is": {"const": kind}}) for kind in ("chat", "question", "task", "fact", "pet")]
    if places:
        properties: dict[str, object] = {
            "is": {"const": "change"},
            "line": {"type": "integer", "enum": [place + 1 for place in places]},
        }
        kinds.append(_object(properties))
    return {"anyOf": kinds}


def soul_question(
    lines: Sequence[Line], message: str, texts: Texts
) -> tuple[tuple[SystemBlock, ...], tuple[Message, ...]]:
    """Return system and messages that ask for one more line of SOUL, and after which line."""
    system = SystemBlock(text=texts("notebook.soul"), cache=True)
    examples = _examples(
        "notebook.soul.example", _SOUL_EXAMPLES, texts("notebook.soul.example.lines") + "\n\n", texts
    )
    shown = "\n".join(f"{number}. {_shown(line.text)}" for number, line in enumerate(lines, 1))
    soul_lines = texts("notebook.soul.lines", lines=shown) + "\n\n"
    return (system,), (*examples, _user(soul_lines + texts("notebook.message", message=one_line(message, 600))))


def soul_schema(count: int) -> Mapping[str, object]:
    return _object(
        {
            "line": {"type": "integer", "enum": list(range(1, count + 1))},
            "new": {"type": "string", "minLength": 1, "maxLength": LONGEST_SOUL},
        }
    )


def soul_examples(texts: Texts) -> list[str]:
    """Return the lines that the examples of ``soul_question`` add."""
    answers = (
        parse_answer(texts(f"notebook.soul.example.{number}.answer")) for number in range(1, _SOUL_EXAMPLES + 1)
    )
    return [str(answer["new"]) for answer in answers if answer is not None]


# --- the reply ------------------------------------------------------------------------------------


def reply_sections(
    *,
    soul: str,
    user: str | None,
    memory: str | None,
    texts: Texts,
    most: int,
    learns: bool = True,
    warnings: Sequence[tuple[str, str]] = (),
) -> tuple[Section, ...]:
    """Return the sections of a reply's system prompt; joined, they are the prompt. Its files take about ``most``
    tokens. While memory is off, pass None for ``user`` and ``memory``. ``warnings``: names of files with
    a line on each.
    """
    sections = [_section("rules", texts("notebook.reply")), _of_file("SOUL.md", "soul", soul, most * 0.5, texts)]
    if user is None or memory is None:
        sections.append(_section("rules", "\n\n" + texts("notebook.reply.off")))
    elif not learns:
        sections.append(_section("rules", "\n\n" + texts("notebook.reply.read")))
    for name, key, text, share in (("USER.md", "user", user, 0.2), ("MEMORY.md", "memory", memory, 0.3)):
        if text is not None and _plain(text):
            sections.append(_of_file(name, key, text, most * share, texts, last=True))
    sections += [_section(name, f"\n\n{line}") for name, line in warnings]
    return tuple(sections)


def reply_start(soul: str, texts: Texts, most: int) -> str:
    """Return the common start of every reply's prompt: rules and character, no gated file."""
    return texts("notebook.reply") + _of_file("SOUL.md", "soul", soul, most * 0.5, texts).text


def _of_file(name: str, key: str, text: str, most: float, texts: Texts, *, last: bool = False) -> Section:
    plain = _plain(text)
    shown = _fitted(plain, round(most), last=last)
    return _section(name, "\n\n" + texts(f"notebook.reply.{key}") + "\n" + shown, cut=len(plain) - len(shown))


def _section(name: str, text: str, *, cut: int = 0) -> Section:
    return Section(name=name, text=text, characters=len(text), tokens=estimate_tokens(text), cut=cut)


def day_line(at: datetime, texts: Texts) -> str:
    """Return today, yesterday and the time in brackets; the time last, so that the rest can be cached."""
    return _bracketed(
        texts(
            "notebook.day",
            day=_day(at, texts),
            time=at.strftime("%H:%M"),
            yesterday=_day(at - timedelta(days=1), texts),
        )
    )


def time_line(at: datetime, texts: Texts) -> str:
    return _bracketed(texts("notebook.time", time=at.strftime("%H:%M")))


def recall_line(snippet: str, texts: Texts) -> str:
    return _bracketed(texts("notebook.recall", text=_shown(one_line(snippet, 300))))


def question_line(opening: str, texts: Texts) -> str:
    """Return the pet's opening question that the message answers."""
    return _bracketed(texts("notebook.asked", text=_shown(one_line(opening, 300))))


def unopened_line(name: str, texts: Texts) -> str:
    """Return a note about a picture or file that the small model does not get."""
    return _bracketed(texts("notebook.unopened", name=one_line(name, 80) or "?"))


def written_line(report: str) -> str:
    """Return what the program just wrote to the notes."""
    return _bracketed(report)


def line_openings(texts: Texts) -> tuple[str, ...]:
    """Return the fixed beginnings of these lines."""
    always = ("day", "time", "recall", "asked", "unopened")
    written = ("noted", "known", "soul_changed", "forgotten", "forget_refused", "forget_none")
    keys = (*always, *written, "not_forgotten")
    return tuple("[" + texts(f"notebook.{key}").partition("{")[0].strip() for key in keys)


def _bracketed(text: str) -> str:
    return "[" + one_line(text, 400).replace("[", "(").replace("]", ")") + "]"


def _day(at: datetime, texts: Texts) -> str:
    return texts("notebook.date", weekday=texts(f"prompt.weekday.{at.weekday()}"), date=at.strftime("%Y-%m-%d"))


def _examples(key: str, count: int, first: str, texts: Texts) -> tuple[Message, ...]:
    messages: list[Message] = []
    for number in range(1, count + 1):
        text = texts("notebook.message", message=texts(f"{key}.{number}"))
        messages += [
            _user(first + text if number == 1 else text),
            Message(role="assistant", parts=(TextPart(text=texts(f"{key}.{number}.answer")),)),
        ]
    return tuple(messages)


def _user(text: str) -> Message:
    return Message(role="user", parts=(TextPart(text=text),))


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _plain(text: str) -> str:
    """Return a file's text for a small model, without comments, placeholders and anything that resembles a tag."""
    lines = [
        line for line in replace_comments(text).split("\n") if line.startswith("#") or not _EMPTY.fullmatch(line)
    ]
    kept = [
        line
        for place, line in enumerate(lines)
        if not line.startswith("#") or (place + 1 < len(lines) and not lines[place + 1].startswith("#"))
    ]
    return escape("\n".join(kept)).replace("<", "‹").replace(">", "›").strip()


def _fitted(text: str, most: int, *, last: bool = False) -> str:
    """Return as many whole lines as fit, the first ones, or the ``last`` ones. The beginning of a line that does not
    fit is kept if it is long: a character is often one paragraph.
    """
    lines = text.split("\n")
    kept: list[str] = []
    for line in reversed(lines) if last else lines:
        cost = estimate_tokens(line) + 1
        if cost > most:
            if most >= _WORTH_A_PIECE and not (last and kept):
                kept.append(line[: len(line) * most // cost - 1].rstrip() + "…")
            break
        most -= cost
        kept.append(line)
    return "\n".join(reversed(kept) if last else kept)


def _shown(text: str) -> str:
    """Return an escaped line of at most _LONGEST_LINE characters."""
    text = escape(text)
    return text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 1] + "…"


def parse_answer(answer: str) -> Mapping[str, object] | None:
    """Return the JSON object in an answer, also with words around it; None without one."""
    start, end = answer.find("{"), answer.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        value = read_json(answer[start : end + 1])
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
