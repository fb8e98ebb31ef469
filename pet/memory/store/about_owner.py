"""The memory files' statements about the owner, as plain sentences in groups; pure, without a model or a copy.

Each sentence is one entry. A rule rewrites an entry only where the result is sure: "Owner: User's name is Alex"
becomes "Your name is Alex." Any other entry is shown as written. Its words are in ``data/about_owner.json``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Literal

from pet.i18n import is_chinese
from pet.language.categories import TASK
from pet.language.labels import ended_day, note_label, strip_owner, strip_speaker
from pet.language.normalization import search_form
from pet.language.second_person import in_second_person, speaks_to_you
from pet.memory import read_data
from pet.memory.store.daily_log import entry_body, iso_day, parse_log
from pet.memory.store.split_entries import LIST_MARK, Entry, is_unfilled, whole_entries, without_mark
from pet.model import CoreFile
from pet.text.lazy_pattern import lazy_pattern
from pet.workspace.file_names import LOG_FOLDER

Group = Literal["you", "people", "places", "likes", "health", "plans", "lately"]
GROUPS: tuple[Group, ...] = ("you", "people", "places", "likes", "health", "plans", "lately")
LONGEST = 600
"""Characters of a sentence; a longer entry is cut."""
_SPECIFIC: tuple[Group, ...] = ("health", "people", "likes", "places", "plans")
_STYLE = lazy_pattern(r"\*\*|__|`")
_ISO = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_STAMP = lazy_pattern(rf"^\[?{_ISO}\]?[:：]?\s+|\s*[(（\[]{_ISO}[)）\]](?=\W*$)")
_FIELD = lazy_pattern(r"(?P<key>[^:：\n]{1,40}?)\s*[:：]\s*(?P<value>\S[^\n]*)")
_SIGNS = ".。!！ "


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """``text``: the entry as written, without its list mark; ``sentence``: as shown. ``day``: of its log or in its
    text; ``ended``: the day until which a core file's entry held. Lines are 1-based and inclusive."""

    group: Group
    file: str
    start_line: int
    end_line: int
    text: str
    sentence: str
    day: date | None
    due: date | None = None
    ended: date | None = None


@dataclass(frozen=True, slots=True)
class _Rules:
    headings: dict[Group, re.Pattern[str]]
    facts: dict[Group, re.Pattern[str]]
    categories: dict[str, Group]
    headed: tuple[tuple[re.Pattern[str], str], ...]
    fields: tuple[tuple[re.Pattern[str], str], ...]


@cache
def _rules() -> _Rules:
    data, standing = (
        read_data("store", "about_owner.json"),
        read_data("store", "standing_facts.json")["kinds"],
    )
    groups = data["groups"]
    facts = {
        name: "|".join(filter(None, (row["fact"], standing.get(name, {}).get("fact", ""))))
        for name, row in groups.items()
    }
    return _Rules(
        headings={name: re.compile(groups[name]["heading"], re.I) for name in (*_SPECIFIC, "you", "lately")},
        facts={name: re.compile(facts[name], re.I) for name in _SPECIFIC},
        categories=data["categories"],
        headed=tuple((re.compile(pattern, re.I), form) for pattern, form in data["headed"]),
        fields=tuple((re.compile(pattern, re.I), form) for pattern, form in data["fields"]),
    )


def statements(name: str, text: str) -> list[Statement]:
    """Return what USER.md, MEMORY.md or a daily log says, in the file's order; ``text`` with ``\\n`` line ends."""
    lines = text.split("\n")
    closed = {each.start_line for each in parse_log(lines) if each.done} if name.startswith(LOG_FOLDER) else set()
    return [
        made
        for entry in whole_entries(name, lines)
        if not is_unfilled(entry.text)
        and (made := _statement(name, entry, open_=entry.start_line not in closed)) is not None
    ]


def grouped(all_statements: Iterable[Statement], words: str = "") -> dict[Group, list[Statement]]:
    """Return the statements with all ``words`` at beginnings of their words ("ida" of "Ida's", not of "Friday"), by
    group: those of the core files, then the logs', newest first; each fact once, and what happened by its day."""
    wanted = [re.compile(f"{_begin(word)}{re.escape(word)}") for word in search_form(words).split()]
    groups: dict[Group, list[Statement]] = {name: [] for name in GROUPS}
    seen: set[str] = set()
    core: list[Statement] = []
    logged: list[Statement] = []
    for each in all_statements:
        (logged if each.file.startswith(LOG_FOLDER) else core).append(each)
    for each in (*core, *sorted(logged, key=lambda each: (each.file, each.start_line), reverse=True)):
        key = each.sentence.casefold().rstrip(".。!！ ")
        if key in seen:
            continue
        seen.add(key)
        text = search_form(f"{each.sentence}\n{each.text}") if wanted else ""
        if all(word.search(text) for word in wanted):
            groups[each.group].append(each)
    groups["lately"].sort(key=lambda each: each.day or date.min, reverse=True)
    groups["plans"].sort(key=lambda each: each.due or date.max)
    return groups


def _begin(word: str) -> str:
    return r"(?<![^\W\d_\u2e80-\uffff])" if word[0].isalpha() and not is_chinese(word[0]) else ""


