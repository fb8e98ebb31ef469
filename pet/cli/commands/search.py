"""``pet search``: search profile, memory, daily logs, and messages sent while memory was on.

Local; the index is created on demand.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing

from pet.app import App
from pet.cli.arguments import Given, UsageProblem
from pet.cli.terminal import Terminal, print_json, safe
from pet.errors import EmptySearch
from pet.i18n import Texts
from pet.memory.index.memory_index import Hit, MemoryIndex, open_index
from pet.memory.search.results import is_sure
from pet.serde import to_data

_DEFAULT_COUNT = 6  # same as the pet's own search
_MOST = 100
_EMBED_SECONDS = 20.0
"""Time limit for embedding new entries before the search; others are found by their words."""
_MOST_UNSURE = 3


def search(app: App, given: Given) -> int:
    """Print the best matches. Return 1 without any."""
    if not given.words[0].strip():
        raise EmptySearch
    terminal, texts = Terminal.standard(), app.texts()
    count = _count(given)
    with closing(open_index(app.store.root, app.home.cache)) as index:
        index.refresh_words()
        waiting = _embed(index)
        hits = index.search(given.words[0], count, conversations=True)
        embedder = index.embedder
    if waiting:
        terminal.complain(texts("cli.search.waiting", count=waiting))
    if given.has("--json"):
        print_json(terminal, {"pet": app.pet_id, "results": [to_data(hit) for hit in hits], "provider": embedder})
    if hits and not given.has("--json"):
        show_hits(terminal, texts, hits, given.words[0])
    if not hits and not given.has("--json"):
        terminal.complain(texts("cli.search.nothing"))
    return 0 if hits else 1


def show_hits(terminal: Terminal, texts: Texts, hits: Sequence[Hit], query: str) -> None:
    """Print likely matches, then the best few others."""
    sure = [hit for hit in hits if is_sure(hit, query)]
    unsure = [hit for hit in hits if hit not in sure][:_MOST_UNSURE]
    for hit in sure:
        _show_hit(terminal, hit)
    if unsure:
        terminal.say(texts("cli.search.perhaps"))
    for hit in unsure:
        _show_hit(terminal, hit)


def _count(given: Given) -> int:
    value = given.value("-k")
    if value is None:
        return _DEFAULT_COUNT
    if not value.isascii() or not value.isdigit() or not 1 <= int(value) <= _MOST:
        raise UsageProblem("count", command="search", most=str(_MOST))
    return int(value)


def _embed(index: MemoryIndex) -> int:
    """Embed new entries within the time limit. Return how many are pending."""
    until = time.monotonic() + _EMBED_SECONDS
    while index.pending()[0] and time.monotonic() < until:
        if not index.embed_some():
            break
    return index.pending()[0]


def _show_hit(terminal: Terminal, hit: Hit) -> None:
    place = terminal.painted(f"{hit.path}:{hit.start_line}-{hit.end_line}", "dim")
    terminal.say(f"{place}  {hit.score:.2f}")
    for line in hit.snippet.splitlines():
        terminal.say(f"    {safe(line)}")
