"""Standing facts in the daily logs that belong in USER.md, where every request carries them. Pure.

Search finds them only if a message resembles them, and the messages at which an allergy matters name a bakery. A fact
is of a standing kind (health, people, commitments) by the patterns in ``data/standing_facts.json``, or was noted on
two days, or once when the owner asked for it. Hypotheses, questions, events, reminders and what the pet said of
itself are never moved, nor is what a later note of any kind may end (``Mentions.may_end``).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

from pet.i18n import Texts
from pet.language.categories import TASK
from pet.language.labels import strip_owner, strip_speaker
from pet.language.mentions import Mentions
from pet.language.tokens import naming_words
from pet.memory import read_data
from pet.memory.store.daily_log import agent_of, fact_key, iso_day, log_day, parse_log
from pet.memory.store.split_entries import Entry, bare, is_unfilled, split_earlier, whole_entries
from pet.text.lazy_pattern import lazy_pattern
from pet.workspace.file_names import log_name

FILE = "standing_facts.json"
_MOST = 5  # lines a day
_LONGEST = 200  # characters of a fact
_OTHERS = "others"
_NEVER = frozenset((TASK, "event", "chat", "decision", "memory"))
_HEADING = lazy_pattern(r"#{1,4}[ \t]+(.+)")
_BULLET = lazy_pattern(r"\s*[-*+][ \t]+\S")
_ISO = lazy_pattern(r"(?<![0-9])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")
_DATED = lazy_pattern(r"\s*\((\d{4}-\d{2}-\d{2})\)\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingFact:
    """``key``: a hash of the fact's letters and digits, by which one that the owner undid is known."""

    kind: str
    text: str
    day: date
    line: int  # of its log
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """USER.md with facts added; ``added``: those facts."""

    text: str
    added: tuple[StandingFact, ...]


@dataclass(frozen=True, slots=True)
class _Patterns:
    """``doubt``: what makes a text no fact; ``kinds``: by name, the facts and the headings they belong under."""

    doubt: re.Pattern[str]
    kinds: Mapping[str, tuple[re.Pattern[str], re.Pattern[str]]]


@cache
def _patterns() -> _Patterns:
    data = read_data("store", FILE)
    kinds = {
        name: (re.compile(row["fact"], re.I), re.compile(row["heading"], re.I)) for name, row in data["kinds"].items()
    }
    return _Patterns(re.compile(data["doubt"], re.I), kinds)


def standing_kind(text: str) -> str:
    """Return ``health``, ``people`` or ``commitments``; "" for others.

    >>> standing_kind("Allergic to nuts"), standing_kind("My sister is called Runa"), standing_kind("It rains")
    ('health', 'people', '')
    """
    if _patterns().doubt.search(text):
        return ""
    return next((name for name, (fact, _) in _patterns().kinds.items() if fact.search(text)), "")


def fact_keys(name: str, log: str) -> frozenset[str]:
    """Return the keys of the facts in the text of a log; none for another file."""
    day = log_day(name)
    return frozenset(fact.key for fact in _facts(log, day)) if day else frozenset()


def find_standing_facts(
    logs: Mapping[str, str], known: Iterable[str], asked: Collection[str] = (), notes: Mapping[str, str] | None = None
) -> list[StandingFact]:
    """Return the standing facts of the logs, newest first, without those that ``known`` lines say already or a later
    note may end.

    ``logs``, ``notes``: texts by file name; of the ``notes`` no fact is taken. ``asked``: keys of facts noted at the
    owner's request. Of facts that say the same only the newest is returned.
    """
    noted: dict[str, list[StandingFact]] = {}
    for name, log in logs.items():
        day = log_day(name)
        for fact in _facts(log, day) if day else ():
            noted.setdefault(fact.key, []).append(fact)
    lines = [naming_words(line) for line in known]
    facts: list[StandingFact] = []
    for same in sorted(noted.values(), key=lambda each: max(fact.day for fact in each), reverse=True):
        newest = max(same, key=lambda fact: (fact.day, fact.line))
        wanted = newest.key in asked or len({fact.day for fact in same}) > 1
        words = naming_words(newest.text)
        if not words or not (newest.kind != _OTHERS or wanted) or any(words <= line for line in lines):
            continue
        if not any(_supersedes(later, newest) for later in facts):
            facts.append(newest)
    later = _LaterNotes({**logs, **(notes or {})}, facts)
    return [fact for fact in facts if not later.may_end(fact)]


