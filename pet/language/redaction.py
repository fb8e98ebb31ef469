"""Find secrets in a text, and mask them: keys, passwords, card, account and ID numbers. Pure.

The marker is the same in every language, so that it can be found again. Precision over recall: a number must have a
valid checksum, and a password must be named as one. The names are in ``data/secrets.json``.

>>> redact("my password: hunter2!").text
'my password: ‹hidden:password›'
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Literal

from pet.language import has_row, match_row, pattern_rows, read_table
from pet.text.lazy_pattern import lazy_pattern

_ROWS = "secrets.json"

Kind = Literal["private_key", "api_key", "password", "card_number", "id_number", "bank_account"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """Position of a secret in the text."""

    kind: Kind
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted:
    """A text with a marker for each secret; ``kinds``: each kind once, in order of occurrence."""

    text: str
    kinds: tuple[Kind, ...] = ()


def placeholder(kind: Kind) -> str:
    """Return the marker for a secret."""
    return f"‹hidden:{kind}›"


def redact(text: str, known: str = "") -> Redacted:
    """Return the text without its secrets, except those that are in ``known``, where the owner keeps them already."""
    secrets = new_secrets(text, known)
    if not secrets:
        return Redacted(text=text)
    pieces: list[str] = []
    at = 0
    for secret in secrets:
        pieces += (text[at : secret.start], placeholder(secret.kind))
        at = secret.end
    return Redacted(text="".join((*pieces, text[at:])), kinds=tuple(dict.fromkeys(secret.kind for secret in secrets)))


def new_secrets(text: str, known: str) -> tuple[Secret, ...]:
    """Return the secrets of ``text`` that aren't secrets of ``known``."""
    secrets = find_secrets(text)
    if not secrets or not known:
        return secrets
    there = {known[secret.start : secret.end] for secret in find_secrets(known)}
    return tuple(secret for secret in secrets if text[secret.start : secret.end] not in there)


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Return the secrets of the text, in order, none overlapping."""
    if not _may_hold_one(text):
        return ()
    plain = text if text.isascii() else text.translate(_NARROW)
    candidates = sorted(_all(plain), key=lambda secret: (secret.start, -secret.end))
    kept: list[Secret] = []
    for secret in candidates:
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
        elif secret.end > kept[-1].end:  # they overlap: the first one's kind counts
            kept[-1] = Secret(kind=kept[-1].kind, start=kept[-1].start, end=secret.end)
    return tuple(kept)


# Full-width letters, digits and a few signs to ASCII, one for one, so that positions stay.
_NARROW = {ord(sign) + 0xFEE0: ord(sign) for sign in "0123456789:=@-_#+./"}
_NARROW |= {code + 0xFEE0: code for code in (*range(0x41, 0x5B), *range(0x61, 0x7B))} | {0x3000: 0x20, 0x00A0: 0x20}
_DIGITS = lazy_pattern(r"[0-9０-９]{3}")


@cache
def _words() -> tuple[str, ...]:
    """Return the words of which every secret but a number needs one: most texts have none."""
    return tuple(read_table("words_of_secrets.txt").splitlines())


def _may_hold_one(text: str) -> bool:
    low = text.lower()
    return any(word in low for word in _words()) or _DIGITS.search(text) is not None


def _all(text: str) -> Iterator[Secret]:
    yield from _private_keys(text)
    yield from _api_keys(text)
    yield from _passwords(text)
    yield from _numbers(text)


# --- keys ---------------------------------------------------------------------------------------

_PEM = lazy_pattern(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = lazy_pattern(r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_PEM_LINES = lazy_pattern(r"(?:(?:\s|\\n)*[A-Za-z0-9+/=]{16,})*")
_AGE = lazy_pattern(r"\bAGE-SECRET-KEY-1[0-9A-Z]{50,}")
_TOKENS = lazy_pattern(
    r"(?<![A-Za-z0-9_-])(?:"
    r"sk-ant-[A-Za-z0-9_-]{16,}"
    r"|(?:sk|rk)_(?:live|test)_[0-9A-Za-z]{16,}"
    r"|(?:AKIA|ASIA)[0-9A-Z]{16}"
    r"|LTAI[0-9A-Za-z]{12,26}|AKID[0-9A-Za-z]{16,40}"
    r"|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}|glpat-[A-Za-z0-9_-]{20,}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}"
    r"|AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,}"
    r"|hf_[A-Za-z0-9]{30,}|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{10,}"
    r"|[0-9]{8,10}:AA[A-Za-z0-9_-]{30,34}"
    r")(?![A-Za-z0-9])"
)
_SK = lazy_pattern(r"(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{20,}")
_BEARER = lazy_pattern(r"\bBearer\s{1,3}(?P<value>[A-Za-z0-9+/=_.~-]{16,})", re.I)
_IN_ADDRESS = lazy_pattern(
    r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,80}:(?P<value>[^\s/@]{3,80})@(?=[A-Za-z0-9\[])", re.I
)


def _private_keys(text: str) -> Iterator[Secret]:
    ends = [ended.end() for ended in _PEM_END.finditer(text)]
    for begun in _PEM.finditer(text):
        after = bisect(ends, begun.end())
        lines = _PEM_LINES.match(text, begun.end())
        end = ends[after] if after < len(ends) else lines.end() if lines else begun.end()
        yield Secret(kind="private_key", start=begun.start(), end=end)
    for match in _AGE.finditer(text):
        yield Secret(kind="private_key", start=match.start(), end=match.end())
    for match in _matches("phrase", text):
        yield _value("private_key", match)


def _api_keys(text: str) -> Iterator[Secret]:
    for match in _TOKENS.finditer(text):
        yield Secret(kind="api_key", start=match.start(), end=match.end())
    for match in _SK.finditer(text):
        if _is_mixed(match[0][3:]):
            yield Secret(kind="api_key", start=match.start(), end=match.end())
    for match in (*_matches("named_key", text), *_BEARER.finditer(text)):
        if _is_mixed(match["value"]) and not _DAY.match(match["value"]):
            yield _value("api_key", match)
    for match in _IN_ADDRESS.finditer(text):
        if not _is_placeholder(match["value"]):
            yield _value("password", match)


def _is_mixed(text: str) -> bool:
    """Whether it has both letters and digits: neither a word nor a number."""
    return bool(re.search(r"[0-9]", text) and re.search(r"[A-Za-z]", text))


# --- passwords ----------------------------------------------------------------------------------

_TRAILING = ".,;:)]}>\"'`*"
_WIDE = lazy_pattern(r"[\u2e80-\u9fff\uf900-\ufaff]")
_DAY = lazy_pattern(
    r"(?:19|20)[0-9]{2}[-/.](?:0?[1-9]|1[0-2])[-/.][0-9]{1,2}(?![0-9])|[0-2]?[0-9]:[0-5][0-9](?![0-9])"
)


def _passwords(text: str) -> Iterator[Secret]:
    for match in _matches("door_code", text):
        if not _DAY.match(match["value"]) and not _is_count(text[match.end() : match.end() + 16]):
            yield _value("password", match)
    for match in _matches("password_beside", text):
        if not _is_placeholder(match["value"]) and not match["value"].startswith(("http://", "https://")):
            yield _value("password", match)
    for match in _matches("password", text):
        group = "quoted" if match["quoted"] else "value"
        value = match[group].rstrip(_TRAILING) if group == "value" else match[group]
        start = match.start(group)
        after = text[start + len(value) : start + len(value) + 16]
        if not _is_placeholder(value) and _is_password(match, value, after):
            yield Secret(kind="password", start=start, end=start + len(value))


def _is_password(match: re.Match[str], value: str, after: str) -> bool:
    """Whether the match is a password, and not the rest of a sentence."""
    if _DAY.match(value) or _is_count(after) or value.startswith(("http://", "https://")):
        return False
    digits = any(c.isdigit() for c in value)
    sign = bool(match["sign"] or match["after"])  # "password:", and "the password is:" too
    if match["short"]:
        pin = match["short"].lower().startswith("pin")
        return value.isdigit() and 4 <= len(value) <= 12 if pin else digits and _is_mixed(value)
    if match["quoted"]:
        phrase = sign or (match["en"] or "").lower().endswith("phrase")
        return len(value) >= 4 and not _WIDE.search(value) and (" " not in value or phrase)
    if len(value) < 4 and not (sign and digits):
        return False
    strong = bool(re.search(r"[^A-Za-z'’.,-]", value))
    last = not re.match(r"[ \t]*[A-Za-z0-9\u2e80-\u9fff]", after)
    mixed = bool(re.search(r"[a-z][A-Z]", value))
    return strong or (last if match["zh"] else mixed or (last and sign))


def _is_count(after: str) -> bool:
    """Whether a unit follows the digits: "my PIN is 4 digits"."""
    return match_row(_ROWS, "counted", after) is not None


def _is_placeholder(value: str) -> bool:
    plain = value.casefold().strip(_TRAILING)
    return (
        has_row(_ROWS, "no_password", plain)
        or len(set(plain) - set("*x.•-_")) == 0
        or plain.startswith(("<", "${", "{{", "$", "%", "[", "*", "("))
        or "hidden:" in plain
    )


# --- numbers ------------------------------------------------------------------------------------

_CARD = lazy_pattern(r"(?<![0-9A-Za-z.+_/-])[2-6][0-9]{3}(?:[ -]?[0-9]){9,15}(?![0-9A-Za-z_/-]|\.[0-9])")
_CITIZEN = lazy_pattern(r"(?<![0-9A-Za-z])[1-8][0-9]{5}(?:18|19|20)[0-9]{9}[0-9Xx](?![0-9A-Za-z])")
_IBAN = lazy_pattern(r"(?<![0-9A-Za-z])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![0-9A-Za-z])")
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_SUPPORTED = (  # who issues cards: first digits, and how long their numbers are
    (r"4", (13, 16, 19)),
    (r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720", (16,)),
    (r"3[47]", (15,)),
    (r"6011|65|64[4-9]", (16, 19)),
    (r"62|81", (16, 17, 18, 19)),
    (r"35(?:2[89]|[3-8])", (16,)),
    (r"3(?:0[0-5]|[689])", (14,)),
)  # fmt: skip
_ISSUERS = tuple((lazy_pattern(prefix), lengths) for prefix, lengths in _SUPPORTED)


def _numbers(text: str) -> Iterator[Secret]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"[ -]", "", match[0])
        before = text[max(0, match.start() - 24) : match.start()]
        if _is_card(digits, match[0]) and not has_row(_ROWS, "order", before):
            yield Secret(kind="card_number", start=match.start(), end=match.end())
    for match in _CITIZEN.finditer(text):
        if _is_citizen(match[0]):
            yield Secret(kind="id_number", start=match.start(), end=match.end())
    for match in _IBAN.finditer(text):
        if _is_iban(match[0].replace(" ", "")):
            yield Secret(kind="bank_account", start=match.start(), end=match.end())
    for match in _matches("id_number", text):
        yield _value("id_number", match)
    for match in _matches("card_code", text):
        yield _value("card_number", match)


def _is_card(digits: str, written: str) -> bool:
    if len(set(digits)) < 2 or not any(
        prefix.match(digits) and len(digits) in lengths for prefix, lengths in _ISSUERS
    ):
        return False
    grouped = re.fullmatch(r"[0-9]+|[0-9]{4}(?P<by>[ -])[0-9]{4,6}(?:(?P=by)[0-9]{1,7}){1,3}", written)
    total = sum(
        int(digit) if place % 2 == 0 else (2 * int(digit)) // 10 + (2 * int(digit)) % 10
        for place, digit in enumerate(reversed(digits))
    )
    return bool(grouped) and total % 10 == 0


def _is_citizen(number: str) -> bool:
    """Whether it is a Chinese ID number: region, birthday, order, check digit."""
    try:
        date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, number, strict=False))
    return number[-1].upper() == "10X98765432"[total % 11]


def _is_iban(number: str) -> bool:
    if not 15 <= len(number) <= 34:
        return False
    return int("".join(str(int(sign, 36)) for sign in number[4:] + number[:4])) % 97 == 1


def _matches(kind: str, text: str) -> Iterator[re.Match[str]]:
    for row in pattern_rows(_ROWS)[kind]:
        yield from row.finditer(text)


def _value(kind: Kind, match: re.Match[str]) -> Secret:
    return Secret(kind=kind, start=match.start("value"), end=match.end("value"))