def _statement(name: str, entry: Entry, *, open_: bool) -> Statement | None:
    """Return what an entry says; None for marks alone, such as a bare code fence."""
    text = without_mark(entry.text)
    shown = text[: 2 * LONGEST]
    owned = strip_owner(shown)
    owners = owned != shown or (strip_speaker(shown) == shown and name != CoreFile.MEMORY)
    plain = " ".join(_STYLE.sub("", owned if owners else shown).split())
    if not plain:
        return None
    over = None if name.startswith(LOG_FOLDER) else ended_day(plain)
    ended = iso_day(over["day"]) if over else None
    plain = plain[: over.start()] if over and ended and over.start() else plain
    plain = _STAMP.sub("", plain).strip() or plain
    # Of the present, as "You are …", past facts yield no sentence.
    spoken = plain if ended else _spoken(name, entry.heading, plain, owners=owners)
    return Statement(
        group="lately" if ended else _group(name, entry, plain, owners=owners, open_=open_),
        file=name,
        start_line=entry.start_line,
        end_line=entry.end_line,
        text=text,
        sentence=_ended(spoken),
        day=ended or entry.day,
        due=entry.due,
        ended=ended,
    )


def _group(name: str, entry: Entry, text: str, *, owners: bool, open_: bool) -> Group:
    rules, logged = _rules(), name.startswith(LOG_FOLDER)
    if logged and (entry.due or entry.heading == TASK):
        return "plans" if open_ else "lately"
    if logged:
        named = rules.categories.get(entry.heading)
    else:
        parts = reversed(entry.heading.split(" / "))
        named = next(
            (group for part in parts for group, pattern in rules.headings.items() if pattern.search(part)), None
        )
    health = rules.facts["health"].search(text)
    if named and not (health and named in ("likes", "lately", "you")):
        return named
    if not owners:
        return "lately"
    fact: Group | None = (
        "health" if health else next((each for each in _SPECIFIC if rules.facts[each].search(text)), None)
    )
    return fact or ("you" if name == CoreFile.USER or (logged and entry.heading in ("fact", "general")) else "lately")


def _spoken(name: str, heading: str, text: str, *, owners: bool) -> str:
    """Return the entry in words to the owner, or as it is where no rule is sure."""
    rules = _rules()
    if name == CoreFile.USER:
        field = _FIELD.fullmatch(text)
        for pattern, form in rules.fields if field else ():
            if field and pattern.fullmatch(field["key"]):
                return form.format(field["value"].rstrip(".。"))
        if field is None and len(text) <= 40 and not speaks_to_you(text):
            form = next((form for pattern, form in rules.headed if pattern.search(heading)), "")
            if form and len(text.split()) <= 4:
                return form.format(text.rstrip(".。"))
    if not owners or speaks_to_you(text):
        return text
    return in_second_person(text)


def differing_part(new: str, old: str) -> str:
    """Return what an earlier sentence says in another way, without what both begin and end with; without its end if
    they have too little in common.

    >>> differing_part("You work at Bolt.", "You work at Acme as a cook."), differing_part("You skate.", "It rains.")
    ('Acme as a cook', 'It rains')
    """
    mine, theirs = new.rstrip(_SIGNS), old.rstrip(_SIGNS)
    words = re.compile(r"[\u2e80-\uffff]|\s*[^\s\u2e80-\uffff]+")
    one, other = words.findall(mine), words.findall(theirs)
    begin = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    left, right = one[begin:], other[begin:]
    while left and right and left[-1] == right[-1] and len(right) > 1 and len(left) > 1:
        left, right = left[:-1], right[:-1]
    return "".join(right).strip() if begin > 1 and left and right else theirs


def _ended(text: str) -> str:
    """Return the text as a sentence: cut to ``LONGEST``, with a capital and an end."""
    if len(text) > LONGEST:
        return f"{text[: LONGEST - 1].rstrip()}…"
    text = f"{text[0].upper()}{text[1:]}" if text[:1].isascii() else text
    if text[-1:].isalnum() or text[-1:] in ")）\"'”’":
        text += "。" if is_chinese(text[-1]) or (is_chinese(text) and not text[-1].isascii()) else "."
    return text


def block_of(statement: Statement, lines: Sequence[str]) -> tuple[str, ...]:
    """Return the statement's lines; empty if the entry is no longer there as it was."""
    block = tuple(lines[statement.start_line - 1 : statement.end_line])
    return block if without_mark("\n".join(block)) == statement.text else ()


def replaced(text: str, statement: Statement, new: str) -> str:
    """Return the file's text with the statement's entry replaced, its list mark kept. Raises ValueError if it is no
    longer there as it was."""
    lines = text.split("\n")
    if not (block := block_of(statement, lines)):
        raise ValueError(statement.file)
    mark = LIST_MARK.match("\n".join(block))
    lead = mark[0] if mark else ""
    body = entry_body(new) if statement.file.startswith(LOG_FOLDER) else new.strip()
    return "\n".join([*lines[: statement.start_line - 1], f"{lead}{body}", *lines[statement.end_line :]])


_EMPTY_BULLET = lazy_pattern(r"[ \t]*[-*+][ \t]*")


def with_told_name(profile: str, name: str) -> str:
    """Return the text of USER.md with the name where it has an empty place for it, else as it is."""
    lines = profile.split("\n")
    headed = -1
    for at, line in enumerate(lines):
        if field := note_label("name_field", line.rstrip("\r")):
            lines[at] = f"{field['field']} {name}"
            break
        if headed >= 0 and _EMPTY_BULLET.fullmatch(line.rstrip("\r")):
            lines[at] = f"- {name}"
            break
        headed = at if note_label("name_heading", line.rstrip("\r")) else headed if not line.strip() else -1
    return "\n".join(lines)
