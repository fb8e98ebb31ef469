"""Interpret a small model's answer about what to note, and decide what is acted on. Pure.

An answer that is not exactly one of the six becomes None. A correction of a line it does not resemble, or with words
that are not the owner's, becomes a note of the owner's own sentence. Wishes about the pet (its name, its manner) lead
to a proposal for SOUL.md, never to a write.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pet.engine.claim_sentences import asks_to_remember
from pet.engine.notebook_corrections import (
    alike,
    bare,
    fits,
    fitting_lines,
    has_own_subject,
    introduced,
    is_uncertain,
    label,
    message_clauses,
    naming_words,
    own_sentence,
    persons,
    same,
    shared_matter,
    with_value_of,
    without_lead,
)
from pet.engine.notebook_evidence import (
    ASSERTS_NOTHING,
    NO_EVIDENCE,
    STATEMENTS,
    Evidence,
    exchanged,
    owners_name,
)
from pet.engine.notebook_wishes import is_about_the_pet, renames, wants_forgetting, wants_no_note
from pet.language import pattern_rows
from pet.language.small_talk import is_small_talk
from pet.memory.shrink_plan import without_mark
from pet.prompt.small_model_prompts import LONGEST_NEW, LONGEST_SOUL, Line, is_shown_whole, parse_answer
from pet.text.lazy_pattern import lazy_pattern

_LONGEST_WISH = 1_000  # characters examined of a message: the patterns take quadratic time
_ALIKE = 0.6
_LITTLE = 0.4
_LONGEST = 400  # characters examined of a sentence
_SHARED = 2  # words that a line beside the named one shares with the message
_CLEARLY = 0.2  # similarity by which another line must exceed the named one
_DECIDED = lazy_pattern(r'\s*\{\s*"is"\s*:\s*"(?:chat|question|task|fact|pet)"')
_QUESTION = lazy_pattern(r"[?？]\s*$")
_ASKS = lazy_pattern(
    r"(?:what|who|whose|when|where|why|how|which|do you|did you|are you|have you|is your)\b"
    r"|.*(?:什么|谁|哪|几岁|多大)[^，。]*$",
    re.I,
)
_UNMARKED = lazy_pattern(
    r"(?:(?:and|so|hey|ok|hm+|by the way|btw|tell me|remind me|do you know|any idea)[ ,]+)*"
    r"(?:(?:what|who|whose|where|when|why|which|how)(?:['’]s| is| are| was| were| do| does| did| can| could"
    r"| should| would"
    r"| will| have| has| many| much| long| old| far| often| about| come)\b"
    r"|(?:is|are|was|were) (?:it|there|that|this|my|the|your) |(?:do|does|did|should|can|may|shall) (?:i|we"
    r"|they|he|she|my)\b"
    r"|(?:do|did|are|have) you )(?!.*[.!]\s)[^.!]*$"
    r"|(?!.*[。！!])(?:.*(?:吗|么|来着|是不是|有没有|能不能)[?？]?|(?:.*[，, ])?[^，,]*(?:怎么[^，。样]|怎样"
    r"|为什么|为啥|几点|几号|几岁"
    r"|多少|多大|多久|[吃喝穿送买做看去点](?:什么|啥)|哪[里儿个天些年]|谁是|什么时候|什么是|是什么|叫什么|是谁"
    r"|在哪)[^，。]*)$",
    re.I,
)
_SELF_STATEMENT = lazy_pattern(
    r"(?:i(?:['’](?:ve|m|ll))?|my|we(?:['’](?:ve|re|ll))?|our)\b|我(?!想|要|需要)"
    r"|(?:yo|soy|tengo|vivo|trabajo|toco|juego|estudio|mi|mis|nuestr[oa]s?|me (?:gusta|encanta|llamo|duele)\w*)\b",
    re.I,
)
_WANTS = lazy_pattern(
    r"\b(?:need|want|wonder\w*|looking for|would like|i['’]d like|you|please|necesito|quiero"
    r"|puedes|podrías|por favor)\b|[想要]你|需要|帮我|给我|[请你]",
    re.I,
)
_CALL_ME = lazy_pattern(
    r"\bcalls? me\b|\bmy name\b|\bll[aá]m(?:ame|arme)\b|\bme llamo\b|叫我|我(?:的名字|叫)|称呼我", re.I
)
"""The owner's name, not the pet's."""


UNASSERTED = "unasserted.json"
"""Rows of a pattern with a message that it matches and one that it does not, by what they are and language."""


_WHOLE = ("hypothesis", "jest", "denial", "quote")
"""A message asserts nothing if each sentence is of one of these kinds, or follows from a hypothesis."""


def is_unasserted(kind: str, text: str) -> bool:
    """Whether the text matches a row of this kind in ``unasserted.json``: a passing mood as a whole, a task from its
    beginning."""
    if kind == "passing":
        return any(pattern.fullmatch(text.rstrip(".!。！~…")) for pattern in pattern_rows(UNASSERTED)[kind])
    if kind == "task":
        return any(pattern.match(text) for pattern in pattern_rows(UNASSERTED)[kind])
    return any(pattern.search(text) for pattern in pattern_rows(UNASSERTED)[kind])


def asserts_nothing(message: str) -> bool:
    """Whether the message is a text to work on, or only hypotheses, jokes, denials and quotes of others.

    >>> asserts_nothing("Imagine I had a crocodile."), asserts_nothing("I have a crocodile.")
    (True, False)
    """
    text = message.replace("\u2019", "'").strip()[:_LONGEST_WISH]
    if is_unasserted("material", text) or is_unasserted("retraction", text):
        return True
    if not any(is_unasserted(kind, text) for kind in _WHOLE):
        return False
    supposed = is_unasserted("hypothesis", text)
    return all(
        _asks(each)
        or any(is_unasserted(kind, each) for kind in _WHOLE)
        or (supposed and is_unasserted("consequence", each))
        for each in _sentences(_closed(text))
    )


def _closed(text: str) -> str:
    """Return the text with a quote's own full stops left out, so that it stays one sentence."""
    return re.sub(r"[.!?。！？]+(?=[\"\u201d\u300d\u00bb])", "", text)


