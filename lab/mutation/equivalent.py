"""Mutants that change nothing that can be seen, each with the reason: by target, by line and change."""

from __future__ import annotations

_COMPARED = "The count is only compared with itself: any step and any beginning will do."
_NOBODY_ASKED = "Compared with the answer of the first look, before which no turn has begun."
_LIMIT = "No log and no version is as large."
_FIRST_LINE = "Differs for an empty first line only, which is no heading."
_FIRST_UNIT = "The unit on the first line has dropped the empty lines behind it already."
_SHORTCUT = "A shortcut: without it the same is found out at length."

EQUIVALENT: dict[str, dict[tuple[str, str], str]] = {
    "policy": {
        ("self._recorded: Callable[[], tuple[bool, int]] = lambda: (False, 0)", "0: 0 -> 1"): _COMPARED,
        ("self._seen = (False, 0)  # the last result of ``_recorded``", "0: 0 -> 1"): _NOBODY_ASKED,
        ("self._seen = (False, 0)  # the last result of ``_recorded``", "False: False -> True"): _NOBODY_ASKED,
        ("self._closings = 0", "0: 0 -> 1"): _COMPARED,
        ("self._closings += 1", "1: 1 -> 2"): _COMPARED,
    },
    "history": {
        ("NO_LIMIT = 1 << 31", "1: 1 -> 2"): _LIMIT,
        ("NO_LIMIT = 1 << 31", "31: 31 -> 32"): _LIMIT,
        ('return line | ({} if entry.done else {"pending": True})', "True: True -> False"): "Only the name is read.",
        (
            'return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\\n"',
            "False: False -> True",
        ): "Another spelling of the same JSON.",
    },
    "forgetting": {
        ("while above >= 1 and not lines[above - 1].strip():", "above >= 1: GtE -> Gt"): _FIRST_LINE,
        ("while above >= 1 and not lines[above - 1].strip():", "1: 1 -> 2"): _FIRST_LINE,
        ("while before >= 0 and before in dropped:", "before >= 0: GtE -> Gt"): _FIRST_UNIT,
        ("while before >= 0 and before in dropped:", "0: 0 -> 1"): _FIRST_UNIT,
        ("at = whole.find(wanted, at + 1)", "1: 1 -> 2"): (
            "Found again one character on, it is one letter repeated: within the same line."
        ),
    },
    "redaction": {
        ("if not secrets or not known:", "not secrets or not known: or -> and"): _SHORTCUT,
        (
            "elif secret.end > kept[-1].end:  # they overlap: the first one's kind counts",
            "secret.end > kept[-1].end: Gt -> GtE",
        ): ("Where both ends are equal the same end is set."),
        (
            "return any(word in low for word in _words()) or _DIGITS.search(text) is not None",
            "word in low: In -> NotIn",
        ): (_SHORTCUT),
        (
            "before = text[max(0, match.start() - 24) : match.start()]",
            "24: 24 -> 25",
        ): "The longest word and what may stand between are 20 characters.",
    },
    "merge": {
        ("_WORK = 600_000", "600000: 600000 -> 600001"): "A budget: one step more is seen nowhere.",
        (
            "for block_old, block_new, size in [*matching_blocks(old, new), (len(old), len(new), 0)]:",
            "0: 0 -> 1",
        ): "The end of the last block is never asked for.",
        (
            "if len(old) + len(new) > _MOST_LINES:",
            "len(old) + len(new) > _MOST_LINES: Gt -> GtE",
        ): "Both ways of matching are right, and one line more is as much work.",
        (
            "if len(in_new) < len(in_old):",
            "len(in_new) < len(in_old): Lt -> LtE",
        ): "Of two equally many lines either is counted.",
        ("self._left -= 2 + at - start", "2 + at: + <-> -"): "A budget: a little more or less work is seen nowhere.",
        ("if next_a > a + 1 and next_b > b + 1:", "a + 1: + <-> -"): _SHORTCUT,
        ("if next_a > a + 1 and next_b > b + 1:", "b + 1: + <-> -"): _SHORTCUT,
    },
}
