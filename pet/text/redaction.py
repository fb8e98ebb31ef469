"""Find secrets in a text, and mask them: keys, passwords, card, account and ID numbers. Pure.

The marker is the same in every language, so that it can be found again. Precision over recall: a number must have a
valid checksum, and a password must be named as one.

>>> redact("my password: hunter2!").text
'my password: ‹hidden:password›'
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from pet.text.lazy_pattern import lazy_pattern

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
# Each pattern below needs one of these: most texts have none of them, and substring search is fast.
_WORDS = (
    *("pass", "pw", "psw", "pin", "cvv", "cvc", "key", "token", "secret", "phrase", "bearer", "-----", "://", "eyj"),
    *("akia", "asia", "akid", "ltai", "aiza", "ya29", "hf_", "sk-", "sk_", "rk_"),
    *("pat", "xox", "xapp", "npm_", "pypi"),
    *("contrase", "combin", "combo", "clave", "caja fuerte", "safe", "vault", "lock", "code", "保险", "储物柜"),
    *("密", "锁", "口令", "令牌", "金钥", "私钥", "安全码", "助记词", "恢复词", "护照"),
)
_DIGITS = lazy_pattern(r"[0-9０-９]{3}")


def _may_hold_one(text: str) -> bool:
    low = text.lower()
    return any(word in low for word in _WORDS) or _DIGITS.search(text) is not None


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
_PHRASE = lazy_pattern(
    r"(?:(?:seed|recovery|backup|mnemonic|secret) phrase|助记词|恢复词)"
    r"\s*(?:(?:is|are|是|为)?\s?[:=]|is|are|是|为)\s*"
    r"(?P<value>[a-z]{3,8}(?:[ ,、]{1,2}[a-z]{3,8}){11,23})",
    re.I,
)
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
_NAMED_KEY = lazy_pattern(
    r"(?:api[_ -]?key|access[_ -]?key(?:[_ -]?id)?|secret[_ -]?(?:access[_ -]?)?key"
    r"|(?:client|app)[_ -]?secret|private[_ -]?key|(?:access|auth|bearer|refresh|secret|api)?[_ -]?token"
    r"|密钥|金钥|令牌|私钥)"
    r"[\"'`]?\s{0,3}(?:(?:is\b|是|为)?\s?[:=]|is\b|是|为)\s{0,3}[\"'`]?(?P<value>[A-Za-z0-9+/=_.~-]{12,200})",
    re.I,
)
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
    for match in _PHRASE.finditer(text):
        yield _value("private_key", match)


def _api_keys(text: str) -> Iterator[Secret]:
    for match in _TOKENS.finditer(text):
        yield Secret(kind="api_key", start=match.start(), end=match.end())
    for match in _SK.finditer(text):
        if _is_mixed(match[0][3:]):
            yield Secret(kind="api_key", start=match.start(), end=match.end())
    for pattern in (_NAMED_KEY, _BEARER):
        for match in pattern.finditer(text):
            if _is_mixed(match["value"]) and not _DAY.match(match["value"]):
                yield _value("api_key", match)
    for match in _IN_ADDRESS.finditer(text):
        if not _is_placeholder(match["value"]):
            yield _value("password", match)


def _is_mixed(text: str) -> bool:
    """Whether it has both letters and digits: neither a word nor a number."""
    return bool(re.search(r"[0-9]", text) and re.search(r"[A-Za-z]", text))


# --- passwords ----------------------------------------------------------------------------------

_NAMES = (
    r"(?:(?<![A-Za-z])(?P<en>pass[ _-]?(?:word|phrase|code)|passwd|pwd|psw|contraseña"
    r"|clave(?=\sdel?\s(?:la\s)?(?:wi-?fi|correo|banco|router|red|cuenta|ordenador|m[oó]vil)))(?![A-Za-z])"
    r"|(?<![A-Za-z])(?P<short>pass|pw|pin(?:[ -]?code)?)(?![A-Za-z])|(?P<zh>密码|口令|密碼|PIN码|pin码))"
)
_OF = r"(?:\s(?:for|of|to|on|at|de|del)\s[^\n:=。；;]{1,40}?|\s?[(（][^()（）\n]{1,40}[)）])?"
_SIGN = r"[:=→]|->|=>"
_SAYS = (
    rf"\s{{0,3}}(?:(?P<sign>{_SIGN})"
    r"|(?P<verb>(?:(?:is|was|has been)\s+)?(?:changed|set|reset)\s+to\b"
    r"|(?:(?:is|was|es|era)\b|[’']s\b)(?:\s+(?:now|still|ahora)\b)?"
    rf"|(?:现在|还|都|就|一直)?[是为]|(?:改|换|设|重置)[成为了到]{{1,2}})\s{{0,3}}(?P<after>{_SIGN})?)\s{{0,3}}"
)
_PASSWORD = lazy_pattern(
    _NAMES
    + r"[\"'`*]{0,2}"
    + _OF
    + _SAYS
    + r"(?:[\"'`“‘「*]{1,2}(?P<quoted>[^\s\"'`”’」*][^\"'`\n”’」*]{1,80})[\"'`”’」*]"
    r"|(?P<value>[!-~]{3,80}))",
    re.I,
)
_TRAILING = ".,;:)]}>\"'`*"
_NOT_ONE = lazy_pattern(
    r"none|null|nil|empty|blank|true|false|yes|required|optional|unknown|forgotten|changed|reset|expired|unset|n/a|tbd"
    r"|todo|secret|hidden|redacted|removed|masked|same|see|ask|stored|saved|incorrect|invalid|wrong|correct|ok|weak"
    r"|strong|1password|bitwarden|keepass|lastpass|string|str|text|passw(?:or)?d|your[-_]password|changeme|placeholder"
    r"|missing|needed|the|that|this|not|for|and|wifi|wi-fi"
)
_COUNTED = lazy_pattern(
    r"\s?(?:[年月日号位个次点岁天字元块米%]|(?:characters?|chars?|digits?|letters?|times?|days?|words?|years?|months?)\b)",
    re.I,
)
_WIDE = lazy_pattern(r"[\u2e80-\u9fff\uf900-\ufaff]")
_DAY = lazy_pattern(
    r"(?:19|20)[0-9]{2}[-/.](?:0?[1-9]|1[0-2])[-/.][0-9]{1,2}(?![0-9])|[0-2]?[0-9]:[0-5][0-9](?![0-9])"
)


# Codes of doors and safes, which are digits, as a PIN is.
_DOOR_CODE = lazy_pattern(
    r"(?:\b(?:gate|door|front door|entry|entrance|alarm|safe|garage|building|lobby|lift|locker|lock|padlock|bike lock"
    r"|key ?box|vault)(?:[’']s)?\s(?:access\s)?(?:code|combination|combo)(?:\s(?:of|for|at|to)\s[^\n:=.;]{1,40}?)?"
    r"|\b(?:code|combination|combo)\s(?:of|for|to)\s(?:the|my|our)\s(?:\w{2,12}\s)?(?:gate|door|alarm|safe|garage|locker|lock|padlock|vault)"
    r"|\b(?:c[oó]digo|combinaci[oó]n|clave)\s(?:de|del)\s(?:la\s)?(?:puerta|portal|verja|alarma|garaje|caja fuerte"
    r"|taquilla|candado|edificio|entrada)"
    r"|(?:门禁|大门|门锁|单元门|车库|保险柜|保险箱|储物柜|报警器|密码锁|钥匙盒|解锁|开锁|开门|锁屏)的?(?:密码|码|代码))"
    r"(?:\s{0,2}(?:(?:is|was|es|era|是|为|改成|改为)(?:\s(?:now|ahora))?\s?[:=]?|[:=：])\s{0,2}|\s{1,2}|(?<=[码碼]))"
    r"(?P<value>[#*]?[0-9](?:[ #*-]?[0-9]){2,9}[#*]?)(?![0-9A-Za-z])",
    re.I,
)
_OPENED_WITH = lazy_pattern(
    r"(?:\b(?:gate|door|alarm|safe|garage|locker|lock|padlock|key ?box|vault|phone|tablet|laptop)\s"
    r"(?:can be\s|is\s|gets\s)?(?:opens?|opened|unlocks?|unlocked|disarmed|(?:turned|switched)\soff)"
    r"\s(?:with|by|using)"
    r"|\b(?:open|unlock|disarm)\s(?:the|my|our)\s(?:\w{2,12}\s)?(?:gate|door|alarm|safe|garage|locker|lock|padlock|vault"
    r"|phone|tablet|laptop)\s(?:with|by|using)"
    r"|\b(?:caja fuerte|verja|portal|puerta|alarma|candado|taquilla|m[oó]vil|garaje)\s"
    r"(?:se\s)?(?:abren?|desbloquea|desactiva)\scon"
    r"|(?:保险柜|保险箱|大门|车库|储物柜|报警器|手机|锁)(?:要|是|得)?(?:用|输入?|按)"
    r"|(?:保险柜|保险箱|储物柜|锁)(?:要|是|得)?(?:先|往[左右])?[转拨])"
    r"\s{0,2}(?:(?:the\s|el\s)?(?:code|number|combination|c[oó]digo|n[uú]mero)\s)?"
    r"(?P<value>[#*]?[0-9](?:[ #*-]?[0-9]){2,9}[#*]?)(?![0-9A-Za-z])",
    re.I,
)
_NEXT_TO_IT = lazy_pattern(
    r"(?:(?<![A-Za-z])(?<!boarding )(?<!bus )(?<!ski )(?<!day )(?<!rail )(?<!press )(?<!hall )(?<!train )(?<!travel )"
    r"(?:pass(?:word)?|passwd|pwd|pw|contraseña)|密码)\s{1,2}"
    r"(?P<value>(?=[!-~]*[a-z])(?=[!-~]*[0-9])[!-~]{6,80}?)(?=[.,;:!?)]?(?:\s*$|\n|[。，；]|\s*[,;(]))",
    re.I | re.M,
)
"""A password right behind its name: letters and digits, and the last word of the line or sentence."""


def _passwords(text: str) -> Iterator[Secret]:
    for match in (*_DOOR_CODE.finditer(text), *_OPENED_WITH.finditer(text)):
        if not _DAY.match(match["value"]) and not _COUNTED.match(text[match.end() : match.end() + 16]):
            yield _value("password", match)
    for match in _NEXT_TO_IT.finditer(text):
        if not _is_placeholder(match["value"]) and not match["value"].startswith(("http://", "https://")):
            yield _value("password", match)
    for match in _PASSWORD.finditer(text):
        group = "quoted" if match["quoted"] else "value"
        value = match[group].rstrip(_TRAILING) if group == "value" else match[group]
        start = match.start(group)
        after = text[start + len(value) : start + len(value) + 16]
        if not _is_placeholder(value) and _is_password(match, value, after):
            yield Secret(kind="password", start=start, end=start + len(value))


def _is_password(match: re.Match[str], value: str, after: str) -> bool:
    """Whether the match is a password, and not the rest of a sentence."""
    if _DAY.match(value) or _COUNTED.match(after) or value.startswith(("http://", "https://")):
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


def _is_placeholder(value: str) -> bool:
    plain = value.casefold().strip(_TRAILING)
    return (
        _NOT_ONE.fullmatch(plain) is not None
        or len(set(plain) - set("*x.•-_")) == 0
        or plain.startswith(("<", "${", "{{", "$", "%", "[", "*", "("))
        or "hidden:" in plain
    )


# --- numbers ------------------------------------------------------------------------------------

_CARD = lazy_pattern(r"(?<![0-9A-Za-z.+_/-])[2-6][0-9]{3}(?:[ -]?[0-9]){9,15}(?![0-9A-Za-z_/-]|\.[0-9])")
_CARD_CODE = lazy_pattern(
    r"\b(?:cvv2?|cvc2?|安全码)\s{0,2}(?:(?:is|是|为)?\s?[:=]|is|是|为)?\s{0,2}(?P<value>[0-9]{3,4})(?![0-9])", re.I
)
_ORDER = lazy_pattern(
    r"(?:order|tracking|parcel|invoice|isbn|issn|ticket|单号|订单|快递|物流|运单|流水|编号|发票|书号)\D{0,12}$", re.I
)
_CITIZEN = lazy_pattern(r"(?<![0-9A-Za-z])[1-8][0-9]{5}(?:18|19|20)[0-9]{9}[0-9Xx](?![0-9A-Za-z])")
_SOCIAL = lazy_pattern(
    r"\b(?:SSN|social security)(?:\s(?:number|no\.?|#))?\s{0,2}(?:(?:is|was|是)?\s?[:=#]|is|was|是)?\s{0,2}"
    r"(?P<value>(?!000|666|9)[0-9]{3}[- ]?(?!00)[0-9]{2}[- ]?(?!0000)[0-9]{4})(?![0-9])",
    re.I,
)
_PASSPORT = lazy_pattern(
    r"(?:\bpassport(?:\s(?:number|no\.?|#))?|护照(?:号码|号)?)\s{0,2}(?:(?:is|是|为)?\s?[:=#]|is|是|为)?\s{0,2}"
    r"(?P<value>[A-Z]{1,2}[0-9]{7,8}|[0-9]{9})(?![0-9A-Za-z])",
    re.I,
)
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
        if _is_card(digits, match[0]) and not _ORDER.search(text, max(0, match.start() - 24), match.start()):
            yield Secret(kind="card_number", start=match.start(), end=match.end())
    for match in _CITIZEN.finditer(text):
        if _is_citizen(match[0]):
            yield Secret(kind="id_number", start=match.start(), end=match.end())
    for match in _IBAN.finditer(text):
        if _is_iban(match[0].replace(" ", "")):
            yield Secret(kind="bank_account", start=match.start(), end=match.end())
    for pattern in (_SOCIAL, _PASSPORT):
        for match in pattern.finditer(text):
            yield _value("id_number", match)
    for match in _CARD_CODE.finditer(text):
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


def _value(kind: Kind, match: re.Match[str]) -> Secret:
    return Secret(kind=kind, start=match.start("value"), end=match.end("value"))
