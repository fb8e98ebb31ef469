"""The fence around a file's text, and what keeps it closed (PRODUCT §5.5).

Sections stand between ``<pet-file …>`` and ``</pet-file>``. Whatever in a file looks like that fence, like a tag or
token with which some model marks roles, or like a role at the start of a line, is put out of action where one can
see it: ``‹`` for the opening bracket, ``‹System›:`` for ``System:``. Everything else stays as it is, so that the
pet can copy a passage for its edit tool. docs/decisions/0010-prompt-fence.md says why there is no secret fence.
"""

from __future__ import annotations

import re
import unicodedata

TAG = "pet-file"

_INVISIBLE = "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
_STRIP = re.compile(rf"[{_INVISIBLE}\s]+")
_OPENING = re.compile("[<＜﹤]")
_LOOKAHEAD = 96  # characters behind a bracket that may belong to a name; more would only be filling

# Names that are dangerous however the tag goes on, and names that are so only in a tag's own form: "<user name>" is
# what an owner writes into a template, "<user>" and "</user>" are not.
_ALWAYS = re.compile(rf"{TAG}|petfile|\||antml|im_|sys>|start_of|end_of|begin_of|start_header|end_header|tool_|function_")
_IN_TAG_FORM = re.compile(
    r"(?:s|bos|eos|sop|eop|pad|unk|inst|think|thinking|invoke|tools?|functions?|files?|documents?|context|recall|rules"
    r"|identity|souls?|users?|profile|memory|memories|system|assistant|human|model|agents|heartbeat|bootstrap|skills?)"
    r"(?:/?>|[a-z_-]+=[\"'])"
)
_BRACKETED = re.compile(
    r"[\[［](?=[/／]?(?:INST|SYS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|AVAILABLE_TOOLS|SYSTEM_PROMPT|gMASK|IMG)[\]］])", re.I
)


def _spelled(word: str) -> str:
    """A pattern for the word in half or full width, with invisible characters between its letters."""
    letters = [f"[{c}{chr(ord(c) + 0xFEE0)}]" if c.isascii() else c for c in word]
    return f"[{_INVISIBLE}]*".join(letters)


_LINE_START = "^|(?<=[\r\v\f\x1c-\x1e\x85\u2028\u2029])"
_ROLE = re.compile(
    rf"(?P<lead>(?:{_LINE_START})[\s{_INVISIBLE}*_#>~`|\"'(\[【「-]{{0,24}})"
    rf"(?P<role>{'|'.join(map(_spelled, ('system', 'assistant', 'human', '系统', '系統', '助手', '助理')))})"
    rf"(?P<colon>[\s{_INVISIBLE}*_`\"')\]】」]{{0,24}}[:：︰﹕])",
    re.I | re.M,
)


def fenced(name: str, text: str, state: str = "") -> str:
    """The section of a file; ``text`` must have gone through ``neutralised``."""
    about = f' state="{state}"' if state else ""
    return f'<{TAG} name="{name}"{about}>\n{text}\n</{TAG}>'


def neutralised(text: str) -> str:
    """The text, unable to end or to imitate a section. Harmless text comes back unchanged."""
    if _OPENING.search(text):
        text = _OPENING.sub(_disarm, text)
    if "[" in text or "［" in text:
        text = _BRACKETED.sub("⟦", text)
    return _ROLE.sub(r"\g<lead>‹\g<role>›\g<colon>", text)


def one_line(text: str, limit: int) -> str:
    """A name or a description, for a line of our own: no line ends, not longer than ``limit``."""
    return neutralised(" ".join(text.split()))[:limit]


def _disarm(bracket: re.Match[str]) -> str:
    following = bracket.string[bracket.end() : bracket.end() + _LOOKAHEAD]
    name = _STRIP.sub("", unicodedata.normalize("NFKC", following)).casefold().lstrip("<＜﹤/\\!?")
    return "‹" if _ALWAYS.match(name) or _IN_TAG_FORM.match(name) else bracket[0]