@dataclass(frozen=True, slots=True)
class NothingToNote:
    """No note. ``task``: the model classified the message as a task."""

    task: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    pass


@dataclass(frozen=True, slots=True)
class Correct:
    """Replace a line. ``line``: its 0-based place in the numbered list; ``new`` without a date."""

    line: int
    new: str


@dataclass(frozen=True, slots=True)
class Soul:
    pass


Decision = NothingToNote | Note | Correct | Soul


@dataclass(frozen=True, slots=True)
class SoulChange:
    """One more line of the soul. ``line``: the place of the line before it, in the order shown to the model."""

    line: int
    new: str


_SURE = 0.8
_ALMOST_SURE = 0.9
_LIKELY = 0.7
_RATHER = 0.6
_HALF = 0.5
_HARDLY = 0.2
"""Probabilities from which evidence counts, chosen on the labelled requests that it was not fitted to."""


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
    likely = evidence.chance_of("wish") >= _HALF and not wants_forgetting(message)
    return likely and not (is_about_the_pet(message) or asserts_nothing(message) or _CALL_ME.search(message))


def notes_first(message: str, evidence: Evidence = NO_EVIDENCE) -> bool:
    """Whether the message wishes something noted, forgotten or changed of the pet, so that the reply has to know what
    was written."""
    if is_wish_to_remember(message, evidence) or is_wish_to_forget(message, evidence):
        return True
    return is_about_the_pet(message) or renames(message) or evidence.chance_of("soul") >= _ALMOST_SURE


def is_decided(answer: str) -> bool:
    """Whether the beginning of an answer is decisive: a kind that has no further fields."""
    return _DECIDED.match(answer) is not None


