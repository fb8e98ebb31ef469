"""Quick replies, read off the end of a reply by rules, in Chinese and English. Pure, without a model.

Open questions, replies without a question, and options that can't be cut out cleanly get none; texts are never
shortened. Only the end of a reply is examined, in bounded time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pet.i18n import Language, Texts
from pet.text.unseen import reveal

MOST = 3
_WIDEST = 30  # a wide character counts twice
_MOST_WORDS = 5
_ASIDE = 44  # width of the text after the question
_TAIL = 4000  # characters of a reply that are examined
_LINE = 400  # characters of one line that are examined: patterns are slow on long lines

_Key = Literal["yes", "no", "no_is", "no_have", "not_yet", "more", "please", "not_now", "go_on", "choose"]
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Quick:
    """``key``: of ``ui.quick`` in the catalogue of the reply's language, "" for ``text``, words of the reply."""

    key: _Key | Literal[""] = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class QuickReplies:
    """``language``: the reply's."""

    language: Literal["zh", "en"]
    replies: tuple[Quick, ...]


def quick_replies(reply: str) -> QuickReplies:
    """Return what the owner may want to answer.

    >>> quick_replies("Tea or coffee?").replies
    (Quick(key='', text='Tea'), Quick(key='', text='Coffee'))
    """
    end = reply[-_TAIL:]
    chinese = _HAN.search(end) is not None
    lines = [line[-_LINE:] for line in _plain_lines(end)]
    items = _last_list(lines)
    asking = lines[items.start] if items and items.at_end and items.start >= 0 else lines[-1] if lines else None
    if items and items.at_end and items.start < 0:
        asking = None
    answers = _answers_to(asking, items, chinese) if asking is not None else []
    return QuickReplies("zh" if chinese else "en", tuple(answers[:MOST]))


def quick_words(reply: str) -> tuple[Language, list[str]]:
    """Return the language of a reply, and quick replies to it."""
    made = quick_replies(reply)
    words = Texts(made.language)
    return made.language, [each.text or words(f"ui.quick.{each.key}") for each in made.replies]


@dataclass(frozen=True, slots=True)
class _List:
    """``start``: index of the line before its first item."""

    start: int
    at_end: bool
    items: tuple[str, ...]


def _answers_to(line: str, items: _List | None, chinese: bool) -> list[Quick]:
    question = _last_question(line)
    choice = (_CHOICE_ZH if chinese else _CHOICE_EN).search(line if question is None else question)
    if items and choice and (question is not None or line.endswith((":", "："))):
        return _listed(items)
    if question is None:
        return [] if items and items.at_end else _after_statement(line, chinese)
    return _answer_chinese(question) if chinese else _answer_english(question)


# --- end of the reply ---------------------------------------------------------------------------

_ITEM = re.compile(r"(?:\d{1,2}|[A-Ha-h])[.)、．]\s*(?=\S)|[①-⑨]\s*")
_PICTURES = "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u25aa-\u27bf\u2934-\u2b55\u3030\u303d"
_TRAIL = re.compile(rf"(?:[\s\"'”’»)）\]】*_~{_PICTURES}\u3297\u3299\u200d\ufe0f]|[\U0001f000-\U0001faff])+$")
_BETWEEN = re.compile(r"(?<=[。！？…])(?![。！？…!?])|(?<=[.!?])\s+")
"""Ends of sentences; not the point in "3.5"."""
_HEAD = re.compile(r"[\W_]+")


def _plain_lines(reply: str) -> list[str]:
    """Return the lines without code, tables, quotes and markup; bold stays until names are cut out."""
    text = re.sub(r"```.*?(?:```|\Z)", "\n", reply, flags=re.DOTALL)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", text)
    text = reveal(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text), "")
    lines = (re.sub(r"^#{1,6}\s+", "", line).strip() for line in text.split("\n"))
    return [line for line in lines if line and not re.match(r"[|>]|-{3,}$", line)]


def _last_list(lines: list[str]) -> _List | None:
    """Return the last numbered list, with at most the question after it."""
    end = len(lines) - 1
    at_end = bool(lines) and _ITEM.match(lines[end]) is not None
    end -= 0 if at_end else 1
    start = end
    while start >= 0 and _ITEM.match(lines[start]):
        start -= 1
    items = tuple(lines[start + 1 : end + 1])
    return _List(start, at_end, items) if len(items) > 1 else None


