"""``python -m benchmarks [--json] [--only PART] [--rounds N]``: measures and prints one table; it judges nothing."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from pathlib import Path

from benchmarks.instruments.figures import Figure, as_data, table
from benchmarks.parts import (
    agents,
    caching,
    commands,
    conversations,
    local_model,
    parsers,
    prompt,
    quick_ask,
    readers,
    windows,
)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure Soulpet, as ratios in one run."
    )
    parser.add_argument("--json", action="store_true", help="figures as JSON on stdout")
    parts = (
        *("prompt", "caching", "commands", "agents", "conversations", "parsers", "readers"),
        *("local-model", "windows", "quick-ask"),
    )
    parser.add_argument("--only", choices=parts, help="this part alone")
    parser.add_argument("--rounds", type=int, default=3, help="starts of the pet and of the bare page (default 3)")
    parser.add_argument("--model", type=Path, help="a GGUF file for the part local-model (default: a tiny one)")
    asked = parser.parse_args()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="soulpet-bench-") as folder:
        if asked.only in (None, "prompt"):
            _say("prompt")
            figures += prompt.measure(Path(folder))
        if asked.only in (None, "caching"):
            _say("caching")
            figures += caching.measure(Path(folder))
        if asked.only in (None, "commands"):
            figures += commands.measure(Path(folder), rounds=asked.rounds, say=_say)
        if asked.only in (None, "agents"):
            figures += agents.measure(Path(folder), say=_say)
        if asked.only in (None, "conversations"):
            figures += conversations.measure(Path(folder), say=_say)
        if asked.only in (None, "parsers"):
            figures += parsers.measure(_say)
        if asked.only in (None, "readers"):
            figures += readers.measure(_say)
        if asked.only in (None, "local-model"):
            figures += local_model.measure(Path(folder), asked.model and asked.model.resolve(), _say)
        if asked.only in (None, "windows"):
            figures += windows.measure(Path(folder), rounds=asked.rounds, say=_say)
        if asked.only in (None, "quick-ask"):
            figures += quick_ask.measure(Path(folder), say=_say)
    if asked.json:
        print(json.dumps({"machine": _machine(), "figures": as_data(figures)}, indent=2))
    else:
        print(f"\n{_machine()}\n\n{table(figures)}")
    return 0


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def _say(part: str) -> None:
    print(f"measuring: {part}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
