"""Every kind of line that the bubble has, against what its entry states."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import pytest

import pet.extras
import pet.services
from pet.bridge.chat_state import Unread
from pet.events import MemoryPaused, SettingsChanged
from pet.extras.agents import display as agent_display
from pet.extras.agents.book import AgentLabel
from pet.extras.heartbeat.heartbeat import heartbeat_line
from pet.extras.keepsakes.commands import saved_line
from pet.extras.questions.asking import Questions, changed_line, follow_up_line, recheck_line
from pet.extras.questions.followups import FollowUp
from pet.extras.questions.rechecks import Recheck
from pet.i18n import LANGUAGES, Texts
from pet.memory.reminders.reminder import Reminder
from pet.memory.store.about_owner import Statement
from pet.model import MISSING, Author, Proposal, Receipt
from pet.paths import find_home
from pet.services.offers import due_reminders, greetings, proposals, replies
from pet.services.offers.ask_field import FIELD, FieldLine
from pet.services.offers.bubble import SpeechBubble
from pet.services.offers.bubble_content import BubbleContent
from pet.services.offers.offer import BubbleLine, Offer, OwnerCame, Shape, always
from pet.settings.effective import PetSettingsSource
from pet.settings.schema import Settings
from tests.services.desk import Desktop, opened
from tests.support.program.parts import pet_of

LABEL = AgentLabel("codex-mcp-client", "/src/tundra")
REMINDER = Reminder(file="memory/2026-11-20.md", line=3, due=date(2026, 11, 21), text="Call the dentist")
EXAM = FollowUp(kind="event", what="x", text="the exam", file="memory/2026-11-20.md", line=3, day=date(2026, 11, 20))
LIMA = "Lives in Lima"
HOME = Statement(group="places", file="USER.md", start_line=3, end_line=3, text=LIMA, sentence=LIMA, day=None)
CHANGE = Proposal(id="p", file="SOUL.md", reason="soul", before="a", after="b", base="v")
SPOKEN = Settings(language="en")
OFF: dict[str, Settings] = {
    "reply": replace(SPOKEN, bubbles=False),
    "heartbeat": replace(SPOKEN, extras={**SPOKEN.extras, "heartbeat_daily_tokens": 0}),
    "greeting": replace(SPOKEN, greetings="off"),
    "goodbye": replace(SPOKEN, greetings="off"),
    "asking": replace(SPOKEN, ask_after=False),
    "recheck": replace(SPOKEN, ask_after=False),
    "reminders": replace(SPOKEN, reminder_bubbles=False),
    "state": replace(SPOKEN, extras={**SPOKEN.extras, "agents_shown": "silence"}),
}


def _greeting(bubble: SpeechBubble) -> BubbleLine:
    line = greetings.GREETING.due(bubble, OwnerCame()) if greetings.GREETING.due else None
    assert line is not None
    return line


def _questions(bubble: SpeechBubble) -> Questions:
    return Questions(bubble.pet)


def _recheck(bubble: SpeechBubble) -> BubbleLine:
    asking = _questions(bubble)
    return recheck_line(bubble, asking.record, asking.files, Recheck(stale=HOME, day=date(2026, 3, 1)))


def _changed(bubble: SpeechBubble) -> BubbleLine:
    receipt = Receipt(
        file="USER.md", history_id="1", before=MISSING, after=MISSING, added=0, removed=1, author=Author.OWNER
    )
    return changed_line(_questions(bubble).files, receipt)


def _agents(bubble: SpeechBubble) -> agent_display.AgentQuestions:
    app = pet_of(bubble=bubble, emitter=bubble.pet.emitter, name=lambda: "Mochi")
    return agent_display.AgentQuestions(app=app, book=None)  # type: ignore[arg-type]


EXAMPLES: dict[str, Callable[[SpeechBubble], BubbleLine]] = {
    "greeting": _greeting,
    "goodbye": greetings.goodbye_line,
    "due reminders": lambda bubble: due_reminders._line(bubble, due_reminders.DUE, (REMINDER,)),
    "held reminders": lambda bubble: due_reminders._line(bubble, due_reminders.HELD, (REMINDER,)),
    "recheck": _recheck,
    "changed": _changed,
    "asking": lambda bubble: follow_up_line(bubble, _questions(bubble).record, EXAM),
    "reply": lambda bubble: replies.long_line(bubble, replies.REPLY, "Hello"),
    "failed": lambda bubble: replies.failure(bubble, None),
    "no_chat": lambda bubble: replies.no_chat_line(bubble, "PySide6.QtWebEngineCore"),
    "heartbeat": lambda bubble: heartbeat_line(bubble, "Hello"),
    "question": lambda bubble: proposals.proposal_line(bubble, "c", CHANGE),
    "field": lambda bubble: FieldLine(offer=FIELD, words=lambda _texts: "", suggestions=list),
    "agent": lambda bubble: _agents(bubble)._question(LABEL, "key"),
    "permission": lambda _bubble: agent_display.permission_line(LABEL, "s", "ls", "Bash", lambda _answer: None),
    "state": lambda bubble: agent_display.state_line(bubble, "bubble.agent_done", LABEL, "s", 7),
    "line": lambda _bubble: agent_display.sent_line("Lunch", "Cook"),
    "saved": lambda bubble: saved_line(bubble, Path("Pictures/Mochi.png")),
}
"""A line of every kind."""


@dataclass
class Scene:
    desktop: Desktop
    bubble: SpeechBubble
    line: BubbleLine
    patch: pytest.MonkeyPatch

    @property
    def offer(self) -> Offer:
        return self.line.offer

    def shows(self) -> bool:
        return self.bubble.content().kind == self.offer.kind

    def set(self, settings: Settings) -> None:
        self.patch.setattr(PetSettingsSource, "current", lambda _source: settings)


@pytest.fixture(params=EXAMPLES)
def scene(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    with opened(find_home(tmp_path / "home")) as desktop:
        bubble = SpeechBubble(desktop.app)
        monkeypatch.setattr(PetSettingsSource, "current", lambda _source: SPOKEN)
        yield Scene(desktop, bubble, EXAMPLES[request.param](bubble), monkeypatch)
        bubble.close()


def test_every_kind_of_line_is_in_this_test() -> None:
    modules = [
        importlib.import_module(each.name)
        for package in (pet.services, pet.extras)
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    kinds = {each.kind for module in modules for each in vars(module).values() if isinstance(each, Offer)}
    with_examples = {"reminders" if name.endswith("reminders") else name for name in EXAMPLES}
    assert kinds == with_examples


def test_a_line_whose_setting_is_off_is_not_shown_and_one_that_is_goes(scene: Scene) -> None:
    if scene.offer.setting is always:
        assert scene.offer.kind not in OFF
        return
    scene.set(OFF[scene.offer.kind])
    assert scene.bubble.offer(scene.line) == 0
    assert not scene.shows()
    scene.set(SPOKEN)
    assert scene.bubble.offer(scene.line)
    scene.bubble.on_event(SettingsChanged())
    assert scene.shows()
    scene.set(OFF[scene.offer.kind])
    scene.bubble.on_event(SettingsChanged())
    assert not scene.shows()


def test_a_pause_of_memory_closes_what_needs_it_and_nothing_else(scene: Scene) -> None:
    assert scene.bubble.offer(scene.line)
    scene.desktop.app.conversations.pause(True)
    scene.bubble.on_event(MemoryPaused(paused=True))
    stays = scene.offer.memory == "any"
    assert scene.shows() is stays
    number = scene.bubble.offer(scene.line)
    assert (number > 0) is stays


def test_memory_off_by_default_closes_what_is_remembered(scene: Scene) -> None:
    assert scene.bubble.offer(scene.line)
    scene.set(replace(SPOKEN, memory_default=False))
    scene.bubble.on_event(SettingsChanged())
    assert scene.shows() is (scene.offer.memory in ("any", "running"))


@pytest.mark.parametrize("held", ["do not disturb", "quiet hours", "full screen", "chat"])
def test_a_line_that_is_held_comes_neither_in_quiet_nor_over_something(scene: Scene, held: str) -> None:
    match held:
        case "do not disturb":
            scene.set(replace(SPOKEN, do_not_disturb=True))
        case "quiet hours":
            scene.set(replace(SPOKEN, quiet_from="11:00", quiet_until="13:00"))
        case "full screen":
            scene.desktop.screen.aside = True
        case _:
            scene.desktop.screen.chat_shown = True
            scene.patch.setattr(Unread, "chat_in_front", True)
    scene.bubble.offer(scene.line)
    assert scene.shows() is (scene.offer.held == "never")


def test_a_line_costs_of_the_day_what_its_entry_says(scene: Scene) -> None:
    log = scene.desktop.app.proactive
    assert scene.bubble.offer(scene.line)
    assert len(log.today("asked_on")) == scene.offer.questions
    assert (log._spoke is not None) is scene.offer.pauses


def test_a_line_that_may_not_come_costs_nothing(scene: Scene) -> None:
    before = scene.desktop.app.state.read()
    scene.set(replace(SPOKEN, do_not_disturb=True))
    if scene.offer.held != "never":
        assert scene.bubble.offer(scene.line) == 0
        assert scene.desktop.app.state.read() == before
        assert scene.desktop.app.proactive._spoke is None


def test_a_line_is_worded_in_every_language(scene: Scene) -> None:
    drawn: list[BubbleContent] = []
    for language in LANGUAGES:
        shape = Shape(settings=SPOKEN, texts=Texts(language), now=scene.desktop.watch.now(), captures=True)
        content = scene.line.content(shape)
        assert content.text or content.reminders or content.field
        assert all(each.text for each in (*content.choices, *content.open_choices))
        drawn.append(content)
    words = [(each.text, each.choices, each.lead, each.field) for each in drawn]
    assert scene.offer.kind == "line" or all(words.count(each) == 1 for each in words)


def test_a_line_stays_as_long_as_its_entry_says(scene: Scene) -> None:
    assert scene.bubble.offer(scene.line)
    seconds = scene.bubble.content().seconds
    assert seconds >= scene.offer.seconds if scene.offer.stays == "time" else seconds == 0


def test_a_line_that_was_closed_is_answered_by_no_later_click(scene: Scene) -> None:
    number = scene.bubble.offer(scene.line)
    scene.bubble.answer("close", number)
    scene.bubble.answer("open", number)
    assert not scene.shows()
    assert scene.desktop.screen.views == []