def _last_question(line: str) -> str | None:
    """Return the question at the end of a line, without its mark. A short word may follow it."""
    parts = [part for each in _BETWEEN.split(line) if (part := _TRAIL.sub("", each.strip()))]
    last = parts[-1] if parts else ""
    asks = last.endswith(("?", "？"))
    question = last if asks else parts[-2] if len(parts) > 1 and _width(last) <= _ASIDE else ""
    if not question.endswith(("?", "？")):
        return None
    plain = _TRAIL.sub("", re.sub(r"[?？!！\s]+$", "", _unmarked(question)))
    head = _HEAD.match(plain)
    return plain[head.end() :] if head else plain


def _unmarked(text: str) -> str:
    return re.sub(r"\*\*|__|[*`~]", "", text).strip()


# --- options ------------------------------------------------------------------------------------

_CHOICE_EN = re.compile(
    r"\b(?:which|pick|choose|select|prefer|what would you|what do you|sounds? (?:good|best|nice)|appeals?)\b", re.I
)
_CHOICE_ZH = re.compile("哪|选|挑|更喜欢|想要|想先")
_CUT = re.compile(r"\s+[-–—]\s*|——|[:：(（。；;]|\.\s|\.$|[,，]\s*")
_BOLD = re.compile(r"(?:\*\*|__)(.+?)(?:\*\*|__)")
_PRONOUN = re.compile(r"\b(?:i|me|my|mine|you|your|yours|we|us|our|i'm|i'll)\b|[你我您咱]", re.I)


def _listed(items: _List) -> list[Quick]:
    """Return the short names of a list; none of a long list."""
    return [Quick("choose")] if len(items.items) > MOST else _options([_short_name(each) for each in items.items])


def _short_name(item: str) -> str:
    mark = _ITEM.match(item)
    text = item[mark.end() :] if mark else item
    bold = _BOLD.match(text)
    return bold[1] if bold else _CUT.split(text, maxsplit=1)[0]


def _options(names: list[str]) -> list[Quick]:
    """Options must be short and without pronouns, whose meaning would change with the speaker."""
    labels = [re.sub(r"[\s,，。.:：]+$", "", _unmarked(name)) for name in names]
    sound = all(
        label and _width(label) <= _WIDEST and len(label.split()) <= _MOST_WORDS and not _PRONOUN.search(label)
        for label in labels
    )
    if not sound or len(set(labels)) < len(labels):
        return []
    return [Quick(text=label[0].upper() + label[1:]) for label in labels]


def _width(text: str) -> int:
    return sum(2 if char > "\u2e7f" else 1 for char in text)


_YES, _MORE = Quick("yes"), Quick("more")
_OFFERED = [Quick("please"), Quick("not_now")]

# --- English ------------------------------------------------------------------------------------

_AUX = (
    "am|is|are|was|were|do|does|did|have|has|had|can|could|will|would|shall|should|may|might|isn't|aren't|wasn't|"
    "don't|doesn't|didn't|haven't|hasn't|can't|won't|wouldn't|shouldn't"
)
_ASKS = re.compile(rf"(?:{_AUX})\b", re.I)
_LEAD = re.compile(r"(?:so|and|well|now|ok|okay|hmm|then|but|oh|also|anyway|hey|first|maybe)\b[,:\s]+", re.I)
_OPEN_EN = re.compile(
    r"(?:in |on |at |for |with |to |from |about )?(?:what|how|why|when|where|who|whom|whose|which)\b", re.I
)
_OFFER_EN = re.compile(
    r"(?:shall (?:i|we)\b|(?:should|may|can|could) i\b|"
    r"(?:would you like|do you want|d'you want|want|wanna|would it help)\b"
    r".* (?:me|for me) to\b|(?:would you like|do you want|want) (?:a|an|some|another|more|one|"
    r"to (?:hear|see|try|play|start|begin|go|do|talk|make|take|keep|continue|know|read|have|get)\b)|(?:how|"
    r"what) about\b)",
    re.I,
)
_ASKS_TO_TELL = re.compile(
    r"(?:can|could|would|will) you (?:please )?"
    r"(?:tell|share|describe|explain|say|give|send|show|remind|paste|walk)\b",
    re.I,
)
_PLAIN_EN = re.compile(
    r"(?:you(?:'re|'ve)? \w|ready|still|sounds? (?:good|right|fun)|deal|agreed|make sense|makes sense|got it|"
    r"all good|feeling better)\b",
    re.I,
)
_TAG = re.compile(r",\s*(?:right|yes|no|ok|okay|correct|isn't it|aren't you|don't you|didn't you|won't you)$", re.I)
_REST = re.compile(
    rf"^[^,:]{{1,60}}[,:—–]\s*((?:{_AUX}|what|how|why|when|where|who|which|want)\b.*)$", re.I | re.DOTALL
)


