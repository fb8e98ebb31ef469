"""What keeps a section (``pet.text.sections``) closed, whatever its text holds.

Whatever in a file looks like a section's tag, like a tag or token with which some model marks roles, or like a role
at the start of a line, is put out of action where one can see it: ``‹`` for the opening bracket, ``‹System›:`` for
``System:``. Everything else stays as it is, so that the pet can copy a passage for its edit tool.
docs/decisions/0012-prompt-fence.md says why there is no secret fence.
"""

from __future__ import annotations

import re
import unicodedata

from pet.text.lazy_pattern import lazy_pattern
from pet.text.sections import TAGS

_CONTROL = "\x00-\x08\x0e-\x1b\x7f"
_INVISIBLE = _CONTROL + (  # no place on the screen: soft hyphen, joiners, marks of direction, fillers, variants, tags
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
_STRIP = lazy_pattern(f"[{_INVISIBLE}]+")
_ODD = lazy_pattern(f"[^\x00-\x7f]|[{_CONTROL}]")

# Names that are dangerous however the tag goes on, and names that are so only in a tag's own form: "<user name>" is
# what an owner writes into a template, "<user>" and "</user>" are not.
_ALWAYS = (
    rf"{'|'.join(tag.replace('-', '-?') for tag in TAGS)}|\||antml|im_|sys>|start_of|end_of|begin_of|start_header"
    r"|end_header|tool_|function_"
)
_IN_TAG_FORM = (
    r"(?:s|bos|eos|sop|eop|pad|unk|inst|think|thinking|invoke|tools?|functions?|files?|documents?|context|recall|rules"
    r"|identity|souls?|users?|profile|memory|memories|system|assistant|human|model|agents|heartbeat|bootstrap|skills?)"
    r"\s*(?:/?>|\s[a-z_-]+\s*=)"
)
_OPENING = "<＜﹤"
_TAG = lazy_pattern(rf"[{_OPENING}][\s{_OPENING}/\\!?]*")  # a run as a whole: looked at once, however long it is
_TAG_NAME = lazy_pattern(rf"(?:{_ALWAYS}|{_IN_TAG_FORM})", re.I)
_NAME = lazy_pattern(rf"[\s</\\!?]*(?:{_ALWAYS}|{_IN_TAG_FORM})", re.I)
_LONGEST = 96  # visible characters of a tag that are looked at
_ODD_TAG = lazy_pattern(rf"[{_OPENING}][\s{_OPENING}/\\!?{_INVISIBLE}]*")
_AFTER_ODD = lazy_pattern(rf"(?:[{_INVISIBLE}]*[^{_INVISIBLE}>＞]){{0,{_LONGEST}}}[{_INVISIBLE}]*[>＞]?")
_BRACKETED_NAME = lazy_pattern(
    r"[/／]?(?:INST|SYS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|AVAILABLE_TOOLS|SYSTEM_PROMPT|gMASK|IMG)[\]］]", re.I
)
_BRACKETED = lazy_pattern(rf"[\[［](?={_BRACKETED_NAME.pattern})", re.I)
_ODD_BRACKET = lazy_pattern(rf"[\[［][{_INVISIBLE}]*")


def _both_widths(letter: str) -> str:
    return letter + chr(ord(letter) + 0xFEE0) if letter.isascii() else letter


_ROLES = ("system", "assistant", "human", "系统", "系統", "助手", "助理")
_CLOSING = rf"[\s{_INVISIBLE}*_`\"')\]】」]*[:：︰﹕]"
# Looked for first, since it is quick: the end of a role and its colon. Only then what stands before it in the line.
_ROLE_END = lazy_pattern(rf"[{''.join(sorted({_both_widths(role[-1]) for role in _ROLES}))}]{_CLOSING}", re.I)
_LINE_END = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_ADORNED = lazy_pattern(rf"[\s{_INVISIBLE}*_#>~`|\"'(\[【「\-•＊＃＞～｜（［＂＇－]")


def escape(text: str) -> str:
    """The text, unable to end or to imitate a section. Harmless text comes back unchanged."""
    text = _TAG.sub(_disarm_run, text)
    if _ODD.search(text):
        text = _ODD_TAG.sub(_disarm_odd, text)
        text = _ODD_BRACKET.sub(_disarm_odd_bracket, text)
    if "[" in text or "［" in text:
        text = _BRACKETED.sub("⟦", text)
    return _roles_quoted(text)


def one_line(text: str, limit: int) -> str:
    """A name or a description, for a line of our own: no line ends, not longer than ``limit``."""
    return escape(" ".join(text.split()))[:limit]


def _disarm_run(run: re.Match[str]) -> str:
    """Opening brackets and what may stand behind them, unless no name of ours follows."""
    return re.sub(f"[{_OPENING}]", "‹", run[0]) if _TAG_NAME.match(run.string, run.end()) else run[0]


def _disarm_odd(run: re.Match[str]) -> str:
    """As above where the name is in other widths, or has any number of characters in it that nobody sees."""
    name = _visible_after(run)
    return re.sub(f"[{_OPENING}]", "‹", run[0]) if _NAME.match(name) else run[0]


def _disarm_odd_bracket(run: re.Match[str]) -> str:
    return f"⟦{run[0][1:]}" if _BRACKETED_NAME.match(_visible_after(run)) else run[0]


def _visible_after(run: re.Match[str]) -> str:
    following = _AFTER_ODD.match(run.string, run.end())
    return _STRIP.sub("", unicodedata.normalize("NFKC", following[0] if following else ""))


def _roles_quoted(text: str) -> str:
    pieces: list[str] = []
    done = 0
    for end in _ROLE_END.finditer(text):
        last = end.start() + 1
        start = _role_start(text, last)
        if start is not None and start >= done:
            pieces += (text[done:start], "‹", text[start:last], "›")
            done = last
    return "".join((*pieces, text[done:]))


def _role_start(text: str, last: int) -> int | None:
    """Where the role that ends here begins, if nothing but adornment stands before it in its line. No character is
    passed over twice, whatever the text: a role ends at another role's colon, and adornment at its letters."""
    at, letters = last, ""
    while at > 0 and letters not in _ROLES:
        at -= 1
        if not _STRIP.match(text[at]):
            letters = unicodedata.normalize("NFKC", text[at]).lower() + letters
            if not any(role.endswith(letters) for role in _ROLES):
                return None
    if letters not in _ROLES:
        return None
    before = at
    while before > 0 and text[before - 1] not in _LINE_END:
        if not _ADORNED.match(text[before - 1]):
            return None
        before -= 1
    return at
