"""Search and recall over memories of several sizes, up to ten years: 110,000 entries in 3,650 logs and 2,000
conversations, made up, the same in every run.

CPU time of the process, as other programs on the machine don't count; of a recall also the wall time, and both once
more for a message whose draft was prepared. Memory is what a fresh process keeps after searches, without mapped
files, which the system takes back when it needs the room; its baseline has an empty memory. Run it by itself:
``python -m benchmarks.memory_search [--entries 300 10000 110000] [--json]``.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import date, timedelta
from datetime import time as clock
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from benchmarks.instruments.figures import Figure, as_data, median, percentile, table
from pet.desktop.process import return_freed_memory
from pet.ids import new_id
from pet.memory.search.embedders import Embedder, load_embedders, one_thread
from pet.memory.search.memory_index import MemoryIndex, open_index
from pet.memory.search.vectors import mark_embedded, missing_texts, store_vectors
from pet.memory.store.daily_log import append_entry, render_entry
from pet.model import StopReason, TextPart, TurnEnd, Usage
from pet.transcripts.entries import Header, MemorySet, RoundCompleted, TranscriptEntry, TurnFinished, UserMessage
from pet.transcripts.entry_codec import encode_entry

_TODAY = date(2026, 11, 21)
_A_DAY = 30
_QUESTIONS = 60
_TURNS = 10
_SECONDS = 1.35  # that a message waits for recall
_PAUSE = 0.3  # seconds between the last key and Enter
_A_CONVERSATION = 55  # entries of notes


def measure(folder: Path, entries: int, conversations: int) -> list[Figure]:
    workspace = folder / "workspace"
    words = _vocabulary()
    _write(workspace, entries, words)
    _talk(workspace, conversations, words)
    figures = []
    by_words = open_index(workspace, folder / "cache", embedder=None)
    started = time.process_time()
    by_words.refresh_words()
    what = f"index the words of {entries} entries, {conversations} conversations"
    figures.append(Figure(name=what, value=time.process_time() - started, unit="s"))
    questions = _questions(words)
    read = _milliseconds([lambda: _read_all(workspace)] * 3)
    spent = _milliseconds([_search(by_words, question) for question in questions])
    figures.append(_figure("search by words and dates", spent, "30 ms", read))
    spent_on_all = _milliseconds([_search(by_words, question, said=True) for question in questions])
    figures.append(_figure("the same, conversations too", spent_on_all, "30 ms", read))
    figures.append(
        _figure("edit of one file and search for it", _edited(by_words, workspace), "20 ms + search", spent)
    )
    by_words.close()
    embedders = load_embedders()
    if embedders:
        figures += _with_vectors(workspace, folder / "cache", embedders, questions, read)
    return figures


def _with_vectors(
    workspace: Path, cache: Path, embedders: Sequence[Embedder], questions: Sequence[str], baseline: float
) -> list[Figure]:
    """Vectors are made up, since those of 110,000 entries take hours; the question's are real ones."""
    for embedder in embedders:
        _invent_vectors(workspace, cache, embedder)
    index = open_index(workspace, cache)
    index.search(questions[0])  # loads model and vectors
    spent = _milliseconds([_search(index, question) for question in questions])
    spent_on_all = _milliseconds([_search(index, question, said=True) for question in questions])
    index.recall(_SECONDS, questions[0], _TODAY, conversations=True)  # loads the conversations' vectors
    recalls = [*_recalls(index, questions, baseline), *_recalls(index, questions, baseline, typed=True)]
    index.close()
    names = " and ".join(embedder.name for embedder in embedders)
    kept = Figure(
        name="memory after searches and recalls",
        value=_in_a_fresh_process(workspace, cache, questions),
        unit="MB",
        baseline=_in_a_fresh_process(workspace / "empty", cache, questions),
        baseline_name="an empty memory",
    )
    return [
        kept,
        _figure(f"search with the question's embedding ({names})", spent, "80 ms", baseline),
        _figure("the same, conversations too", spent_on_all, "80 ms", baseline),
        *recalls,
    ]


