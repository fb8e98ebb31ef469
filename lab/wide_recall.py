"""``python -m lab.wide_recall [NAME …]``: print what is recalled for invented owners with 120 other notes each.

The owners are those of ``tests/memory/search/recall_set/wide.py``; without names the six of its test.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections import defaultdict
from contextlib import closing
from pathlib import Path

from pet.memory.search.memory_index import open_index
from tests.memory.search.recall_set.wide import FITTED, LATER, Kind, rates, write_wide

_OTHER_NOTES = 120


def main() -> None:
    """Print a table of what is recalled, for all owners together."""
    every: dict[Kind, list[float]] = defaultdict(list)
    lines: dict[Kind, list[int]] = defaultdict(list)
    for owner in sys.argv[1:] or (*FITTED, *LATER):
        with tempfile.TemporaryDirectory() as folder:
            write_wide(Path(folder, "pet"), owner, _OTHER_NOTES)
            with closing(open_index(Path(folder, "pet"), Path(folder, "cache"))) as index:
                index.refresh()
                for kind, shares in rates(index, owner, lines).items():
                    every[kind] += shares
    print("| message | n | right notes sent | all of them | lines |\n|---|---|---|---|---|")
    for kind, shares in sorted(every.items()):
        whole = shares.count(1.0) / len(shares)
        sent = statistics.fmean(lines[kind])
        print(f"| {kind} | {len(shares)} | {statistics.fmean(shares):.3f} | {whole:.3f} | {sent:.1f} |")


if __name__ == "__main__":
    main()
