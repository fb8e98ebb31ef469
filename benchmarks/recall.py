"""Measure recall on the wire: the labelled questions of ``tests/memory/search/recall_set``.

``python -m benchmarks.recall [--sizes 20 300] [--every N] [--talks N]`` starts the real program core and the real
HTTP provider against a server on this machine, has it embed a memory of ``--sizes`` notes, and sends every question
in a separate conversation. ``--talks``: number of earlier conversations about the notes. ``--seconds 0.15``: only the
time that a message has in the program. Counts whether the right note is in the body of the HTTP request, and the
recalled characters. ``--owners held_out`` asks an owner to whom nothing was fitted, ``unseen_en``, ``unseen_zh`` and
``unseen_mixed`` three more, ``judged_*`` and ``last_*`` another six, ``final_*`` and ``new_*`` three each, asked
once, when nothing was changed any more. ``--capture FILE`` writes the recalled text for ten of the questions in other
words or the other language.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pet.app import Pet
from pet.paths import find_home
from pet.providers.anthropic_provider import AnthropicProvider
from pet.settings.api_keys import ApiKey
from tests.memory.search.recall_set.conversations import write_conversations
from tests.memory.search.recall_set.workspaces import (
    FINAL,
    HELD_OUT,
    JUDGED,
    NEW,
    OWNERS,
    UNSEEN,
    asks_for_nothing,
    memories,
    questions_of,
    write_logs,
)
from tests.support.servers.protocol_replies import stream
from tests.support.servers.protocol_server import ProtocolServer

Row = tuple[str, bool, int]  # kind of message, whether the right note went along, characters recalled


_RECALLED = re.compile(r'\[[^\]]+\]\n<pet-file name="recall">\n.*?\n</pet-file>', re.DOTALL)


def measure(
    owner: str, notes: Sequence[str], every: int, talks: int, seconds: float, captured: list[str]
) -> list[Row]:
    """Put every ``every``-th message to one memory. ``captured``: grows by messages with what went along."""
    messages: list[tuple[str, str, str]] = [
        (each.kind, each.message, each.fact) for each in questions_of(owner) if each.fact in notes
    ]
    messages = messages[::every] + [("nothing", message, "") for message in asks_for_nothing(owner)[::every]]
    with tempfile.TemporaryDirectory() as folder, ProtocolServer(default=stream("I see.")) as server:
        provider = AnthropicProvider(server.url, ApiKey("a key of no account"))
        app = Pet(find_home(Path(folder)), environ={}, provider=provider, channel="terminal", recall_seconds=seconds)
        try:
            write_logs(app.store.root, notes)
            if talks:
                about = [each for each in questions_of(owner) if each.fact in notes]
                write_conversations(app.store.root, about, talks)
            app.index.get().refresh()
            app.index.get().search("warm up", 1)
            rows = []
            for kind, message, fact in messages:
                recalled = _ask(app, server, message)
                rows.append((kind, bool(fact) and fact in recalled, len(recalled)))
                if kind in ("other_words", "other_language"):
                    captured.append(f"> {message}\n\n```\n{recalled or '(nothing)'}\n```\n")
            return rows
        finally:
            app.close()


def _ask(app: Pet, server: ProtocolServer, message: str) -> str:
    """Return the section of recalled entries in the body of the request."""
    chat = app.conversations.create(memory=True)
    chat.send(message)
    chat.wait(60)
    app.conversations.delete(chat.id)  # the next question finds the memory as if this one had never been asked
    found = _RECALLED.search(server.messages[-1].last_text())
    return found[0] if found else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 300])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--talks", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--capture", type=Path)
    parser.add_argument(
        "--owners", nargs="+", default=list(OWNERS), choices=[*OWNERS, HELD_OUT, *UNSEEN, *JUDGED, *FINAL, *NEW]
    )
    given = parser.parse_args()
    print("| notes | message | n | right note sent | characters | sends something |\n|---|---|---|---|---|---|")
    captured: list[str] = []
    for size in given.sizes:
        rows: list[Row] = []
        for owner in given.owners:
            for notes in memories(owner, size):
                rows += measure(owner, notes, given.every, given.talks, given.seconds, captured)
                print(f"{owner}, {size} notes", file=sys.stderr)
        for kind in sorted({row[0] for row in rows}):
            these = [row for row in rows if row[0] == kind]
            right = f"{statistics.fmean(row[1] for row in these):.3f}" if kind != "nothing" else ""
            characters = statistics.fmean(row[2] for row in these)
            some = statistics.fmean(row[2] > 0 for row in these)
            print(f"| {size} | {kind} | {len(these)} | {right} | {characters:.0f} | {some:.3f} |")
    if given.capture:
        given.capture.write_text("\n".join(captured[: 3 * 10 : 3]), encoding="utf-8")


if __name__ == "__main__":
    main()
