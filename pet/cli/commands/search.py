"""``pet search``: search memory locally, and print likely matches first, then the best few others."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from heapq import merge
from typing import TYPE_CHECKING

from pet.bridge.commands.about_owner import AboutOwnerCommands
from pet.cli.arguments import Given
from pet.cli.format import row_about
from pet.cli.terminal import Terminal, print_json, safe
from pet.errors import EmptySearch
from pet.i18n import Texts
from pet.memory.about_owner import grouped
from pet.memory.daily_log import strip_owner
from pet.memory.entries import found_heading
from pet.memory.recall_selection import Hit, HitSource, is_sure
from pet.serde import to_data
from pet.services.import_records import ImportRecords
from pet.services.provenance import Origin, Provenance
from pet.settings.program_state import machine_id
from pet.text.plain_markdown import blocks
from pet.transcripts.store import TranscriptStore
from pet.workspace.file_names import CONVERSATIONS

if TYPE_CHECKING:
    from pet.memory.memory_index import MemoryIndex
    from pet.services.pet_files import PetFiles

_EMBED_SECONDS = 20.0
"""Time limit for embedding new entries before the search; others are found by their words."""
_MOST_UNSURE = 3
_MAY_BE = 0.015  # score; less is printed as 0.01 and mostly noise, while from 0.016 on many are what was meant


def search(files: PetFiles, given: Given) -> int:
    """Print the best matches. Return 1 without any. Raises EmptySearch."""
    from pet.memory.memory_index import open_index

    if not given.query.strip():
        raise EmptySearch
    with closing(open_index(files.store.root, files.home.cache)) as index:
        index.refresh_words()
        waiting = _embed(index)
        hits = index.search(given.query, given.count, conversations=True)
        embedder = index.embedder
    return print_results(given, files.texts(), files.pet_id, hits, embedder, waiting)


def _embed(index: MemoryIndex) -> int:
    """Embed new entries within the time limit. Return how many are pending."""
    until = time.monotonic() + _EMBED_SECONDS
    while index.pending()[0] and time.monotonic() < until:
        if not index.embed_some():
            break
    return index.pending()[0]


def print_results(
    given: Given, texts: Texts, pet: str, hits: Sequence[Hit], embedder: str | None, waiting: int
) -> int:
    """Print the hits as text or JSON. Return 1 without any. ``waiting``: entries that aren't embedded yet."""
    terminal = Terminal.standard()
    hits = _by_score(hits)
    if waiting:
        terminal.complain(texts("cli.search.waiting", count=waiting))
    if given.json:
        print_json(terminal, {"pet": pet, "results": [to_data(hit) for hit in hits], "provider": embedder})
    elif not show_hits(terminal, texts, hits, given.query):
        terminal.complain(texts("cli.search.nothing"))
        return 1
    return 0 if hits else 1


def show_hits(terminal: Terminal, texts: Texts, hits: Sequence[Hit], query: str) -> bool:
    """Print the hits that are or may be meant, best first of each; return whether there are any."""
    hits = _by_score(hits)
    sure = [hit for hit in hits if is_sure(hit, query)]
    unsure = [hit for hit in hits if hit not in sure and hit.score >= _MAY_BE][:_MOST_UNSURE]
    for hit in sure:
        _show_hit(terminal, texts, hit)
    if unsure:
        terminal.say(texts("cli.search.perhaps"))
    for hit in unsure:
        _show_hit(terminal, texts, hit)
    return bool(sure or unsure)


def _by_score(hits: Sequence[Hit]) -> list[Hit]:
    """Return notes and utterances in order of score; each kind keeps its own order, which may be that of days."""
    utterances = [hit for hit in hits if hit.source is HitSource.CONVERSATION]
    notes = [hit for hit in hits if hit.source is not HitSource.CONVERSATION]
    return list(merge(notes, utterances, key=lambda hit: -hit.score))


def _show_hit(terminal: Terminal, texts: Texts, hit: Hit) -> None:
    place = terminal.painted(f"{hit.path}:{hit.start_line}-{hit.end_line}", "dim")
    heading = found_heading(hit.heading)
    terminal.say(f"{place}  {texts.number(hit.score, 2)}{f'  {safe(heading)}' if heading else ''}")
    for block in blocks(strip_owner(hit.snippet.removeprefix("- "))):
        for line in f"{block.mark} {block.text}".strip().splitlines():
            terminal.say(f"    {safe(line)}")


_MOST = 5  # sentences; of more, the words are too few


def why(files: PetFiles, given: Given) -> int:
    """Print each matching sentence with its origin. Return 1 without any."""
    terminal, texts, store = Terminal.standard(), files.texts(), files.store
    transcripts = TranscriptStore(store.root / CONVERSATIONS, machine_id(files.home.machine_file), files.clock)
    provenance = Provenance(store, transcripts, ImportRecords(files.home.imports_file, files.pet_id))
    page = AboutOwnerCommands(store, provenance)
    matches = [each for those in grouped(page.statements(), given.text or "").values() for each in those]
    results = []
    for each in matches[:_MOST]:
        origin = page.explain_statement(each.file, each.start_line)
        hit = page.find_statement(each.file, each.start_line).statement
        earlier, since = (hit.earlier, hit.since) if hit else ([], "")
        place = {"path": each.file, "start_line": each.start_line, "end_line": each.end_line}
        results.append(
            {
                **place,
                "sentence": each.sentence,
                "origin": to_data(origin),
                "since": since,
                "earlier": [to_data(one) for one in earlier],
            }
        )
        if given.json:
            continue
        before = texts("ui.list.and").join(one.part for one in earlier)
        past = [texts("ui.about.ended", day=hit.day)] if hit and hit.ended else []
        past += [texts("ui.about.since", month=since[:10], text=before)] if earlier else []
        sentence = row_about(each.sentence, past, texts) if past else each.sentence
        terminal.say(f"{safe(sentence)}  {terminal.painted(f'{each.file}:{each.start_line}', 'dim')}")
        terminal.say(f"    {safe(origin_text(origin, each.file, texts))}")
        if origin.quote:
            terminal.say(f"    > {safe(origin.quote)}")
        for one in earlier:
            until = texts("ui.about.until", text=one.sentence, day=one.until[:10])
            terminal.say(f"    {texts('ui.about.before')} {safe(until)}")
    if given.json:
        print_json(terminal, {"pet": files.pet_id, "results": results, "more": max(0, len(matches) - _MOST)})
    elif not matches:
        terminal.complain(texts("cli.why.nothing"))
    elif len(matches) > _MOST:
        terminal.complain(texts("cli.why.more", count=len(matches) - _MOST))
    return 0 if matches else 1


def origin_text(origin: Origin, file: str, texts: Texts) -> str:
    """Return where an entry of a file comes from, in words, without the quote."""
    words = {"day": origin.at[:10], "title": origin.title or origin.conversation, "name": origin.name, "file": file}
    if origin.forgotten:
        return texts("ui.why.forgotten", **words)
    if origin.gone:
        return texts("ui.why.taken_out" if origin.conversation else "ui.why.deleted", **words)
    if origin.kind == "conversation":
        return texts("ui.why.said" if origin.quote else "ui.why.conversation", **words)
    return texts(f"ui.why.{origin.kind}", **words)
