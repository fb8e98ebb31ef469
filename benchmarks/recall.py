"""What goes along with a message, through the whole engine: the labelled questions of ``tests/memory/recall_set``.

``python -m benchmarks.recall [--sizes 20 300] [--every N] [--talks N]`` starts the real program core on a provider
that keeps each request, tells it to embed a memory of so many notes, and sends every question in a conversation of
its own. ``--talks``: so many earlier conversations about the notes. Counted is whether the right note stands in what
the request carries, and the characters of what was recalled.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pet.app import App, compose
from pet.model import ContextPart, Request
from pet.paths import find_home
from pet.providers.scripted import ScriptedProvider, say
from tests.memory.recall_set.conversations import write_conversations
from tests.memory.recall_set.workspaces import (
    OWNERS,
    asks_for_nothing,
    memories,
    questions_of,
    write_logs,
)

Row = tuple[str, bool, int]  # kind of message, whether the right note went along, characters recalled


def measure(owner: str, notes: Sequence[str], every: int, talks: int) -> list[Row]:
    """Put every ``every``-th message to one memory."""
    messages: list[tuple[str, str, str]] = [
        (each.kind, each.message, each.fact) for each in questions_of(owner) if each.fact in notes
    ]
    messages = messages[::every] + [("nothing", message, "") for message in asks_for_nothing()[::every]]
    with tempfile.TemporaryDirectory() as folder:
        provider = ScriptedProvider(*(say("I see.") for _ in messages))
        app = compose(find_home(Path(folder)), environ={}, provider=provider, channel="terminal", look_up_seconds=30)
        try:
            write_logs(app.store.root, notes)
            if talks:
                about = [each for each in questions_of(owner) if each.fact in notes]
                write_conversations(app.store.root, about, talks)
            app.index.get().refresh()
            return [_ask(app, provider, *each) for each in messages]
        finally:
            app.close()


def _ask(app: App, provider: ScriptedProvider, kind: str, message: str, fact: str) -> Row:
    chat = app.conversations.create(memory=True)
    chat.send(message)
    chat.wait(60)
    request = provider.requests[-1]
    everything = "\n".join(text for _, text in _context(request))
    return (
        kind,
        bool(fact) and fact in everything,
        sum(len(text) for name, text in _context(request) if name == "recall"),
    )


def _context(request: Request) -> list[tuple[str, str]]:
    """Kind and text of what stands beside the newest message."""
    return [(part.kind, part.text) for part in request.messages[-1].parts if isinstance(part, ContextPart)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 300])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--talks", type=int, default=0)
    parser.add_argument("--owners", nargs="+", default=list(OWNERS), choices=list(OWNERS))
    given = parser.parse_args()
    print("| notes | message | n | right note sent | characters | sends something |\n|---|---|---|---|---|---|")
    for size in given.sizes:
        rows: list[Row] = []
        for owner in given.owners:
            for notes in memories(owner, size):
                rows += measure(owner, notes, given.every, given.talks)
                print(f"{owner}, {size} notes", file=sys.stderr)
        for kind in sorted({row[0] for row in rows}):
            these = [row for row in rows if row[0] == kind]
            right = f"{statistics.fmean(row[1] for row in these):.3f}" if kind != "nothing" else ""
            characters = statistics.fmean(row[2] for row in these)
            some = statistics.fmean(row[2] > 0 for row in these)
            print(f"| {size} | {kind} | {len(these)} | {right} | {characters:.0f} | {some:.3f} |")


if __name__ == "__main__":
    main()