class _LaterNotes:
    """The entries of all notes that may be later than one of the facts; one without a day may be later than any."""

    def __init__(self, texts: Mapping[str, str], facts: Sequence[StandingFact]) -> None:
        first = min((fact.day for fact in facts), default=date.max)
        self._entries: list[tuple[date, str, int, Mentions]] = []
        for name, text in texts.items():
            day = log_day(name)
            if day is not None and day < first:
                continue
            for entry in whole_entries(name, text.split("\n")):
                day = _day_of(entry)
                if day >= first and not is_unfilled(entry.text):
                    self._entries.append((day, name, entry.start_line, Mentions.of(bare(entry.text))))

    def may_end(self, fact: StandingFact) -> bool:
        """Whether a later entry may end the fact, and says more than the fact's own beginning."""
        stated = Mentions.of(fact.text)
        return any(
            later.may_end(stated)
            for day, name, line, later in self._entries
            if (line > fact.line if name == log_name(fact.day) else day >= fact.day)
            and not fact.text.casefold().startswith(later.text.casefold())
        )


def _day_of(entry: Entry) -> date:
    """Return the last day that the entry of a core file names, the day of another."""
    if log_day(entry.path) is None:
        days = [day for text in _ISO.findall(entry.text) if (day := iso_day(text))]
        return max([*days, *filter(None, [entry.day])], default=date.max)
    return entry.day or date.max


def _facts(log: str, day: date) -> Iterable[StandingFact]:
    for entry in parse_log(log.split("\n")):
        text = split_earlier(strip_owner(" ".join(entry.text.split())))[0]
        if entry.due or entry.done or not text or len(text) > _LONGEST:
            continue
        if strip_speaker(text) != text or agent_of(text):
            continue  # a label that is left names another speaker
        kind = standing_kind(text)
        if (entry.category in _NEVER and kind != "commitments") or _patterns().doubt.search(text):
            continue
        yield StandingFact(kind=kind or _OTHERS, text=text, day=day, line=entry.start_line, key=_key(text))


def _key(text: str) -> str:
    return hashlib.sha256(fact_key(text).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _supersedes(later: StandingFact, earlier: StandingFact) -> bool:
    return _says_more(later.text, earlier.text)


def _says_more(new: str, old: str) -> bool:
    """Whether ``new`` holds every word of ``old``."""
    words = naming_words(old)
    return len(words) > 1 and words <= naming_words(new)


def with_standing_facts(
    profile: str, facts: Iterable[StandingFact], offered: Collection[str], texts: Texts, *, room: int
) -> Profile:
    """Return USER.md with at most five of the facts, each a line with its day, under the heading of its kind.

    A line that a fact supersedes (an earlier one of which it holds every word) is replaced.
    ``offered``: keys of facts that were added before, so that what the owner undid does not return. ``room``: the
    characters that may be added.
    """
    lines = profile.split("\n")
    added: list[StandingFact] = []
    for fact in facts:
        line = f"- {fact.text} ({fact.day.isoformat()})"
        room -= len(line) + 1
        if len(added) == _MOST or room < 0:
            break
        if fact.key not in offered:
            _put(lines, line, fact, texts)
            added.append(fact)
    return Profile(text="\n".join(lines), added=tuple(added))


def _put(lines: list[str], line: str, fact: StandingFact, texts: Texts) -> None:
    for place, old in enumerate(lines):
        if _BULLET.match(old) and _is_superseded(old, fact):
            lines[place] = line
            return
    _fact, heading = _patterns().kinds.get(fact.kind, (None, None))
    title = texts(f"upkeep.{fact.kind}")
    for place, old in enumerate(lines):
        match = _HEADING.fullmatch(old.rstrip())
        if match and (match[1].strip() == title or (heading is not None and heading.search(match[1]))):
            lines.insert(_end_of_section(lines, place), line)
            return
    while lines and not lines[-1].strip():
        lines.pop()
    lines += [*([""] if lines else []), f"## {title}", "", line, ""]


def _is_superseded(old: str, fact: StandingFact) -> bool:
    """Whether the fact replaces this line; one without a date may be the owner's own and always stays."""
    dated = _DATED.search(old)
    if dated is None or dated[1] > fact.day.isoformat():
        return False
    return _says_more(fact.text, bare(old))


def _end_of_section(lines: list[str], heading: int) -> int:
    """Return the place after the section's last filled line; one blank line stays below a bare heading."""
    end = next(
        (place for place in range(heading + 1, len(lines)) if _HEADING.fullmatch(lines[place].rstrip())), len(lines)
    )
    while end > heading + 1 and not lines[end - 1].strip():
        end -= 1
    if end == heading + 1:
        lines.insert(end, "")
        end += 1
    return end