def read_decision(answer: str, count: int) -> Decision | None:
    """Return the decision in an answer to the question with ``count`` lines; None if it is invalid."""
    fields = parse_answer(answer if "}" in answer or not is_decided(answer) else answer + "}")
    if fields is None:
        return None
    match fields.get("is"):
        case "chat" | "question":
            return NothingToNote()
        case "task":
            return NothingToNote(task=True)
        case "fact":
            return Note()
        case "pet":
            return Soul()
        case "change":
            return _correction(fields, count)
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
    """Return the final decision. The owner's explicit request to remember overrides the model's answer, and a plain
    question or task is never noted. What the rules leave open is decided by the evidence."""
    ruled = _settled_by_rules(decision, message, lines)
    of_the_pet = isinstance(ruled, Soul) and (is_about_the_pet(message) or renames(message))
    if evidence is NO_EVIDENCE or of_the_pet or _CALL_ME.search(message):
        return ruled
    requested, asserts = is_wish_to_remember(message, evidence), evidence.chance_of(*STATEMENTS)
    if isinstance(ruled, NothingToNote):
        missed = decision is not None and asserts >= _SURE
        missed = missed and not (_only_asks(message) or asserts_nothing(message))
        if not requested and not missed:
            return Soul() if evidence.chance_of("soul") >= _ALMOST_SURE else ruled
        ruled = Note()
    elif not requested and evidence.chance_of(*ASSERTS_NOTHING) >= _LIKELY:
        return NothingToNote()
    elif isinstance(ruled, Soul) and asserts >= _RATHER and evidence.chance_of("soul") < _HARDLY:
        ruled = Note()
    elif isinstance(ruled, Note) and not requested and evidence.chance_of("soul") >= _ALMOST_SURE:
        return Soul()
    elif isinstance(ruled, Correct) and _is_unlikely(ruled, evidence) and not _evident(message, lines):
        return Note()
    changes = isinstance(ruled, Note) and not requested and evidence.chance_of("change") >= _HARDLY
    return (_replacement(message, lines, evidence) or ruled) if changes else ruled


def _is_unlikely(correction: Correct, evidence: Evidence) -> bool:
    """Whether neither the kind of the message nor its nearness to the line speaks for a correction."""
    near = evidence.replaced[correction.line] if evidence.replaced else 1.0
    return near < _HARDLY and evidence.chance_of("change") < _HARDLY


def _replacement(message: str, lines: Sequence[Line], evidence: Evidence) -> Correct | None:
    """Return the correction of the line that the evidence says is replaced, by the owner's sentence; None unless it
    is about nobody else."""
    place = max(range(len(evidence.replaced)), key=evidence.replaced.__getitem__, default=-1)
    if place < 0 or evidence.replaced[place] < _ALMOST_SURE or is_uncertain(message):
        return None
    old = bare(lines[place].text)
    sentence = introduced(own_sentence(message), old)
    if not sentence or not is_shown_whole(lines[place]) or persons(message) - persons(old):
        return None
    return Correct(place, sentence)


def _settled_by_rules(decision: Decision | None, message: str, lines: Sequence[Line]) -> Decision:
    requested = asks_to_remember(message)
    if is_about_the_pet(message) and not requested:
        return Soul()
    if not requested and asserts_nothing(message):
        return NothingToNote()
    if isinstance(decision, Note | Correct) and renames(message) and not _only_asks(message):
        return Soul()  # the pet's name, not the owner's
    if (
        isinstance(decision, Note | Correct | Soul)
        and not _only_asks(message)
        and (evident := _evident(message, lines))
    ):
        return evident
    match decision:
        case None | NothingToNote():
            is_statement = isinstance(decision, NothingToNote) and decision.task and _is_self_statement(message)
            return Note() if requested or is_statement else NothingToNote()
        case Note():
            return Note() if requested or not _only_asks(message) else NothingToNote()
        case Correct():
            return _settled(decision, message, lines) if requested or not _only_asks(message) else NothingToNote()
        case Soul():
            if all(_asks(each) for each in _sentences(message)):
                return NothingToNote()
            own = _CALL_ME.search(message) or _is_self_statement(message)  # the owner's name, or what they are like
            return Note() if own and not renames(message) else decision


def settle_wish(message: str, lines: Sequence[Line], evidence: Evidence = NO_EVIDENCE) -> Decision:
    """Return the decision about a request to remember, without a model's answer: nothing is awaited that a stop could
    interrupt."""
    near = fitting_lines([bare(line.text) for line in lines], message)
    return settle(Correct(near[0], bare(lines[near[0]].text)) if near else Note(), message, lines, evidence)


