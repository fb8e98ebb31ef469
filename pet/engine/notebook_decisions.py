"""Interpret a small model's answer about what to note, and decide what is acted on. Pure.

A small model only adds: whatever it answers, no line of the owner's is replaced. Wishes about the pet (its name, its
manner) lead to a proposal for SOUL.md, never to a write.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pet.engine.claim_sentences import asks_to_remember
from pet.engine.notebook_evidence import ASSERTS_NOTHING, NO_EVIDENCE, STATEMENTS, Evidence
from pet.engine.notebook_lines import naming_words, same
from pet.engine.notebook_wishes import new_name, wants_forgetting, wants_no_note
from pet.language.small_talk import is_small_talk
from pet.memory.shrink_plan import without_mark
from pet.prompt.small_model_prompts import LONGEST_SOUL, Line, is_shown_whole, parse_answer
from pet.text.lazy_pattern import lazy_pattern

_DECIDED = lazy_pattern(r'\s*\{\s*"is"\s*:\s*"(chat|question|task|fact|change|pet)"')

_SURE = 0.8
_ALMOST_SURE = 0.9
_LIKELY = 0.7
_RATHER = 0.6
_HALF = 0.5
_HARDLY = 0.2
"""Probabilities from which evidence counts, chosen on the labelled requests that it was not fitted to."""


@dataclass(frozen=True, slots=True)
class NothingToNote:
    pass


@dataclass(frozen=True, slots=True)
class Note:
    """Add the owner's sentence to today's log. ``older``: the 0-based place of the line that seems to answer the same
    question, which the owner may replace; None without one."""

    older: int | None = None


@dataclass(frozen=True, slots=True)
class Soul:
    pass


Decision = NothingToNote | Note | Soul


@dataclass(frozen=True, slots=True)
class SoulChange:
    """One more line of the soul. ``line``: the place of the line before it, in the order shown to the model."""

    line: int
    new: str


def needs_no_question(message: str, evidence: Evidence = NO_EVIDENCE) -> bool:
    """Whether the message holds nothing to note, so that the question is skipped."""
    if not message.strip() or is_small_talk(message):
        return True
    return is_wish_to_forget(message, evidence) or wants_no_note(message)


def is_wish_to_forget(message: str, evidence: Evidence = NO_EVIDENCE) -> bool:
    """Whether the message requests that something noted be erased, by its words or by what it resembles."""
    if wants_forgetting(message):
        return True
    return evidence.chance_of("forget") >= _SURE and not asks_to_remember(message)


def is_wish_to_remember(message: str, evidence: Evidence = NO_EVIDENCE) -> bool:
    """Whether the message requests that something be remembered, by its words or by what it resembles."""
    if asks_to_remember(message):
        return True
    return evidence.chance_of("wish") >= _HALF and not wants_forgetting(message)


def notes_first(message: str, evidence: Evidence = NO_EVIDENCE) -> bool:
    """Whether the message wishes something noted, forgotten or changed of the pet, so that the reply has to know what
    was written."""
    if is_wish_to_remember(message, evidence) or is_wish_to_forget(message, evidence):
        return True
    return _is_of_the_pet(message, evidence)


def is_decided(answer: str, evidence: Evidence = NO_EVIDENCE) -> bool:
    """Whether the beginning of an answer is decisive: its further fields are not used."""
    begun = _DECIDED.match(answer)
    return begun is not None and (begun[1] != "change" or bool(evidence.replaced))


def read_decision(answer: str, count: int) -> Decision | None:
    """Return the decision in an answer to the question with ``count`` lines; None if it is invalid."""
    fields = parse_answer(answer if "}" in answer or not _DECIDED.match(answer) else answer + "}")
    if fields is None:
        return None
    match fields.get("is"):
        case "chat" | "question" | "task":
            return NothingToNote()
        case "fact":
            return Note()
        case "pet":
            return Soul()
        case "change":
            return Note(_number(fields.get("line"), count))
    return None


def read_soul_change(answer: str, count: int) -> SoulChange | None:
    """Return the change in an answer about a soul of ``count`` lines; None if it is invalid."""
    fields = parse_answer(answer)
    if fields is None:
        return None
    line, new = _number(fields.get("line"), count), _one_line(fields.get("new"), LONGEST_SOUL)
    return SoulChange(line, new) if line is not None and new else None


def is_copied_soul(new: str, message: str, lines: Sequence[Line], examples: Sequence[str]) -> bool:
    """Whether a new line of the soul repeats one of its ``lines``, the message, or an example that the message has no
    word of."""
    if any(same(without_mark(new), without_mark(line.text)) for line in lines) or same(new, message):
        return True
    strange = not naming_words(new) & naming_words(message)
    return strange and any(same(without_mark(new), without_mark(example)) for example in examples)


def settle(
    decision: Decision | None, message: str, lines: Sequence[Line], evidence: Evidence = NO_EVIDENCE
) -> Decision:
    """Return the final decision. The owner's request to remember overrides the model's answer; otherwise the kind of
    the message does where it is clear."""
    if is_wish_to_remember(message, evidence):
        return _note(decision, message, lines, evidence)
    if _is_of_the_pet(message, evidence):
        return Soul()
    asks = evidence is NO_EVIDENCE and message.rstrip().endswith(("?", "？"))
    if decision is None or asks or evidence.chance_of(*ASSERTS_NOTHING) >= _LIKELY:
        return NothingToNote()
    asserts = evidence.chance_of(*STATEMENTS)
    match decision:
        case NothingToNote():
            noted = asserts >= _SURE
        case Soul():
            noted = asserts >= _RATHER and evidence.chance_of("soul") < _HARDLY
        case _:
            noted = True
    return _note(decision, message, lines, evidence) if noted else decision


def _is_of_the_pet(message: str, evidence: Evidence) -> bool:
    return new_name(message) is not None or evidence.chance_of("soul") >= _ALMOST_SURE


def _note(decision: Decision | None, message: str, lines: Sequence[Line], evidence: Evidence) -> Note:
    """Return a note, with the line whose question it seems to answer: by the evidence, or without any by the model's
    answer, if the line has a word of the message."""
    if evidence.replaced:
        place = max(range(len(evidence.replaced)), key=evidence.replaced.__getitem__)
        likely = evidence.replaced[place] >= _SURE
    else:
        named = decision.older if isinstance(decision, Note) else None
        place = -1 if named is None else named
        likely = named is not None and bool(naming_words(lines[named].text) & naming_words(message))
    return Note(place if likely and is_shown_whole(lines[place]) else None)


def _number(value: object, count: int) -> int | None:
    """Return a 1-based line number as a 0-based place; None if it is invalid."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= count:
        return None
    return value - 1


def _one_line(value: object, longest: int) -> str:
    if not isinstance(value, str) or "\0" in value:
        return ""
    text = " ".join(value.split())
    return text if len(text) <= longest else ""