def _in_a_fresh_process(workspace: Path, cache: Path, questions: Sequence[str]) -> float:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_kept, workspace, cache, questions).result()


def _kept(workspace: Path, cache: Path, questions: Sequence[str]) -> float:
    """Return megabytes of anonymous memory (Linux) after searches with vectors, also in conversations."""
    workspace.mkdir(exist_ok=True)
    index = open_index(workspace, cache)
    for question in questions:
        index.search(question, 6, _TODAY, conversations=True)
        index.recall(_SECONDS, question, _TODAY, conversations=True)
    return_freed_memory()
    rollup = Path("/proc/self/smaps_rollup").read_text("ascii").splitlines()
    index.close()
    return next(int(line.split()[1]) for line in rollup if line.startswith("Anonymous:")) / 1_000


def _recalls(index: MemoryIndex, questions: Sequence[str], baseline: float, typed: bool = False) -> list[Figure]:
    """CPU and wall time of a recall, and how many were by meaning. ``typed``: after a draft that was prepared."""
    cpu, wall, by_meaning = [], [], 0
    for question in questions:
        if typed:
            index.prepare(question)
            time.sleep(_PAUSE)
        before, started = time.process_time(), time.perf_counter()
        by_meaning += index.recall(_SECONDS, question, _TODAY, conversations=True).way == "meaning"
        wall.append(1_000 * (time.perf_counter() - started))
        cpu.append(1_000 * (time.process_time() - before))
    name = "recall of a prepared draft" if typed else "recall"
    return [
        _figure(name, median(cpu), "80 ms", baseline),
        Figure(name=f"{name}, wall time", value=median(wall), unit="ms", reach="50 ms" if typed else ""),
        Figure(name=f"{name}, wall time, 95th of 100", value=percentile(wall, 0.95), unit="ms"),
        Figure(name=f"{name}, by meaning", value=100 * by_meaning / len(questions), unit="%"),
    ]


def _figure(name: str, value: float, reach: str, baseline: float) -> Figure:
    return Figure(
        name=name,
        value=value,
        unit="ms",
        reach=reach,
        baseline=baseline,
        baseline_name="reading all files" if "edit" not in name else "the search alone",
    )


def _search(index: MemoryIndex, question: str, *, said: bool = False) -> Callable[[], object]:
    return lambda: index.search(question, 6, _TODAY, conversations=said)


def _edited(index: MemoryIndex, workspace: Path) -> float:
    def edit_and_find(number: int) -> None:
        file = workspace / "memory" / f"{_TODAY - timedelta(40 + number)}.md"
        with file.open("a", encoding="utf-8") as log:
            log.write(f"\n## [23:59:59] fact\n\nunheard{number}\n")
        found = index.search(f"unheard{number}", 1)
        assert f"unheard{number}" in found[0].snippet

    return _milliseconds([partial(edit_and_find, number) for number in range(20)])


def _milliseconds(work: Sequence[Callable[[], object]]) -> float:
    took = []
    for step in work:
        started = time.process_time()
        step()
        took.append(1000 * (time.process_time() - started))
    return median(took)


def _read_all(workspace: Path) -> int:
    return sum(len(file.read_bytes()) for file in (workspace / "memory").iterdir())


def _vocabulary() -> list[str]:
    """Words as common as in a language: the n-th of them n times rarer than the first."""
    chance = random.Random(7)
    latin = [
        "".join(chance.choice("bcdfghlmnprstvw") + chance.choice("aeiou") for _ in range(2 + number % 2))
        for number in range(9_000)
    ]
    han = ["".join(chr(0x4E00 + chance.randrange(3_000)) for _ in range(2)) for _ in range(9_000)]
    return [word for pair in zip(latin, han, strict=True) for word in pair]


