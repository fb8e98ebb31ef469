"""Cost of the input of a long conversation with our cache breakpoints, against the same requests without any.

Prices are those of the Messages API in base input tokens: a read 0.1, a five-minute write 1.25 (2026-11). The cache
is simulated as the API documents it: a breakpoint finds the longest prefix that was written at one of the 20 blocks
before it, and prefixes under 1,024 tokens are not kept.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.instruments.figures import Figure
from benchmarks.parts.prompt import prose
from pet.app import Pet
from pet.model import CoreFile, Request
from pet.paths import find_home
from pet.providers.anthropic_messages import encode_request
from pet.text.token_estimate import estimate_tokens
from tests.support.models.scripted import ScriptedProvider, call, say

READ, WRITE = 0.1, 1.25
_LOOK_BACK = 20  # blocks
_LEAST = 1_024  # tokens
_TURNS = 20
_EDITED = (5, 10, 15)  # turns in which the pet changes MEMORY.md
_SIZES = (6_000, 19_000)  # characters in each core file: some months of memories, and full files


def measure(folder: Path) -> list[Figure]:
    return [_cost(folder / f"caching-{size}", size) for size in _SIZES]


def _cost(folder: Path, size: int) -> Figure:
    requests = _conversation(folder, size)
    cache = _Cache()
    cost = sum(cache.cost(request) for request in requests)
    edits = f"{len(_EDITED)} memory edits"
    return Figure(
        name=f"input of {_TURNS} turns with {edits}, files of {size} characters, {len(requests)} requests",
        value=cost,
        unit="tokens",
        reach="0.17",
        baseline=float(sum(sum(tokens for _, tokens in _blocks(request)) for request in requests)),
        baseline_name="without caching",
    )


def _conversation(folder: Path, size: int) -> list[Request]:
    """The requests that our engine really makes."""
    model = ScriptedProvider()
    app = Pet(find_home(folder), environ={}, provider=model, channel="terminal")
    try:
        app.settings.change({"upkeep": False})  # full files would be tidied, so that less is sent
        _fill(app, size)
        chat = app.conversations.create(memory=True)
        for turn in range(1, _TURNS + 1):
            if turn in _EDITED:
                line = prose(turn, 80)
                arguments = {"path": "MEMORY.md", "old_text": _MARK, "new_text": f"\n{line.strip()}{_MARK}"}
                model.queue(call("edit", arguments))
            model.queue(say(prose(100 + turn, 700)))
            chat.send(prose(200 + turn, 300))
            chat.wait(30)
        return list(model.requests)
    finally:
        app.close()


_MARK = "\nEnd of the list\n"


def _fill(app: Pet, size: int) -> None:
    for seed, name in enumerate(CoreFile):
        end = _MARK if name is CoreFile.MEMORY else ""
        (app.store.root / name).write_text(prose(seed, size) + end, encoding="utf-8")


@dataclass(slots=True)
class _Cache:
    written: set[str] = field(default_factory=set)

    def cost(self, request: Request) -> float:
        """In base input tokens; what the request leaves in the cache is there for the next."""
        blocks = _blocks(request)
        marked = _marked(request)
        prefixes, sizes = _prefixes(blocks)
        hit = 0
        for place in marked:
            for back in range(place, max(place - _LOOK_BACK, -1), -1):
                if prefixes[back] in self.written:
                    hit = max(hit, sizes[back])
                    break
        kept = [place for place in marked if sizes[place] >= _LEAST]
        self.written.update(prefixes[place] for place in kept)
        end = max((sizes[place] for place in kept), default=0)
        total = sizes[-1]
        return READ * hit + WRITE * max(0, end - hit) + (total - max(end, hit))


def _parts(request: Request) -> list[Any]:
    encoded = encode_request(request)
    messages = [block for message in encoded["messages"] for block in message["content"]]
    return [encoded.get("tools", []), *encoded.get("system", []), *messages]


def _blocks(request: Request) -> list[tuple[str, int]]:
    """Each block as bytes that are compared, with its tokens; the tools are the first."""
    found = []
    for part in _parts(request):
        plain = (
            {name: value for name, value in part.items() if name != "cache_control"}
            if isinstance(part, dict)
            else part
        )
        text = json.dumps(plain, ensure_ascii=False)
        found.append((text, estimate_tokens(text)))
    return found


def _marked(request: Request) -> list[int]:
    return [at for at, part in enumerate(_parts(request)) if isinstance(part, dict) and "cache_control" in part]


def _prefixes(blocks: list[tuple[str, int]]) -> tuple[list[str], list[int]]:
    running, total = hashlib.sha256(), 0
    prefixes: list[str] = []
    sizes: list[int] = []
    for text, tokens in blocks:
        running.update(text.encode() + b"\0")
        total += tokens
        prefixes.append(running.hexdigest())
        sizes.append(total)
    return prefixes, sizes