def _answer_english(whole: str) -> list[Quick]:
    question = _clause(whole.replace("’", "'"))
    if re.search(r"\bor not$", question, re.I):
        return _yes_no_english(question)
    if re.search(r"\bor\b", question, re.I):
        return _either_english(question)
    if _OFFER_EN.match(question):
        return _OFFERED
    if _OPEN_EN.match(question) or _ASKS_TO_TELL.match(question):
        return []
    if _ASKS.match(question) or _TAG.search(question) or _PLAIN_EN.match(question):
        return _yes_no_english(question)
    return []


def _clause(question: str) -> str:
    """Return the asking part: "By the way, are you hungry" asks from the comma on."""
    part = question.strip()
    while lead := _LEAD.match(part):
        part = part[lead.end() :]
    rest = _REST.match(part)
    return rest[1] if rest and not _ASKS.match(part) else part


def _yes_no_english(question: str) -> list[Quick]:
    no = Quick("not_yet" if re.search(r"\b(?:yet|already|finished|ready|done)\b", question, re.I) else "no")
    curious = re.search(r"\b(?:know|heard|familiar|curious|interested)\b", question, re.I) or not re.search(
        r"\byou(?:r|'re|'ve)?\b", question, re.I
    )
    return [_YES, no, _MORE] if curious and no.key == "no" else [_YES, no]


_WISH = (
    "rather|prefer|like|want|need|mean|feel like|fancy|go with|choose|pick|take|have|be|is|for|to|a fan of|"
    "thinking of|looking for|in the mood for|more of|make it|keep it|go|start with|begin with|hear about|hear|"
    "say|more"
)
_BEFORE_EN = re.compile(rf"(?:(?:{_AUX}) )?(?:(?:you|i|we|it|that|this|they|he|she|there) )?(?:(?:{_WISH}) )*", re.I)
_AFTER_EN = re.compile(
    r"(?:\s+(?:instead|better|best|easier|for you|today|tonight|now|right now|this time|then|first))+$", re.I
)
_NO_OPTION = re.compile(rf"(?:{_AUX}|what|how|something|anything|so|whatever|more|two|three|less)\b", re.I)


def _either_english(question: str) -> list[Quick]:
    """ "A or B", "A, B or C"."""
    cuts = [*re.finditer(r",?\s+or\s+", question, re.I)]
    if not cuts:
        return []
    right = re.sub(r"^(?:maybe|perhaps|rather|just)\s+", "", question[cuts[-1].end() :], flags=re.I)
    if _NO_OPTION.match(right):
        return []
    left = question[: cuts[-1].start()]
    if _OPEN_EN.match(left):  # in "Which do you prefer, tea" the options begin after the mark
        after = re.search(r"[,:]\s*(.+)$", left, re.DOTALL)
        left = after[1] if after else ""
    first, *others = re.split(r",\s*", left)
    before = _BEFORE_EN.match(first)
    names = [first[before.end() :] if before else first, *others, re.sub(r"^(?:to|for) ", "", right, flags=re.I)]
    return _options([_AFTER_EN.sub("", name) for name in names])


# --- Chinese ------------------------------------------------------------------------------------

_OPEN_ZH = re.compile("什么|怎么(?!样)|哪|谁|几[个点次天岁位]|多少|为何|如何|啥|咋|多久|多大|何时")
_OFFER_ZH = re.compile(
    "(?:要不要|需不需要|需要|想不想|想要|要|想让|让)我|(?:要不要|想不想|想|要)(?:听|看|试|来|再|一起|聊|玩)|"
    "我(?:们|先|现在|这就|再)?(?:来|帮你|给你|陪你|替你|可以|去|一起).*(?:吗|好不好|怎么样|行不行|可不可以)$|"
    "还(?:想要|需要|要).*吗$|(?:要不|不如|不然|我们|咱们).*(?:吗|吧|怎么样|好不好|如何)?$"
)
_TELL_ZH = re.compile(
    "(?:能|可以|愿意|方便|可不可以|能不能).*(?:告诉|说说|讲讲|聊聊|描述|分享|解释|发给|说一下|讲一下)"
)
_A_NOT_A = re.compile(r"(.)不\1|有没有|可不可以|喜不喜欢|愿不愿意|需不需要|没有$|了没$")
_MARKS_ZH = re.compile("[，,；;：:]")