def _write(workspace: Path, entries: int, words: Sequence[str]) -> None:
    chance = random.Random(11)
    weights = [1 / (rank + 20) for rank in range(len(words))]
    (workspace / "memory").mkdir(parents=True)
    texts = chance.choices(words, weights, k=entries * 14)
    for number in range(-(-entries // _A_DAY)):
        day = _TODAY - timedelta(number + 1)
        log = ""
        for place in range(number * _A_DAY, min((number + 1) * _A_DAY, entries)):
            text = " ".join(texts[place * 14 : place * 14 + 14])
            log = append_entry(log, render_entry(text, at=clock(9 + place % 12, place % 60)), day)
        (workspace / "memory" / f"{day}.md").write_text(log, encoding="utf-8")


def _talk(workspace: Path, conversations: int, words: Sequence[str]) -> None:
    """Write conversations of ten turns each, with memory on."""
    chance = random.Random(19)
    weights = [1 / (rank + 20) for rank in range(len(words))]
    folder = workspace / "conversations"
    folder.mkdir()
    for number in range(conversations):
        at = f"{_TODAY - timedelta(number)}T21:00:00+00:00"
        told: list[TranscriptEntry] = [
            Header(id=new_id(), at=at, conversation=(conversation := new_id()), machine="bench"),
            MemorySet(id=new_id(), at=at, memory=True),
        ]
        for _ in range(_TURNS):
            asked, replied = (" ".join(chance.choices(words, weights, k=14)) for _ in range(2))
            told += _turn(at, asked, replied)
        lines = "".join(f"{encode_entry(entry)}\n" for entry in told)
        (folder / f"{conversation}.jsonl").write_text(lines, encoding="utf-8")


def _turn(at: str, asked: str, replied: str) -> list[TranscriptEntry]:
    turn = new_id()
    return [
        UserMessage(id=new_id(), at=at, turn=turn, text=asked, memory=True),
        RoundCompleted(
            id=new_id(),
            at=at,
            turn=turn,
            round=0,
            parts=(TextPart(text=replied),),
            stop=StopReason.END_TURN,
            usage=Usage(),
            model="bench",
        ),
        TurnFinished(id=new_id(), at=at, turn=turn, end=TurnEnd.DONE, error=None, round=0, cut_text=""),
    ]


def _questions(words: Sequence[str]) -> list[str]:
    chance = random.Random(13)
    weights = [1 / (rank + 20) for rank in range(len(words))]
    asked = [" ".join(chance.choices(words, weights, k=chance.randint(3, 8))) for _ in range(_QUESTIONS)]
    days = ["last Tuesday", "in March", "三天前", "去年12月"]
    return [f"{text} {days[n % 4]}" if n % 5 == 0 else f"What was it with {text}?" for n, text in enumerate(asked)]


def _invent_vectors(workspace: Path, cache: Path, embedder: Embedder) -> None:
    one_thread()
    import numpy as np

    from pet.memory.search.database import index_file, open_database

    width = embedder.embed_question("how wide").shape[0]
    numbers = np.random.default_rng(17)
    connection = open_database(index_file(workspace, cache))
    connection.execute("BEGIN IMMEDIATE")
    while True:
        missing = missing_texts(connection, embedder.model, 2_000)
        vectors = numbers.standard_normal((len(missing), width), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9
        store_vectors(connection, embedder.model, [hash_ for hash_, _ in missing], vectors)
        if not missing and not mark_embedded(connection, embedder.model):
            break
    connection.execute("COMMIT")
    connection.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory_search", description=__doc__)
    parser.add_argument("--entries", type=int, nargs="+", default=[300, 10_000, 110_000])
    parser.add_argument("--json", action="store_true", help="figures as JSON on stdout")
    asked = parser.parse_args()
    figures: list[Figure] = []
    for entries in asked.entries:
        with tempfile.TemporaryDirectory(prefix="soulpet-bench-") as folder:
            measured = measure(Path(folder), entries, entries // _A_CONVERSATION)
        figures += [replace(figure, name=f"{entries}: {figure.name}") for figure in measured]
    print(json.dumps(as_data(figures), indent=2) if asked.json else table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
