"""Text of the speech bubble: wording, display time, and replies without Markdown. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Literal

from pet.agents.activity import PermissionAnswer
from pet.agents.book import AgentLabel
from pet.events import ErrorInfo, TurnEnded
from pet.i18n import HAN, Language, Texts, catalogue
from pet.language.repetition import short_day
from pet.memory.followups import FollowUp, quoted
from pet.memory.occasions import Occasion
from pet.memory.rechecks import Recheck
from pet.memory.reminders import Reminder
from pet.model import Receipt, TurnEnd
from pet.services.bubble_content import BubbleContent, Choice, FieldContent, ReminderRow, ShownFile, Style
from pet.services.reminders import reminder_view, shown_moment
from pet.settings.schema import Settings
from pet.text.plain_markdown import MarkdownBlock, blocks
from pet.text.quick_replies import quick_replies
from pet.text.spoken_note import plain_note
from pet.text.unseen import reveal

SHORT = 220
"""Maximum characters shown in a bubble."""
_LINES = 5
_ENOUGH = 4_000  # characters of a reply that always contain its first lines
_LEFT_OUT = "\u2026"
_FLAGS = "".join(map(chr, range(0x1F1E6, 0x1F200)))  # two of these make one flag


def plain_text(markdown: str) -> tuple[str, bool]:
    """Return the text without Markdown, and whether code or tables were omitted."""
    lines: list[str] = []
    for piece in blocks(markdown, _ENOUGH):
        if piece.kind in ("code", "row"):
            if lines[-1:] != [_LEFT_OUT]:
                lines.append(_LEFT_OUT)
        else:
            lines.append(f"{piece.mark} {piece.text}" if piece.mark else piece.text)
    return "\n".join(lines).strip(), _LEFT_OUT in lines


def shortened(text: str) -> tuple[str, bool]:
    """Return the first lines, and whether text was cut. Cuts between words, never inside a grapheme."""
    lines = text.split("\n")
    kept = "\n".join(lines[:_LINES])
    if len(kept) <= SHORT:
        return kept, len(lines) > _LINES
    cut = kept[:SHORT]
    at = max(cut.rfind(" "), cut.rfind("\n"), *(cut.rfind(mark) + 1 for mark in "\u3002\uff01\uff1f\uff0c"))
    cut = cut[:at] if at > SHORT // 2 else cut
    while cut and _splits_grapheme(cut, kept[len(cut)]):
        cut = cut[:-1]
    return cut.rstrip() + "\u2026", True


def _splits_grapheme(cut: str, after: str) -> bool:
    """Return whether ``after`` belongs to the last grapheme of ``cut``: an accent, a skin tone, half a flag."""
    if "\u200d" in (cut[-1], after) or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    flags = len(cut) - len(cut.rstrip(_FLAGS))
    return unicodedata.category(after).startswith("M") or (after in _FLAGS and flags % 2 == 1)


Kind = Literal[
    "none",
    "field",
    "reply",
    "failed",
    "question",
    "greeting",
    "asking",
    "heartbeat",
    "reminders",
    "agent",
    "line",
    "state",
    "permission",
    "recheck",
    "changed",
    "saved",
    "goodbye",
]

GREETINGS = 4
"""Lines per time of day."""
NAMED = 2
"""Lines per time of day with the owner's name."""
_WEEK = 6  # days back that a weekday's name means
QUESTIONS = 2
"""Variants per kind of question."""
_LINE_END = "\n"
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){3,}")
_PLACEHOLDER = re.compile(r"\{\w+\}")
_FASTEST, _SLOWEST = 6.0, 45.0
_LETTERS_A_SECOND = 13.0
_CJK_A_SECOND = 5.0
_CJK = re.compile(f"[\u3040-\u30ff\uac00-\ud7af{HAN}]")
_QUOTE_SHOWN = 400
_ENDING = 1_500  # characters of a reply that quick replies are looked for in
_FAILURES = {TurnEnd.FAILED: "bubble.failed", TurnEnd.CUT: "bubble.cut", TurnEnd.REFUSED: "ui.end.refused"}
_UNASKED = 20.0  # seconds at least, for unsolicited messages
WAITS = ("reminders", "question", "field", "agent", "permission")
"""Kinds that stay until they are answered."""
WORDLESS = ("none", "field")
"""Kinds without words of the pet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldFile:
    """A picture or a text that the field asks about. ``image``: a data address of a small copy, "" for a text;
    ``note``: how much of it is sent, "" for all."""

    id: str
    name: str
    image: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """A permission that an agent asks for. ``command``: whole, as ``marked``; ``decide``: takes
    the answer, of which only the first counts."""

    command: str
    tool: str
    decide: Callable[[PermissionAnswer], object]


def marked(command: str) -> str:
    """Return the text with every character that can't be seen as its code point, and blank lines folded; tabs and
    line ends stay. A wide space is a letter to a shell, so it is one here.

    >>> marked(f"rm{chr(0x200B)} -r {chr(0x202E)}x" + 9 * chr(10) + "y").split(chr(10))
    ['rm⟨200B⟩ -r ⟨202E⟩x', '⟨↵ 8⟩', 'y']
    """
    shown = reveal(command, "⟨{:X}⟩").replace("\u3000", "⟨3000⟩")
    return _BLANK_LINES.sub(lambda lines: f"\n⟨↵ {lines[0].count(_LINE_END) - 1}⟩\n", shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """Content of the bubble, independent of the language, which may change while it is shown."""

    kind: Kind
    number: int = 0
    text: str = ""
    key: str = ""  # of the catalogue, for a built-in line
    more: bool = False
    pieces: tuple[MarkdownBlock, ...] = ()
    ending: str = ""
    error: ErrorInfo | None = None
    name: str = ""  # of the owner, in a greeting; of the pet, in the question about an agent
    occasion: Occasion | None = None  # of the day, in a greeting
    at: datetime | None = None
    question: FollowUp | None = None
    conversation: str | None = None
    reminders: tuple[Reminder, ...] = ()
    agent: AgentLabel | None = None
    sender: str = ""  # of a line that another program says
    session: str = ""  # of the agent
    window: int = 0  # of the agent, 0 if unknown
    permission: Permission | None = None
    recheck: Recheck | None = None
    receipt: Receipt | None = None  # of a change that the owner's answer made
    stays: bool = False  # a reply that the owner asked for here: it stays
    files: tuple[FieldFile, ...] = ()  # in the field, held by its conversation
    copied: bool = False  # the field's text comes from the clipboard
    reading: str = ""  # name of a file that comes into the field
    saved: Path | None = None  # a picture or film of the pet
    refused: ErrorInfo | None = None  # why the last one did not, or could not be sent


def worded(speech: Speech, texts: Texts) -> str:
    """Return the text in a language; missing arguments of an error become "?"."""
    match speech:
        case Speech(error=ErrorInfo() as error) if f"error.{error.code}" in catalogue(texts.language):
            return _worded_error(error, texts)
        case Speech(kind="permission", agent=AgentLabel() as agent, permission=Permission(tool=tool)):
            return texts("bubble.permission", name=agent.title, folder=agent.folder, tool=tool or "?")
        case Speech(kind="state", agent=AgentLabel() as agent):
            return texts(speech.key, name=agent.title, folder=agent.folder_name)
        case Speech(agent=AgentLabel() as agent):
            key = "ui.agents.asks" if agent.is_known else "ui.agents.asks_unknown"
            return texts(key, pet=speech.name, name=agent.title, folder=agent.folder)
        case Speech(kind="line"):
            return texts("bubble.line", sender=speech.sender, text=speech.text)
        case Speech(key=str() as key) if key:
            return texts(key)
        case Speech(kind="greeting", occasion=Occasion() as occasion):
            return occasion_text(occasion, speech.name, texts)
        case Speech(kind="greeting", at=datetime() as at):
            return texts(greeting_key(at, named=bool(speech.name)), name=speech.name)
        case Speech(kind="goodbye", at=datetime() as at):
            part = "night" if at.hour >= 21 or at.hour < 5 else "day"
            return texts(f"bubble.goodbye_{part}{'_named' if speech.name else ''}", name=speech.name)
        case Speech(recheck=Recheck() as recheck):
            return recheck_text(recheck, texts)
        case Speech(saved=Path() as saved):
            return texts("bubble.saved", file=saved.name, folder=saved.parent.name)
        case Speech(kind="changed", receipt=Receipt(file=file)):
            return texts("memory.changed", file=file)
        case Speech(kind="asking", at=datetime() as at, question=FollowUp() as question):
            asked = texts(question_key(question.kind, at.date()), what=question.what)
            return joined((*lead_in(speech.name, question, at, texts), asked), texts.language)
        case _:
            return speech.text


def failure_speech(event: TurnEnded) -> Speech | None:
    """Return the bubble of a reply that failed or was cut off; None if it did not."""
    key = _FAILURES.get(event.end)
    error = event.error if event.end is TurnEnd.FAILED else None
    return Speech(kind="failed", key=key, error=error, conversation=event.conversation) if key else None


def reply_speech(reply: str, conversation: str, *, stays: bool, marked: bool) -> Speech | None:
    """Return the bubble of a reply; None if it has no words. ``marked``: it claims a note that was not written."""
    whole, left_out = plain_text(reply)
    text, cut = shortened(whole)
    if not text:
        return None
    more = cut or left_out
    return Speech(
        kind="reply",
        text=text,
        more=more,
        pieces=tuple(blocks(reply)) if more else (),
        ending="" if marked else reply[-_ENDING:],
        stays=stays,
        conversation=conversation,
    )


def bubble_content(
    speech: Speech, settings: Settings, texts: Texts, now: datetime, suggestions: list[str], *, captures: bool
) -> BubbleContent:
    """Return what the bubble draws. ``captures``: the desktop has screenshots."""
    text = worded(speech, texts)
    field = _field(speech, text, texts, captures=captures) if speech.kind == "field" else None
    asks = field is not None and bool(text or speech.files)
    quick = quick_words(speech.ending)[1] if settings.quick_replies else []
    closed, opened = _choices(speech, texts, suggestions if asks else quick)
    return BubbleContent(
        number=speech.number,
        kind=speech.kind,
        text="" if field is not None else text,
        lead=texts("bubble.reminders") if speech.kind == "reminders" else "",
        command=speech.permission.command if speech.permission else "",
        pieces=speech.pieces,
        choices=closed,
        open_choices=opened,
        reminders=tuple(_reminder_row(reminder, now, texts) for reminder in speech.reminders),
        field=field,
        tap="field" if speech.kind == "greeting" else "",
        rests=speech.kind in ("agent", "permission"),
        wide=speech.kind == "permission",
        seconds=shown_seconds(speech, text, settings),
        language=texts.language,
        theme=settings.theme,
        reduced_motion=settings.reduced_motion,
        close=texts("bubble.close"),
        rest_name=texts("bubble.rest"),
        command_name=texts("bubble.command"),
    )


def quick_words(reply: str) -> tuple[Language, list[str]]:
    """Return the language of a reply, and quick replies to it."""
    made = quick_replies(reply)
    words = Texts(made.language)
    return made.language, [each.text or words(f"ui.quick.{each.key}") for each in made.replies]


def _choices(speech: Speech, texts: Texts, quick: list[str]) -> tuple[tuple[Choice, ...], tuple[Choice, ...]]:
    """Return the buttons, and those of the whole text."""

    def choice(name: str, word: str, style: Style = "plain") -> Choice:
        return Choice(id=name, text=texts(f"bubble.{word}"), style=style)

    look_in_chat, to_chat = choice("open", "look", "main"), choice("open", "open", "quiet")
    match speech.kind:
        case "field":
            return tuple(Choice(id=text, text=text, style="quick") for text in quick), ()
        case "state":
            return (choice("go_there", "go_there", "main"),) if speech.window else (), ()
        case "saved":
            return (choice("go_there", "open_folder", "main"),), ()
        case "permission":
            return (choice("allow", "allow"), choice("deny", "deny"), choice("ask_there", "ask_there", "quiet")), ()
        case "failed" | "question":
            return (look_in_chat,), ()
        case "agent":
            asked = choice("agent_read", "read_only"), choice("agent_later", "not_now")
            return (*asked, choice("agent_never", "never", "quiet")), ()
        case "recheck":
            asked = choice("holds", "yes"), choice("ended", "no_longer")
            return (*asked, choice("no_recheck", "dont_ask_again", "quiet")), ()
        case "changed":
            return (choice("undo", "undo"),), ()
        case "asking":
            asked = choice("open", "tell", "main"), choice("close", "not_now")
            return (*asked, choice("leave_alone", "dont_ask", "quiet")), ()
        case "greeting":
            return (choice("field", "answer"),), ()
        case "reply" | "heartbeat":
            less = choice("less", "less")
            replies = tuple(Choice(id=f"{SAY}{text}", text=text, style="quick") for text in quick)
            opened = (*replies, less, to_chat) if replies else (choice("open", "answer", "main"), less)
            if speech.more:
                return (choice("more", "more", "main"), choice("open", "open")), opened
            return ((*replies, to_chat) if replies else (choice("open", "answer"),)), ()
        case _:
            return (), ()


SAY = "say:"
"""Begins the id of a choice that says its text."""
SNOOZE = "until:"
"""Begins the id of a choice that puts a reminder off, before the moment in words."""
_EVENING = 18  # the hour from which "this evening" is not offered


def reminder_key(reminder: Reminder) -> str:
    """Return what names this reminder, and this one of a series, in an answer."""
    return f"{reminder.file}:{reminder.line}:{shown_moment(reminder)}"


def _reminder_row(reminder: Reminder, now: datetime, texts: Texts) -> ReminderRow:
    def choice(name: str, word: str, style: Style = "plain") -> Choice:
        return Choice(id=name, text=texts(f"bubble.{word}"), style=style)

    view = reminder_view(reminder, now.date(), texts)
    when = texts("bubble.overdue", due=short_day(reminder.due, now.date(), texts)) if view.overdue else view.at
    evening = (choice(f"{SNOOZE}this evening", "this_evening"),) if now.hour < _EVENING else ()
    return ReminderRow(
        key=reminder_key(reminder),
        text=plain_note(view.text),
        when=" · ".join(filter(None, (when, view.repeats))),
        choices=(choice("done", "done", "main"), choice("later", "later")),
        later=(
            choice(f"{SNOOZE}in 10 minutes", "in_ten_minutes"),
            choice(f"{SNOOZE}in an hour", "in_an_hour"),
            *evening,
            choice(f"{SNOOZE}tomorrow", "tomorrow"),
            choice("back", "back", "quiet"),
        ),
    )


def _field(speech: Speech, text: str, texts: Texts, *, captures: bool) -> FieldContent:
    quoted_name = texts("bubble.copied" if speech.copied else "bubble.quoted")
    above = "" if not speech.copied else quoted_name if text else texts("bubble.copy_first")
    asks = bool(text or speech.copied or speech.files)
    return FieldContent(
        prompt=texts("bubble.ask" if asks else "bubble.say"),
        quoted=text[:_QUOTE_SHOWN],
        quoted_name=quoted_name,
        remove_quoted=texts("bubble.remove", name=quoted_name),
        above=above,
        below=f"\u2026 {texts('bubble.quote_cut')}" if text and speech.more else "",
        files=tuple(
            ShownFile(
                id=file.id,
                name=file.name,
                image=file.image,
                note=file.note,
                remove=texts("bubble.remove", name=file.name),
            )
            for file in speech.files
        ),
        notice=field_notice(speech, texts),
        awaits_copy=speech.copied and not text,
        capture=texts("bubble.screenshot") if captures else "",
    )


def field_notice(speech: Speech, texts: Texts) -> str:
    """Return what the field says about a file: that it is read, or why it was refused."""
    if speech.reading:
        return texts("ui.attach.reading", name=speech.reading)
    return _worded_error(speech.refused, texts) if speech.refused else ""


def _worded_error(error: ErrorInfo, texts: Texts) -> str:
    return _PLACEHOLDER.sub("?", texts(f"error.{error.code}", **error.args))


def shown_seconds(speech: Speech, text: str, settings: Settings) -> float:
    """Return the display time by the length of the text; 0 until it is answered."""
    if speech.kind in WAITS or speech.stays:
        return 0.0
    needed = reading_seconds(text, settings.bubble_seconds)
    unasked = speech.kind in ("asking", "recheck", "changed", "saved", "heartbeat", "failed", "state")
    return max(needed, _UNASKED) if unasked and not settings.bubble_seconds else needed


def reading_seconds(text: str, wished: int = 0) -> float:
    """Return the display time; ``wished``: the owner's setting, 0 for none."""
    if wished:
        return float(wished)
    cjk = len(_CJK.findall(text))
    needed = 3.0 + cjk / _CJK_A_SECOND + (len(text) - cjk) / _LETTERS_A_SECOND
    return round(min(_SLOWEST, max(_FASTEST, needed)), 1)


