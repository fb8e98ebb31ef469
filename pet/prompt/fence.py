"""Escape texts so that they can't end or imitate a section (``pet.text.markup``), a role or a control token.

Opening brackets of such tags become ``‹``, and ``System:`` at the start of a line becomes ``‹System›:``. The rest
stays, so that the pet can copy a passage for its edit tool. docs/decisions/0012-prompt-fence.md says why there is no
secret fence.
"""

from __future__ import annotations

import re
import unicodedata

from pet.language.labels import ROLES
from pet.text.lazy_pattern import lazy_pattern
from pet.text.markup import TAGS
from pet.text.unseen import RANGES

_CONTROL = "\x00-\x08\x0e-\x1b\x7f"
_INVISIBLE = _CONTROL + "".join(f"{chr(first)}-{chr(last)}" for first, last in RANGES if first > 0x7F)
_STRIP = lazy_pattern(f"[{_INVISIBLE}]+")
_ODD = lazy_pattern(f"[^\x00-\x7f]|[{_CONTROL}]")

# Names that are dangerous however the tag continues, and names that are only in the form of a whole tag: owners write
# "<user name>" into templates, but not "<user>" or "</user>".
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
_TAG = lazy_pattern(rf"[{_OPENING}][\s{_OPENING}/\\!?]*")  # the whole run, so that matching stays linear
_TAG_NAME = lazy_pattern(rf"(?:{_ALWAYS}|{_IN_TAG_FORM})", re.I)
_NAME = lazy_pattern(rf"[\s</\\!?]*(?:{_ALWAYS}|{_IN_TAG_FORM})", re.I)
_LONGEST = 96  # visible characters of a tag that are matched
_ODD_TAG = lazy_pattern(rf"[{_OPENING}][\s{_OPENING}/\\!?{_INVISIBLE}]*")
_AFTER_ODD = lazy_pattern(rf"(?:[{_INVISIBLE}]*[^{_INVISIBLE}>＞]){{0,{_LONGEST}}}[{_INVISIBLE}]*[>＞]?")
_BRACKETED_NAME = lazy_pattern(
    r"[/／]?(?:INST|SYS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|AVAILABLE_TOOLS|SYSTEM_PROMPT|gMASK|IMG)[\]］]", re.I
)
_BRACKETED = lazy_pattern(rf"[\[［](?={_BRACKETED_NAME.pattern})", re.I)
_ODD_BRACKET = lazy_pattern(rf"[\[［][{_INVISIBLE}]*")


def _both_widths(letter: str) -> str:
    return letter + chr(ord(letter) + 0xFEE0) if letter.isascii() else letter


_CLOSING = rf"[\s{_INVISIBLE}*_`\"')\]】」]*[:：︰﹕]"
# Matched first because it is fast: the end of a role and its colon; then the line before it is checked.
_ROLE_END = lazy_pattern(rf"[{''.join(sorted({_both_widths(role[-1]) for role in ROLES}))}]{_CLOSING}", re.I)
_LINE_END = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_ADORNED = lazy_pattern(rf"[\s{_INVISIBLE}*_#>~`|\"'(\[【「\-•＊＃＞～｜（［＂＇－]")


def escape(text: str) -> str:
    """Return the text, unable to end or imitate a section. Harmless text is unchanged."""
    text = _TAG.sub(_disarm_run, text)
    if _ODD.search(text):
        text = _ODD_TAG.sub(_disarm_odd, text)
        text = _ODD_BRACKET.sub(_disarm_odd_bracket, text)
    if "[" in text or "［" in text:
        text = _BRACKETED.sub("⟦", text)
    return _roles_quoted(text)


def one_line(text: str, limit: int) -> str:
    """Return an escaped name or description without line ends, of at most ``limit`` characters."""
    return escape(" ".join(text.split()))[:limit]


def _disarm_run(run: re.Match[str]) -> str:
    """Replace the opening brackets of a run if one of the names follows."""
    return re.sub(f"[{_OPENING}]", "‹", run[0]) if _TAG_NAME.match(run.string, run.end()) else run[0]


def _disarm_odd(run: re.Match[str]) -> str:
    """Same, for names in other widths or with invisible characters in them."""
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
    """Return the start of the role that ends here, if only adornment precedes it in its line. Linear in total: a role
    ends at another role's colon, and adornment at its letters.
    """
    at, letters = last, ""
    while at > 0 and letters not in ROLES:
        at -= 1
        if not _STRIP.match(text[at]):
            letters = unicodedata.normalize("NFKC", text[at]).lower() + letters
            if not any(role.endswith(letters) for role in ROLES):
                return None
    if letters not in ROLES:
        return None
    before = at
    while before > 0 and text[before - 1] not in _LINE_END:
        if not _ADORNED.match(text[before - 1]):
            return None
        before -= 1
    return at
