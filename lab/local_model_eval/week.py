"""Let nine owners say 150 labelled requests in a week, and ask the day after for what they said.

    python -m lab.local_model_eval.week
    python -m lab.local_model_eval.week /path/to/model.gguf --half adding

The whole program answers, in a home for each owner. Without a model a scripted one decides as labelled, and a
question is answered right if its request holds the note. With one, its decisions are those recorded in
``*_answers.json``, and its own replies to the questions are read.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from lab.local_model_eval.__main__ import HERE, Case, cases, numbered, recorded_answers
from pet.app import Pet
from pet.engine.conversation import LiveConversation
from pet.events import Event, ProposalAsked
from pet.extras.local_models.provider import LocalModelProvider
from pet.extras.local_models.supervisor import Supervisor
from pet.i18n import LANGUAGES, Texts
from pet.language.wishes import stated_fact
from pet.memory.store.split_entries import bare
from pet.model import Refused, Request, StopReason, TextPart, Usage
from pet.paths import find_home
from pet.providers.base import Provider, RoundDone, Streamed, TextChunk
from pet.transcripts.conversation import Turn
from tests.support.clocks import DayClock

_DAYS = 7
_EARLIER = tuple(Texts(language)("prompt.context.earlier") for language in LANGUAGES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A receipt that offers to replace a line. ``right``: it is the labelled one."""

    case: Case
    chat: LiveConversation
    turn: str
    call: str
    right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """``noted``: the request held the note. ``stale``: and the older line, not marked as such."""

    id: str
    noted: bool
    stale: bool
    right: bool
    reply: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """What came of one owner's week. ``lost``: lines of the files that are gone and still true, after the owner took
    each right offer."""

    messages: int
    changes: int
    offers: tuple[Offer, ...]
    questions: tuple[Question, ...]
    lost: tuple[str, ...]


def weeks(half: str = "") -> list[list[Case]]:
    """Return the requests that nothing was fitted to, by owner: three of four of ``unasked``, and ``adding``."""
    chosen = [*(each for each in cases("unasked") if int(each.id[-2:]) % 4), *cases("adding")]
    chosen = [each for each in chosen if each.id.startswith(half)]
    chosen.sort(key=_owner)
    return [list(said) for _, said in groupby(chosen, key=_owner)]


def _owner(case: Case) -> list[str]:
    return [*case.files.values()]


class Speaker:
    """Implements ``Provider``: decides as recorded or labelled. ``model`` replies to questions, if there is one."""

    def __init__(self, answers: Mapping[str, str], model: Provider | None) -> None:
        self._answers, self._model = answers, model
        self.case: Case | None = None  # the request that is being said; None: a question
        self.sent: list[str] = []  # the lines of the last request for a reply

    async def stream(self, request: Request) -> AsyncIterator[Streamed]:
        if request.schema is None:
            self.sent = _lines_of(request)
            if self.case is None and self._model is not None:
                async for event in self._model.stream(request):
                    yield event
                return
        text = "Ok." if request.schema is None else self._decision(request.schema)
        yield TextChunk(text=text)
        yield RoundDone(parts=(TextPart(text=text),), stop=StopReason.END_TURN, usage=Usage(), model="scripted")

    def _decision(self, schema: Mapping[str, object]) -> str:
        case = self.case
        if case is None:
            return '{"is":"question"}'
        if "anyOf" not in schema:  # which line of SOUL.md
            return json.dumps({"line": 1, "new": case.message})
        kind = {"note": "fact", "correct": "change", "soul": "pet"}.get(case.do, "chat")
        labelled = {"is": kind, **({"line": case.line, "new": case.has} if kind == "change" else {})}
        return self._answers.get(case.id) or json.dumps(labelled)

    async def list_models(self, *, every: bool = False) -> list[str]:
        return ["scripted"]

    async def close(self) -> None:
        if self._model is not None:
            await self._model.close()


def _lines_of(request: Request) -> list[str]:
    texts = [block.text for block in request.system]
    texts += [part.text for message in request.messages for part in message.parts if isinstance(part, TextPart)]
    return "\n".join(texts).split("\n")


@contextmanager
def _pet(said: Sequence[Case], speaker: Speaker, clock: DayClock, folder: Path) -> Iterator[Pet]:
    home = find_home(folder)
    home.config.mkdir(parents=True)
    settings = f'language = "{said[0].id.split("-")[1]}"\nnotebook = "on"\ncontext_window = 4096\n'
    home.settings_file.write_text(settings, encoding="utf-8")
    app = Pet(home, environ={}, clock=clock, provider=speaker, channel="terminal", recall_seconds=30)

    def refuse(asked: Event) -> None:
        if isinstance(asked, ProposalAsked):
            app.conversations.open(asked.conversation).answer(asked.proposal.id, Refused(why="owner"))

    try:
        for name, text in said[0].files.items():
            (app.store.root / name).write_text(text, encoding="utf-8")
        app.emitter.subscribe(refuse, ProposalAsked, name="week")
        app.index.wait_until_warm(60)
        yield app
    finally:
        app.close()


