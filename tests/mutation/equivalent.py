"""Mutants that change nothing that can be seen, each with the reason: by target, by line and change."""

from __future__ import annotations

_COMPARED = "The count is only compared with itself: any step and any beginning will do."
_NOBODY_ASKED = "Compared with the answer of the first look, before which no turn has begun."

EQUIVALENT: dict[str, dict[tuple[str, str], str]] = {
    "policy": {
        ("self._recorded: Callable[[], tuple[bool, int]] = lambda: (False, 0)", "0: 0 -> 1"): _COMPARED,
        ("self._seen = (False, 0)  # the last answer", "0: 0 -> 1"): _NOBODY_ASKED,
        ("self._seen = (False, 0)  # the last answer", "False: False -> True"): _NOBODY_ASKED,
        ("self._closings = 0", "0: 0 -> 1"): _COMPARED,
        ("self._closings += 1", "1: 1 -> 2"): _COMPARED,
    },
    "merge": {
        (
            "for block_old, block_new, size in [*matching_blocks(old, new), (len(old), len(new), 0)]:",
            "0: 0 -> 1",
        ): "The end of the last block is never asked for.",
    },
}
