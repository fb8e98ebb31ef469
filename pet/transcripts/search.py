"""Full-text search over all transcripts, for the owner; independent of the memory switch.

Scans the transcript files directly: there is no index to maintain. Results go to the owner's window and never into a
request. Thinking, tool calls and recalled memory are not searched.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pet.language.normalization import search_form, search_form_places
from pet.text.plain_markdown import plain_line
from pet.transcripts.closings import merge_files
from pet.transcripts.conversation import Conversation
from pet.transcripts.entries import (
    PartialReply,
    RoundCompleted,
    TitleSet,
    TurnFinished,
    TurnsRemovedSet,
    UserMessage,
    VariantSet,
)
from pet.transcripts.entry_codec import decode_lines, prefix
from pet.transcripts.fold import fold
from pet.transcripts.jsonl_file import LARGEST
from pet.untrusted.regular_files import read_regular

_SPOKEN_PREFIXES = tuple(
    prefix(kind)
    for kind in (UserMessage, RoundCompleted, TurnFinished, PartialReply, TitleSet, TurnsRemovedSet, VariantSet)
)
_AROUND = 60  # characters of context on each side of a match
_MOST_TERMS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetPiece:
    """A piece of a snippet; ``is_match``: it matches a word of the query."""

    text: str
    is_match: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryHit:
    """A turn with all words of the query. The snippet comes in pieces: pages count UTF-16 units, not code points."""

    conversation: str
    title: str
    turn: str
    at: str
    who: Literal["owner", "pet"]
    snippet: list[SnippetPiece]


@dataclass(frozen=True, slots=True)
class _Terms:
    """The words of a query in the form in which texts are compared with them."""

    words: list[str]
    accents: bool

    def form(self, text: str) -> str:
        return search_form(text, accents=self.accents)

    def all_in(self, text: str) -> bool:
        form = self.form(text)
        return all(word in form for word in self.words)

    def count_in(self, text: str) -> int:
        form = self.form(text)
        return sum(word in form for word in self.words)


def search_transcripts(
    conversations: Iterable[tuple[str, Sequence[Path]]], query: str, limit: int
) -> list[HistoryHit]:
    """Return at most ``limit`` turns with all words of ``query``: those with its accents before others; of each,
    conversations in the given order, newest turn first.

    Ignores case, full or half width, and accents. Unreadable files are skipped.
    """
    exact, plain = (_terms(query, accents=accents) for accents in (True, False))
    if not plain.words:
        return []
    hits: list[HistoryHit] = []
    others: list[HistoryHit] = []
    for id_, paths in conversations:
        for terms, hit in _in_conversation(id_, paths, exact, None if len(others) >= limit else plain):
            (hits if terms is exact else others).append(hit)
            if len(hits) >= limit:
                return hits
    return [*hits, *others][:limit]


def _terms(query: str, *, accents: bool) -> _Terms:
    return _Terms([search_form(word, accents=accents) for word in query.split()][:_MOST_TERMS], accents)


def _in_conversation(
    id_: str, paths: Sequence[Path], exact: _Terms, plain: _Terms | None
) -> Iterator[tuple[_Terms, HistoryHit]]:
    """Yield the turns with all words, and the terms that match them: ``exact``, else ``plain`` if it is given."""
    contents: dict[Path, bytes] = {}
    for path in paths:
        with suppress(OSError):
            if path.stat().st_size <= LARGEST:
                contents[path] = read_regular(path, LARGEST)
    # Most conversations lack one of the words; a byte search rules them out without parsing any line.
    spoken = [b"\n".join(_after_marks(data)) for data in contents.values()]
    kinds = [terms for terms in (exact, plain) if terms and _may_hold(spoken, terms)]
    if not kinds:
        return
    lines = {path: decode_lines(data.split(b"\n")[:-1], _SPOKEN_PREFIXES) for path, data in contents.items()}
    conversation = fold(merge_files({path: [entry for _, entry in each] for path, each in lines.items()}))
    for turn in reversed(conversation.turns):
        texts = {"owner": "" if turn.kind == "continue" else turn.text, "pet": turn.reply}
        whole = "\n".join(texts.values())
        terms = next((each for each in kinds if each.all_in(whole)), None)
        if terms:
            yield terms, _hit(id_, conversation, turn.id, turn.at, texts, terms)


def _may_hold(spoken: Iterable[bytes], terms: _Terms) -> bool:
    if any(rb"\u" in data for data in spoken):
        return True  # a whole line may be escaped
    texts = [terms.form(data.decode(errors="replace")) for data in spoken]
    # Terms with characters that JSON escapes can't be ruled out by bytes; they are matched after parsing.
    plain = [word for word in terms.words if json.dumps(word, ensure_ascii=False)[1:-1] == word]
    return all(any(word in text for text in texts) for word in plain)


def _after_marks(data: bytes) -> Iterator[bytes]:
    """Yield each message line from its first text field: ids and times before it would match most numeric queries."""
    for line in data.split(b"\n"):
        if line.startswith(_SPOKEN_PREFIXES):
            _, mark, text = line.partition(b'text":"')
            yield text if mark else line


def _hit(
    id_: str, conversation: Conversation, turn: str, at: str, texts: dict[str, str], terms: _Terms
) -> HistoryHit:
    """Return a hit with the snippet of the speaker who matches the most words."""
    who: Literal["owner", "pet"] = "owner"
    if terms.count_in(texts["pet"]) > terms.count_in(texts["owner"]):
        who = "pet"
    snippet = [piece for piece in _snippet(texts[who], terms) if piece.text]
    return HistoryHit(conversation=id_, title=conversation.title, turn=turn, at=at, who=who, snippet=snippet)


def _snippet(text: str, terms: _Terms) -> Iterator[SnippetPiece]:
    """Yield the first match and its surroundings without Markdown; pieces may be empty."""
    text, written = plain_line(text), text
    places = _places(text, terms)
    if not places:  # the match is in the markup, such as a link's address
        text = " ".join(written.split())
        places = _places(text, terms)
    first = places[0][0] if places else 0
    start = max(0, first - _AROUND)
    end = min(len(text), max(first + 2 * _AROUND, start + 3 * _AROUND))
    before = "…" if start else ""
    for at, to in places:
        if start <= at and to <= end:
            yield SnippetPiece(text=before + text[start:at], is_match=False)
            yield SnippetPiece(text=text[at:to], is_match=True)
            before, start = "", to
    yield SnippetPiece(text=before + text[start:end] + ("…" if end < len(text) else ""), is_match=False)


def _places(text: str, terms: _Terms) -> list[tuple[int, int]]:
    """Return match positions in the original text."""
    form, origin = search_form_places(text, accents=terms.accents)
    places: list[tuple[int, int]] = []
    for word in terms.words:
        at = form.find(word)
        while at >= 0:
            places.append((origin[at][0], origin[at + len(word) - 1][1]))
            at = form.find(word, at + len(word))
    apart: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if apart and start < apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return apart