def _evident(message: str, lines: Sequence[Line]) -> Correct | None:
    """Return the correction that the message's own words make certain: a name, or "the one, not the other" of exactly
    one line; None otherwise."""
    whole = [(place, bare(line.text)) for place, line in enumerate(lines) if is_shown_whole(line)]
    if stated := owners_name(message):
        name, labels = stated
        places = [place for place, old in whole if labels.fullmatch(label(old)) and not old.endswith(f" {name}")]
        if len(places) == 1:
            return Correct(places[0], name)
    certain = [Correct(place, new) for place, old in whole if (new := exchanged(old, message))]
    return certain[0] if len(certain) == 1 else None


def _settled(correction: Correct, message: str, lines: Sequence[Line]) -> Decision:
    new = bare(correction.new)
    named = _meant(correction.line, new, lines)
    replacement = _made(bare(lines[named].text), new, message, own=True) if is_shown_whole(lines[named]) else ""
    if replacement:
        return Correct(named, replacement)
    others = [(place, bare(line.text)) for place, line in enumerate(lines) if place != named and is_shown_whole(line)]
    shared = {place: shared_matter(old, message) for place, old in [*others, (named, bare(lines[named].text))]}
    alone = sum(map(bool, shared.values())) == 1  # the only line that has a word of the message
    near = {place for place, count in shared.items() if count >= _SHARED or (count and alone)}
    made_of = [
        (place, _made(old, new, message, own=place in near))
        for place, old in others
        if alike(old, new) >= _LITTLE or place in near
    ]
    fitting = [Correct(place, text) for place, text in made_of if text]
    return fitting[0] if len(fitting) == 1 else Note()


def _made(old: str, new: str, message: str, *, own: bool = False) -> str:
    """Return the replacement of ``old``: the model's words, the old ones with the message's value, or (``own``) the
    owner's sentence; "" if none is allowed."""
    sentence = introduced(own_sentence(message), old) if own and not label(old) else ""
    made = next((text for text in (new, with_value_of(old, message), sentence) if fits(old, text, message)), "")
    if made or not sentence or is_uncertain(message):
        return made
    parts = [part for part in message_clauses(message) if has_own_subject(part, old)]
    return next((part for part in parts if fits(old, part, part)), "")


def _meant(named: int, new: str, lines: Sequence[Line]) -> int:
    """Return the place of the line the model means: its new text is more reliable than its number."""
    likeness = [alike(bare(line.text), new) for line in lines]
    best = max(range(len(lines)), key=likeness.__getitem__)
    return best if likeness[best] >= _ALIKE and likeness[named] < likeness[best] - _CLEARLY else named


def _correction(fields: Mapping[str, object], count: int) -> Correct | None:
    line, new = _number(fields.get("line"), count), _one_line(fields.get("new"), LONGEST_NEW)
    return Correct(line, new) if line is not None and new else None


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


def _only_asks(message: str) -> bool:
    """Whether the message holds only questions, tasks, passing moods and thanks."""
    return all(
        _QUESTION.search(each) or _asks(each) or is_unasserted("task", each) or is_unasserted("passing", each)
        for each in _sentences(message)
    )


def _asks(sentence: str) -> bool:
    """Whether it is a question, with or without a question mark."""
    return bool(_QUESTION.search(sentence) and _ASKS.match(sentence)) or bool(_UNMARKED.match(sentence))


def _is_self_statement(message: str) -> bool:
    """Whether this is a self-statement, not a request."""
    text = without_lead(message)
    return bool(_SELF_STATEMENT.match(text)) and not _WANTS.search(text) and not _QUESTION.search(text)


def _sentences(message: str) -> list[str]:
    """Return the sentences; of a very long one its beginning and its last character, since patterns are quadratic."""
    sentences = (each.strip() for each in re.split(r"(?<=[.!?。！？])\s*", message))
    return [each if len(each) <= _LONGEST else each[:_LONGEST] + each[-1] for each in sentences if each]