def greeting_key(now: datetime, *, named: bool = False) -> str:
    """Return the catalogue key of a greeting for the time of day; varies by day, constant within one."""
    hour = now.hour
    part = "morning" if 5 <= hour < 11 else "day" if 11 <= hour < 18 else "evening" if 18 <= hour < 23 else "night"
    if named:
        return f"bubble.named_{part}_{1 + now.toordinal() % NAMED}"
    return f"bubble.greeting_{part}_{1 + now.toordinal() % GREETINGS}"


def occasion_text(occasion: Occasion, name: str, texts: Texts) -> str:
    """Return the greeting of an anniversary."""
    kind = f"{occasion.kind}_one" if occasion.count == 1 else occasion.kind
    if occasion.kind == "birthday":
        return texts(f"bubble.occasion_birthday{'' if name else '_nameless'}", name=name)
    words = texts(f"bubble.occasion_{kind}", count=occasion.count, what=occasion.what)
    return joined((texts("bubble.hello", name=name), words) if name else (words,), texts.language)


def joined(sentences: Iterable[str], language: Language) -> str:
    return ("" if language == "zh" else " ").join(sentences)


def lead_in(name: str, question: FollowUp, now: datetime, texts: Texts) -> Iterator[str]:
    """Yield what a question begins with: the owner's name, and the day it is about if that is within a week."""
    if name:
        yield texts("bubble.hello", name=name)
    days = (now.date() - question.day).days
    if question.kind != "hard" and 1 <= days <= _WEEK:
        yield texts("bubble.about_yesterday" if days == 1 else f"bubble.about_{question.day.weekday()}")


def question_key(kind: str, day: date) -> str:
    """Return the catalogue key of a question about a remembered item."""
    return f"bubble.ask_{kind}_{1 + day.toordinal() % QUESTIONS}"


def recheck_text(recheck: Recheck, texts: Texts) -> str:
    """Return the question about a line that may no longer hold."""
    what, month = quoted(recheck.stale.sentence), texts(f"memory.month_{recheck.day.month}")
    if recheck.newer is not None:
        return texts(
            "memory.recheck_newer",
            what=what,
            month=month,
            year=recheck.day.year,
            newer=quoted(recheck.newer.sentence),
        )
    return texts("memory.recheck", what=what, month=month, year=recheck.day.year)
