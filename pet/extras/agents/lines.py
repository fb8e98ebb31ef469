"""Bubble lines about other agents: the question about a new one, a permission, a session's state, and lines
that programs hand in."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING

from pet.errors import BadArguments
from pet.events import Event
from pet.extras.agents.access import AgentMode
from pet.extras.agents.activity import PermissionAnswer
from pet.extras.agents.book import AgentBook, AgentClient, AgentLabel, visible_line
from pet.extras.agents.events import AgentAsked, AgentsChanged
from pet.extras.agents.settings import AgentSettings
from pet.services.offers.bubble import SpeechBubble
from pet.services.offers.offer import LAST, UNASKED, Answer, BubbleLine, Offer, always
from pet.text.unseen import reveal

if TYPE_CHECKING:
    from pet.extras.agents.gateway import Asked

LONGEST_LINE = 280
"""Characters of a line that another program says; what is longer is cut."""
_LONGEST_SENDER = 40
AGENT_SECONDS = 600.0
"""Time for the question about another agent, which comes again the next day. A permission has its hook's."""
_LINE_END = "\n"
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){3,}")
_BLANKS = re.compile(r"[ \t]{40,}")

AGENT = Offer(
    kind="agent",
    on=(),
    due=None,
    setting=always,  # each agent's position is its own
    memory="running",
    held="kept",
    chat="shown",
    stays="queued",
    rank=4,
    seconds=0.0,
    questions=0,
    pauses=False,
    voiced=True,
)
PERMISSION = replace(AGENT, kind="permission", memory="any", held="dropped", rank=1)
LINE = replace(PERMISSION, kind="line", stays="time", rank=LAST)
STATE = replace(
    LINE,
    kind="state",
    seconds=UNASKED,
    setting=lambda settings: settings.of(AgentSettings).agents_shown == "reactions",
)


def marked(command: str) -> str:
    """Return the text with every character that can't be seen as its code point, and blank lines and long blanks
    folded; other tabs and line ends stay. A wide space is a letter to a shell, so it is one here.

    >>> marked(f"rm{chr(0x200B)} -r {chr(0x202E)}x" + 9 * chr(10) + "y" + 99 * " " + "z").split(chr(10))
    ['rm⟨200B⟩ -r ⟨202E⟩x', '⟨↵ 8⟩', 'y ⟨␣ 99⟩ z']
    """
    shown = reveal(command, "⟨{:X}⟩").replace("\u3000", "⟨3000⟩")
    shown = _BLANK_LINES.sub(lambda lines: f"\n⟨↵ {lines[0].count(_LINE_END) - 1}⟩\n", shown)
    return _BLANKS.sub(lambda blanks: f" ⟨␣ {len(blanks[0])}⟩ ", shown)


def permission_line(
    agent: AgentLabel, session: str, command: str, tool: str, decide: Callable[[PermissionAnswer], object]
) -> BubbleLine:
    """Return the question for a permission; ``decide``: takes the answer, "" to leave it to the agent's own."""
    return BubbleLine(
        offer=PERMISSION,
        words=lambda texts: texts("bubble.permission", name=agent.title, folder=agent.folder, tool=tool or "?"),
        answers=(
            Answer(id="allow", text="bubble.allow", act=lambda: decide("allow")),
            Answer(id="deny", text="bubble.deny", act=lambda: decide("deny")),
            Answer(id="ask_there", text="bubble.ask_there", style="quiet", act=lambda: decide("")),
        ),
        session=session,
        command=marked(command),
        rests=True,
        ended=lambda: decide(""),
    )


def state_line(bubble: SpeechBubble, key: str, agent: AgentLabel, session: str, window: int) -> BubbleLine:
    """Return what an agent's session is at. ``window``: its handle, 0 if unknown."""
    there = Answer(
        id="go_there", text="bubble.go_there", style="main", act=lambda: bubble.windows.system.raise_window(window)
    )
    return BubbleLine(
        offer=STATE,
        words=lambda texts: texts(key, name=agent.title, folder=agent.folder_name),
        answers=(there,) if window else (),
        session=session,
    )


def sent_line(text: str, sender: str) -> BubbleLine:
    """Return a line of another program."""
    return BubbleLine(offer=LINE, words=lambda texts: texts("bubble.line", sender=sender, text=text))


def _undecided(book: AgentBook, label: AgentLabel, line: BubbleLine, event: Event) -> BubbleLine | None:
    client = book.state().client(label) if isinstance(event, AgentsChanged) else None
    decided = client is not None and (client.never or client.mode is not AgentMode.OFF)
    return None if decided else line


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentQuestions:
    """Thread-safe: what is shown is kept by the bubble."""

    bubble: SpeechBubble
    book: AgentBook
    pet_name: Callable[[], str]
    _lock: RLock = field(init=False, default_factory=RLock)

    def ask_agent(self, client: AgentClient, new: bool) -> Asked:
        """Return whether the owner is being asked about another agent, in the open chat or in the bubble. ``new``:
        begin to, where that is possible now."""
        label = client.label
        key = f"{label.name}\0{label.folder}"
        with self._lock:
            asking = self.bubble.is_asked(key) or (new and self.bubble.offer(self._question(label, key)) > 0)
            return "asking" if asking else "not_asked"

    def _question(self, label: AgentLabel, key: str) -> BubbleLine:
        pet, title = self.pet_name(), label.title
        words = "ui.agents.asks" if label.is_known else "ui.agents.asks_unknown"

        def settle(mode: AgentMode) -> Callable[[], object]:
            return lambda: self.book.set_mode(label, mode, never=mode is AgentMode.OFF)

        def ask_in_chat(number: int) -> None:
            self.bubble.emit(
                AgentAsked(number=number, name=label.name, folder=label.folder, title=title, known=label.is_known)
            )

        return BubbleLine(
            offer=AGENT,
            words=lambda texts: texts(words, pet=pet, name=title, folder=label.folder),
            answers=(
                Answer(id="agent_read", text="bubble.read_only", act=settle(AgentMode.READ_ONLY)),
                Answer(id="agent_later", text="bubble.not_now", act=lambda: None),
                Answer(id="agent_never", text="bubble.never", style="quiet", act=settle(AgentMode.OFF)),
            ),
            session=key,
            rests=True,
            renewed=partial(_undecided, self.book, label),
            ask_in_chat=ask_in_chat,
            expires=AGENT_SECONDS,
        )

    def say_line(self, text: str, sender: str) -> bool:
        """Show a line of another program with its sender's name; return whether that is allowed now. Quiet hours, an
        open chat, full screen and a bubble that waits for an answer hold it; it is not shown later."""
        text, sender = visible_line(text, LONGEST_LINE), visible_line(sender, _LONGEST_SENDER)
        if not text or not sender:
            raise BadArguments(where="text", why="value")
        return self.bubble.offer_if_free(sent_line(text, sender))
