"""What a small model's answer means, and which answers are not acted on. Pure.

Anything that is not exactly one of the four answers is ``None`` (ask once more, then nothing). A correction that
would replace a line it does not resemble, or with words that are nobody's, becomes a note of the owner's own
sentence: nothing is lost, and nothing is invented.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from pet.engine.claim_detection.asking import asks_to_remember
from pet.memory.text.smalltalk import is_small_talk
from pet.memory.text.tokenize import is_cjk, is_stopword_query, tokenize
from pet.prompt.notebook import LONGEST_NEW, LONGEST_SOUL, Line, parse

_DATE = re.compile(r"\s*[(（]\s*(?:as of |since )?\d{4}-\d{2}-\d{2}\s*[)）]")
_ALIKE = 0.6
_QUESTION = re.compile(r"[?？]\s*$")
_TASK = re.compile(
    r"(?:please |can you |could you |would you )*(?:write|compose|translate|explain|summari[sz]e|calculate|draw|sing"
    r"|tell me (?:a|an|about|something)|give me (?:a|an|some)|list|make up|invent|recommend|suggest)\b"
    r"|(?:请|麻烦你?|帮我|给我|替我|你?能不能|可以|能)*(?:写|翻译|解释|总结|算|画|唱|编|讲|推荐|列|起)(?:一?[首个段篇句下封些]|几|算)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Nothing:
    pass


@dataclass(frozen=True, slots=True)
class Note:
    pass


@dataclass(frozen=True, slots=True)
class Correct:
    """``line``: its place in the numbered list, from 0; ``new`` without a date."""

    line: int
    new: str


@dataclass(frozen=True, slots=True)
class Soul:
    pass


Decision = Nothing | Note | Correct | Soul


@dataclass(frozen=True, slots=True)
class SoulChange:
    line: int
    how: Literal["replace", "after"]
    new: str


def needs_no_question(message: str) -> bool:
    """Whether there is nothing in the message that could be noted: no model is asked."""
    return not message.strip() or is_small_talk(message)


def read_decision(answer: str, count: int) -> Decision | None:
    """The decision in an answer to the question with so many lines; None for anything else."""
    found = parse(answer)
    if found is None:
        return None
    match found:
        case {"do": "nothing"}:
            return Nothing()
        case {"do": "note"}:
            return Note()
        case {"do": "soul"}:
            return Soul()
        case {"do": "correct"}:
            return _correction(found, count)
    return None


def read_soul_change(answer: str, count: int) -> SoulChange | None:
    found = parse(answer)
    if found is None:
        return None
    line, how, new = _number(found.get("line"), count), found.get("how"), _one_line(found.get("new"), LONGEST_SOUL)
    if line is None or not new or how not in ("replace", "after"):
        return None
    return SoulChange(line, "replace" if how == "replace" else "after", new)


def settle(decision: Decision | None, message: str, lines: Sequence[Line]) -> Decision:
    """What is done in the end. The owner's explicit wish to have something kept counts more than the model's answer,
    and a plain question or task is never noted."""
    asked = asks_to_remember(message)
    match decision:
        case None | Nothing():
            return Note() if asked else Nothing()
        case Note():
            return Note() if asked or not _only_asks(message) else Nothing()
        case Correct():
            return _settled(decision, message, lines)
        case Soul():
            return decision


def bare(line: str) -> str:
    """A line's words, without list mark, label and date."""
    text = re.sub(r"^[-*+\u2022]\s+", "", line.strip())
    text = re.sub(r"^(?:owner|主人)\s?[:：]\s*", "", text, flags=re.I)
    return _DATE.sub("", text).strip()


def _settled(found: Correct, message: str, lines: Sequence[Line]) -> Decision:
    old = bare(lines[found.line].text)
    new = bare(found.new)
    if _same(old, new):
        return Note() if not _only_asks(message) else Nothing()
    if _only_asks(message):
        return Nothing()
    before, after, said = words(old), words(new), words(message)
    resembles = bool(before & after) or _label(old) == _label(new) != "" or _alike(old, new)
    grounded = bool((after - before) & said) or not after - before  # new words are the owner's
    return Correct(found.line, new) if resembles and grounded else Note()


def _label(text: str) -> str:
    """What stands before the colon of "Name: Ann"."""
    found = re.match(r"[^:：]{1,40}(?=[:：])", text)
    return found[0].strip().casefold() if found else ""


def _alike(one: str, other: str) -> bool:
    return SequenceMatcher(None, one.casefold(), other.casefold()).ratio() >= _ALIKE


def _correction(found: Mapping[str, object], count: int) -> Correct | None:
    line, new = _number(found.get("line"), count), _one_line(found.get("new"), LONGEST_NEW)
    return Correct(line, new) if line is not None and new else None


def _number(value: object, count: int) -> int | None:
    """A 1-based line as a place from 0."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= count:
        return None
    return value - 1


def _one_line(value: object, longest: int) -> str:
    if not isinstance(value, str) or "\0" in value:
        return ""
    text = " ".join(value.split())
    return text if len(text) <= longest else ""


def _only_asks(message: str) -> bool:
    """A question or a task and nothing besides."""
    text = message.strip()
    sentences = [each for each in re.split(r"(?<=[.!?。！？])\s*", text) if each.strip()]
    if len(sentences) != 1:
        return all(_QUESTION.search(each) or _TASK.match(each.strip()) for each in sentences)
    return bool(_QUESTION.search(text) or _TASK.match(text))


def _same(one: str, other: str) -> bool:
    def plain(text: str) -> str:
        return re.sub(r"[\W_]+", "", text).casefold()

    return plain(one) == plain(other)


def words(text: str) -> frozenset[str]:
    """What names something: stems of words, single characters of Chinese."""
    return frozenset(
        token for token in tokenize(text) if not is_stopword_query(token) and (len(token) == 1 or not is_cjk(token))
    )
