"""Find what claims that something was or will be remembered: "I've noted it", 我记住了, "lo he apuntado". Pure.

A language is a table of rows, ``data/claims_en.json``: forms of a claim, ``done`` or ``will``, and what makes one of
them no claim (``unless``), by the place in which it is found; ``done_unless`` negates only what is said to be done.
A clause is compared with a language's rows only if its sentence has the ``hint``.
"""

from __future__ import annotations

from collections.abc import Iterator

from pet.language import has_row, pattern_rows
from pet.language.clauses import Clause, clauses, sentences
from pet.language.normalization import to_simplified

LANGUAGES = ("en", "zh", "es")
_LONGEST = 400  # characters of a sentence that is one span
_NEAR = 30


def claims_saved(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of sentences that claim to have saved something, or that it will be remembered; of a very long
    sentence only the clause.

    >>> list(claims_saved("Hi! I've noted it.")), list(claims_saved("Shall I note it?"))
    ([(3, 18)], [])
    """
    for sentence in sentences(text):
        plain = to_simplified(sentence.text)
        tables = [name for each in LANGUAGES if has_row(name := f"claims_{each}.json", "hint", plain)]
        for clause in clauses(sentence) if tables else ():
            if not clause.asks and any(_is_claim(clause, name) for name in tables):
                is_short = sentence.end - sentence.start <= _LONGEST
                yield (sentence.start, sentence.end) if is_short else (clause.start, clause.end)
                break


def _is_claim(clause: Clause, name: str) -> bool:
    text, earlier, later = map(to_simplified, (clause.text, clause.before, clause.after))
    places = {"clause": text, "about": earlier[-_NEAR:] + text}
    for form in ("done", "will"):
        for pattern in pattern_rows(name)[form]:
            for match in pattern.finditer(text):
                before = text[: match.start()]
                for each in pattern_rows(name).get("ignored", ()):
                    before = each.sub("", before)
                places |= {"sentence": f"{earlier} {before}", "before": before, "words": match[0]}
                places["after"] = text[match.end() :] + later
                unless = ("unless", "done_unless") if form == "done" else ("unless",)
                if not any(has_row(name, f"{u}_{place}", part) for u in unless for place, part in places.items()):
                    return True
    return False
