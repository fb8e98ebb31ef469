"""``pet search``: search memory locally, and print likely matches first, then the best few others."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from heapq import merge
from typing import TYPE_CHECKING

from pet.bridge.channel import NotListening
from pet.bridge.commands.terminal import HitView, SearchReply, TerminalCommands, search_view
from pet.bridge.dispatch import CommandFailed
from pet.cli.arguments import Given
from pet.cli.running_pet import meant_program, say_which_runs
from pet.cli.terminal import Terminal, print_json, safe
from pet.errors import EmptySearch
from pet.i18n import Texts
from pet.language.labels import strip_owner
from pet.memory.search.recall_selection import HitSource
from pet.memory.store.split_entries import found_heading
from pet.serde import fields_of
from pet.text.plain_markdown import blocks

if TYPE_CHECKING:
    from pet.memory.search.memory_index import MemoryIndex
    from pet.paths import Home
    from pet.services.pet_files import PetFiles

_EMBED_SECONDS = 20.0
"""Time limit for embedding new entries before the search; others are found by their words."""
_MOST_UNSURE = 3
_MAY_BE = 0.015  # score; less is printed as 0.01 and mostly noise, while from 0.016 on many are what was meant


def search(files: PetFiles, given: Given) -> int:
    """Print the best matches. Return 1 without any. Raises EmptySearch."""
    from pet.memory.search.memory_index import open_index

    if not given.query.strip():
        raise EmptySearch
    with closing(open_index(files.store.root, files.home.cache)) as index:
        index.refresh_words()
        waiting = _embed(index)
        reply = search_view(index, given.query, given.count, files.clock.now().date())
    return print_results(given, files.texts(), files.pet_id, reply, waiting)


def search_running(home: Home, given: Given) -> int | None:
    """Let the running pet search: it has the index loaded. Return None if it doesn't run, else as ``search``. Raises
    EmptySearch."""
    if not given.query.strip():
        raise EmptySearch
    program = meant_program(home, given)
    if program is None:
        return None
    running, status = program
    try:
        reply = running.call(TerminalCommands.search_in_terminal, given.query, given.count)
    except (CommandFailed, NotListening):  # of another version, or it ended meanwhile
        return None
    texts = Texts(status.language)
    say_which_runs(status, given, texts)
    return print_results(given, texts, status.pet, reply, reply.waiting)


def _embed(index: MemoryIndex) -> int:
    """Embed new entries within the time limit. Return how many are pending."""
    until = time.monotonic() + _EMBED_SECONDS
    while index.pending()[0] and time.monotonic() < until:
        if not index.embed_some():
            break
    return index.pending()[0]


def print_results(given: Given, texts: Texts, pet: str, reply: SearchReply, waiting: int) -> int:
    """Print the hits as text or JSON. Return 1 without any. ``waiting``: entries that aren't embedded yet."""
    terminal = Terminal.standard()
    hits = _by_score(reply.hits)
    if waiting:
        terminal.complain(texts("cli.search.waiting", count=waiting))
    if given.json:
        rows = [{name: each for name, each in fields_of(hit).items() if name != "sure"} for hit in hits]
        print_json(terminal, {"pet": pet, "results": rows, "provider": reply.embedder})
    elif not show_hits(terminal, texts, hits):
        terminal.complain(texts("cli.search.nothing"))
        return 1
    return 0 if hits else 1


def show_hits(terminal: Terminal, texts: Texts, hits: Sequence[HitView]) -> bool:
    """Print the hits that are or may be meant, best first of each; return whether there are any."""
    hits = _by_score(hits)
    sure = [hit for hit in hits if hit.sure]
    unsure = [hit for hit in hits if not hit.sure and hit.score >= _MAY_BE][:_MOST_UNSURE]
    for hit in sure:
        _show_hit(terminal, texts, hit)
    if unsure:
        terminal.say(texts("cli.search.perhaps"))
    for hit in unsure:
        _show_hit(terminal, texts, hit)
    return bool(sure or unsure)


def _by_score(hits: Sequence[HitView]) -> list[HitView]:
    """Return notes and utterances in order of score; each kind keeps its own order, which may be that of days."""
    utterances = [hit for hit in hits if hit.source is HitSource.CONVERSATION]
    notes = [hit for hit in hits if hit.source is not HitSource.CONVERSATION]
    return list(merge(notes, utterances, key=lambda hit: -hit.score))


def _show_hit(terminal: Terminal, texts: Texts, hit: HitView) -> None:
    place = terminal.painted(f"{hit.path}:{hit.start_line}-{hit.end_line}", "dim")
    heading = found_heading(hit.heading)
    terminal.say(f"{place}  {texts.number(hit.score, 2)}{f'  {safe(heading)}' if heading else ''}")
    for block in blocks(strip_owner(hit.snippet.removeprefix("- "))):
        for line in f"{block.mark} {block.text}".strip().splitlines():
            terminal.say(f"    {safe(line)}")