def _answer_chinese(whole: str) -> list[Quick]:
    question = re.sub("[~～]+$", "", whole).strip()
    if "还是" in question:
        return _either_chinese(question)
    part = _MARKS_ZH.split(question)[-1]
    if _TELL_ZH.search(part):
        return []
    how = re.search("(?:怎么样|如何)$", part) is not None
    if _OFFER_ZH.search(question) if how else not _OPEN_ZH.search(part) and _OFFER_ZH.search(part):
        return _OFFERED
    if _OPEN_ZH.search(part) or re.search("怎么样$|呢$", part):
        return []
    if re.search("(?:好吗|好不好|可以吗|行吗|行不行)$", part) and re.search("我|一起", question):
        return _OFFERED
    return _yes_no_chinese(part) if re.search("[吗吧么]$", part) or _A_NOT_A.search(part) else []


def _yes_no_chinese(question: str) -> list[Quick]:
    key: _Key = "no"
    if re.search("了(?:吗|没)|准备好", question):
        key = "not_yet"
    elif re.search("是不是|对(?:吗|吧|不对)", question):
        key = "no_is"
    elif re.search("[说听见看去吃玩试做]过|过吗|有", question):
        key = "no_have"
    elif "是" in question:
        key = "no_is"
    curious = re.search("知道|听说过|听过|了解|好奇|感兴趣", question) or not re.search("[你您]", question)
    return [_YES, Quick(key), _MORE] if curious and key != "not_yet" else [_YES, Quick(key)]


_WISH_ZH = "(?:是|更?想要|更?想|更?喜欢|要|希望|觉得|打算|愿意|倾向于?|更?需要|说的是|指的是|选|会|先)"
_BARE_ZH = re.compile(f"(?:那么?|所以|不过|到底|究竟)?(?:{_WISH_ZH})*")
_BEFORE_ZH = (
    re.compile(".*?(?:要不要|需要|要|想让|让)我(?:来|帮你|给你|为你|陪你|替你)*"),
    re.compile(f".*?(?:你|您|我们|咱们)(?:{_WISH_ZH})+"),
    _BARE_ZH,
)


def _either_chinese(question: str) -> list[Quick]:
    """ "A还是B"，"A、B还是C"."""
    cut = question.rindex("还是")
    right = re.sub(r"[呢呀啊哦吧\s]+$", "", question[cut + 2 :])
    left = _MARKS_ZH.split(re.sub(r"[，,、\s]+$", "", question[:cut]))[-1]
    before = next((match for each in _BEFORE_ZH if (match := each.match(left)) and match[0]), None)
    names = (left[before.end() :] if before else left).split("、")
    right = re.sub("^说", "", right)
    bare = _BARE_ZH.match(right)
    return _options([*names, right[bare.end() :] if bare else right])


# --- no question --------------------------------------------------------------------------------

_LEFT_OPEN_EN = re.compile(r"\bto be continued\b|\bshall go on another (?:day|time)\b", re.I)
_LEFT_OPEN_ZH = re.compile("未完待续|且听下回|下回(?:再)?分解")
_IF_YOU_LIKE_EN = re.compile(
    r"\bif you(?:'d| would)? (?:like|want|wish)\b.*\bi(?:'ll| can| could|'d)\b|"
    r"\bi (?:can|could|'ll|'d be happy to)\b.*\bif you(?:'d| would)? (?:like|want|wish)\b|"
    r"\b(?:let me know|tell me|just say) if you(?:'d| would)? (?:like|want)\b",
    re.I,
)
_IF_YOU_LIKE_ZH = re.compile(
    "(?:需要|想听|想看|想知道|想试|有兴趣|愿意|要)的话.*(?:我(?:可以|来|就|再)|告诉我|说一声|跟我说)|"
    "(?:告诉我|说一声).*我(?:就|来|可以)"
)


def _after_statement(line: str, chinese: bool) -> list[Quick]:
    """At most one reply, and only where the statement invites one."""
    statement = _unmarked(line).replace("’", "'")
    if (_LEFT_OPEN_ZH if chinese else _LEFT_OPEN_EN).search(statement):
        return [Quick("go_on")]
    last = next((each for each in reversed(_BETWEEN.split(statement)) if each.strip()), "")
    return [Quick("please")] if (_IF_YOU_LIKE_ZH if chinese else _IF_YOU_LIKE_EN).search(last) else []