def _say(app: Pet, text: str) -> tuple[LiveConversation, Turn]:
    chat = app.conversations.create(memory=True)
    chat.send(text)
    chat.wait(900)
    return chat, chat.folded().turns[-1]


def play(said: Sequence[Case], speaker: Speaker, folder: Path, *, reads: bool) -> Week:
    """Play one owner's week. ``reads``: replies are judged, and not only what their requests hold."""
    clock = DayClock()
    with _pet(said, speaker, clock, folder) as app:
        before = _file_lines(app, said[0])
        offers: list[Offer] = []
        for place, case in enumerate(said):
            if place and place * _DAYS // len(said) > (place - 1) * _DAYS // len(said):
                clock.later(days=1)
            speaker.case = case
            offers += _offers(case, *_say(app, case.message))
        speaker.case = None
        clock.later(days=1)
        app.index.get().refresh()  # as the program does on a desktop
        questions = tuple(_asked(app, speaker, case, reads=reads) for case in said if case.question)
        taken = [each for each in offers if each.right]
        for each in taken:
            each.chat.receipts.replace_earlier(each.turn, each.call)
        replaced, after = {_older(each.case) for each in taken}, _file_lines(app, said[0])
    return Week(
        messages=len(said),
        changes=sum(case.do == "correct" for case in said),
        offers=tuple(offers),
        questions=questions,
        lost=tuple(line for line in before if line not in after and bare(line) not in replaced),
    )


def _file_lines(app: Pet, case: Case) -> list[str]:
    names = [*case.files, "SOUL.md"]
    return [line for name in names for line in (app.store.root / name).read_text("utf-8").split("\n") if line]


def _older(case: Case) -> str:
    return bare(numbered(case)[case.line - 1].text) if case.do == "correct" else ""


def _offers(case: Case, chat: LiveConversation, turn: Turn) -> Iterator[Offer]:
    for done in turn.besides:
        for noted in done.receipt.noted if done.receipt else ():
            if noted.earlier:
                right = noted.earlier == _older(case)
                yield Offer(case=case, chat=chat, turn=turn.id, call=done.call_id, right=right)


def _asked(app: Pet, speaker: Speaker, case: Case, *, reads: bool) -> Question:
    reply = _say(app, case.question)[1].reply
    noted = _plain(stated_fact(case.message)) in _plain("".join(speaker.sent))
    older = _plain(_older(case))
    stale = bool(older) and any(
        older in _plain(line) for line in speaker.sent if not any(e in line for e in _EARLIER)
    )
    said = re.search(case.answer, reply, re.IGNORECASE) and not (case.never and case.never in reply)
    found = Question(id=case.id, noted=noted, stale=stale, right=bool(said) if reads else noted, reply=reply)
    mark = "ok" if found.right else "wrong"
    print(f"{case.id}  {mark:5} noted {noted} stale {stale}  {reply if reads else ''}", file=sys.stderr, flush=True)
    return found


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def summary(every: Sequence[Week]) -> dict[str, float]:
    offers = [offer for week in every for offer in week.offers]
    questions = [question for week in every for question in week.questions]
    return {
        "owners": len(every),
        "requests": sum(week.messages for week in every),
        "true lines lost": sum(len(week.lost) for week in every),
        "changes": sum(week.changes for week in every),
        "offered right": sum(offer.right for offer in offers),
        "offered wrongly": sum(not offer.right for offer in offers),
        "clicks a week": round(len(offers) / len(every), 1),
        "questions": len(questions),
        "with the note": sum(question.noted for question in questions),
        "with the older line unmarked": sum(question.stale for question in questions),
        "answered right": sum(question.right for question in questions),
    }


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", type=Path, help="a GGUF file")
    parser.add_argument("--half", choices=("unasked", "adding"), default="")
    options = parser.parse_args(arguments)
    model: Path | None = options.model
    answers: dict[str, str] = {}
    if model is not None:
        for name in ("unasked_answers.json", "adding_answers.json"):
            answers |= recorded_answers(HERE / name)
    with tempfile.TemporaryDirectory() as folder:
        supervisor = Supervisor(Path(folder), Path(folder, "private"))
        try:
            every = []
            for place, said in enumerate(weeks(options.half)):
                local = None
                if model is not None:
                    local = LocalModelProvider(supervisor, f"file:{model.resolve()}", "local")
                every.append(play(said, Speaker(answers, local), Path(folder, str(place)), reads=model is not None))
        finally:
            supervisor.close()
    print(json.dumps(summary(every), indent=1))


if __name__ == "__main__":
    main()
