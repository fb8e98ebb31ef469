"""The pet's greeting of the day, and its word of goodbye."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from pet.i18n import Texts
from pet.memory.reminders.occasions import Occasion
from pet.services.offers.offer import LAST, Answer, BubbleLine, Cue, Offer, OwnerCame
from pet.services.offers.wording import joined

if TYPE_CHECKING:
    from pet.services.offers.bubble import SpeechBubble

GREETINGS = 4
"""Lines per time of day."""
NAMED = 2
"""Lines per time of day with the owner's name."""


def _due(bubble: SpeechBubble, _cue: Cue) -> BubbleLine | None:
    """A greeting for an anniversary, else with a question after what is remembered, if one is welcome."""
    settings, now, today = bubble.pet.effective.current(), bubble.pet.clock.now(), bubble.life.today()
    if not bubble.pet.proactive.greeting_due(settings):
        return None

    def begin() -> bool:
        bubble.pet.proactive.greeted(settings)
        return True

    line = bubble.greeting_question(today.name) if today.occasion is None else None
    if line is not None:
        return replace(line, begin=lambda: begin() and line.begin())
    occasion, name = today.occasion, today.name

    def words(texts: Texts) -> str:
        if occasion is not None:
            return occasion_text(occasion, name, texts)
        return texts(greeting_key(now, named=bool(name)), name=name)

    field = Answer(id="field", text="bubble.answer", act=bubble.open_field, keeps=True)
    return BubbleLine(offer=GREETING, words=words, answers=(field,), tap=field.id, begin=begin)


GREETING = Offer(
    kind="greeting",
    on=(OwnerCame,),
    due=_due,
    setting=lambda settings: settings.greetings != "off",
    memory="settled",
    held="dropped",
    chat="shown",
    stays="time",
    rank=LAST,
    seconds=0.0,
    questions=0,
    pauses=True,
    voiced=True,
)
GOODBYE = replace(GREETING, kind="goodbye", on=(), due=None, pauses=False)


def goodbye_line(bubble: SpeechBubble) -> BubbleLine:
    """Return the words with which the pet leaves."""
    hour, name = bubble.pet.clock.now().hour, bubble.life.today().name
    key = f"bubble.goodbye_{'night' if hour >= 21 or hour < 5 else 'day'}{'_named' if name else ''}"
    return BubbleLine(offer=GOODBYE, words=lambda texts: texts(key, name=name))


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
