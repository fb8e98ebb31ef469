"""A turn finds in memory what the switch lets it, in time, and never its own words."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pet.access import ConversationGate, PetGate
from pet.errors import ToolRefused
from pet.memory.search.gated_memory import GatedMemory
from pet.memory.search.memory_index import DeadlineExecutor, MemoryIndex, open_index
from tests.memory.gated import gated
from tests.memory.talks import Talk
from tests.memory.workspaces import TODAY, log
from tests.support.waiting import wait_for

if TYPE_CHECKING:
    from pet.memory.search.embedders import Vectors

QUESTION = "What did Anna say about the lemon wedding cake?"
BUDGET = 600


def recall(memory: GatedMemory, message: str, threshold: float = 0.3, seconds: float = 10.0) -> list[str]:
    hits = memory.recall(message, TODAY, count=3, characters=BUDGET, threshold=threshold, seconds=seconds)
    return [hit.snippet for hit in hits.hits]


def test_a_turn_finds_what_other_conversations_said_and_not_its_own(index: MemoryIndex, workspace: Path) -> None:
    own, other = Talk(workspace), Talk(workspace)
    own.turn("The quokka smiles.", "It does.")
    other.turn("The quokka naps.", "Shh.")
    memory = gated(index, own.id)
    found = [hit.snippet for hit in memory.search("quokka", 5, TODAY)]
    assert "Owner: The quokka naps." in found and all("smiles" not in snippet for snippet in found)
    assert memory.search("lemon wedding cake", 5, TODAY, min_score=0.9999) == []


@pytest.mark.parametrize("how", ["off", "paused", "switched off", "off and on again", "stopped"])
def test_a_turn_without_access_finds_nothing(index: MemoryIndex, how: str) -> None:
    pet = PetGate(paused=how == "paused")
    gate = ConversationGate(pet, memory=how != "off")
    turn = gate.begin_turn()
    memory = GatedMemory(index, turn, "c")
    if how in ("switched off", "off and on again"):
        assert memory.search(QUESTION, 3, TODAY) and recall(memory, QUESTION)
        gate.switch(False)
    if how == "off and on again":
        gate.switch(True)
    if how == "stopped":
        turn.stop()
    with pytest.raises(ToolRefused):
        memory.search(QUESTION, 3, TODAY)
    assert recall(memory, QUESTION) == []


class SwitchingEmbedder:
    """Flips the switch while the question is being embedded, or takes its time, or fails."""

    name = "switching"
    model = "switching-1"
    mean = 0.3
    spread = 0.3

    def __init__(self) -> None:
        self.on_question: Callable[[], object] = lambda: None

    def embed_entries(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        return np.array([[1.0, float(len(text) % 7)] for text in texts], dtype=np.float32)

    def embed_question(self, text: str) -> Vectors:
        self.on_question()
        vector: Vectors = self.embed_entries([text])[0]
        return vector


def test_what_was_found_while_the_switch_closed_is_dropped(workspace: Path, tmp_path: Path) -> None:
    embedder = SwitchingEmbedder()
    index = open_index(workspace, tmp_path / "vectors", embedder=embedder)
    index.refresh()
    gate = ConversationGate(PetGate(), memory=True)
    embedder.on_question = lambda: gate.switch(False)
    with pytest.raises(ToolRefused):
        GatedMemory(index, gate.begin_turn(), "c").search(QUESTION, 3, TODAY)
    gate.switch(True)
    assert recall(GatedMemory(index, gate.begin_turn(), "c"), QUESTION) == []
    index.close()


def test_recall_that_is_late_goes_by_words_and_what_fails_is_nothing(workspace: Path, tmp_path: Path) -> None:
    embedder, release, ended = SwitchingEmbedder(), threading.Event(), threading.Event()
    index = open_index(workspace, tmp_path / "vectors", embedder=embedder)
    index.refresh()
    memory = gated(index)

    def hang() -> None:
        release.wait(60)
        ended.set()

    embedder.on_question = hang
    before = threading.active_count()
    for _ in range(3):  # the second does not queue behind the first
        found = memory.recall(QUESTION, TODAY, count=3, characters=BUDGET, threshold=0.3, seconds=2.0)
        assert any("lemon" in hit.snippet for hit in found.hits) and found.way == "words"
        assert not ended.is_set()
    assert threading.active_count() <= before + 2
    release.set()

    def fail() -> None:
        raise KeyError("a bug")

    embedder.on_question = fail
    assert any("lemon" in snippet for snippet in recall(memory, QUESTION, seconds=5.0))
    index.close()
    found = memory.recall(QUESTION, TODAY, count=3, characters=BUDGET, threshold=0.3, seconds=2.0)
    assert (found.hits, found.way) == ([], "late")
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("recall")]


def test_a_prepared_draft_is_embedded_once_and_not_kept_after_recall(workspace: Path, tmp_path: Path) -> None:
    embedder, asked = SwitchingEmbedder(), []
    embedder.on_question = lambda: asked.append("")
    with closing(open_index(workspace, tmp_path / "vectors", embedder=embedder)) as index:
        index.refresh()
        index.prepare("hello")
        index.prepare("")
        index.prepare(QUESTION)
        wait_for("a prepared draft", lambda: index._fresh_until or None)
        entries = index.count_entries()
        log(workspace, "2026-11-20", ["Owner: The cake is perfect."])
        assert recall(gated(index), QUESTION)
        assert (len(asked), index.count_entries()) == (1, entries)  # embedded, and the files read, for the draft
        assert recall(gated(index), QUESTION)
        assert (len(asked), index.count_entries()) == (2, entries + 1)
    index.prepare(QUESTION)  # closed
    assert len(asked) == 2


@pytest.mark.parametrize("fault", [RuntimeError("dead"), KeyError("a bug")])
def test_an_embedder_that_dies_while_a_draft_is_prepared_leaves_the_words(
    workspace: Path, tmp_path: Path, fault: Exception
) -> None:
    embedder = SwitchingEmbedder()

    def die() -> None:
        raise fault

    with closing(open_index(workspace, tmp_path / "vectors", embedder=embedder)) as index:
        index.refresh()
        embedder.on_question = die
        index.prepare(QUESTION)
        assert any("lemon" in snippet for snippet in recall(gated(index), QUESTION))


def test_a_huge_entry_and_a_year_in_one_file_hide_nothing(index: MemoryIndex, workspace: Path) -> None:
    log(workspace, "2026-11-12", ["Owner: " + "the tide table of the harbour " * 14_000])  # 400 KB
    year = "".join(f"\n## [09:00:00] fact\n\nDay {number} at the harbour.\n" for number in range(10_000))
    (workspace / "memory" / "2026-11-13.md").write_text(f"# Memory Log: 2025\n{year}", encoding="utf-8")
    log(workspace, "2026-11-14", ["Owner: The quokka naps at noon."])
    assert index.count_entries() == 0 and index.search("quokka", 1, TODAY)[0].path == "memory/2026-11-14.md"
    assert index.count_entries() > 10_400
    assert recall(gated(index), "When does the quokka nap?") == ["Owner: The quokka naps at noon."]
    pasted = "the tide table of the harbour " * 14_000
    found = gated(index).recall(pasted, TODAY, count=3, characters=BUDGET, threshold=0.3, seconds=10.0)
    assert found.way != "late"


def test_of_two_ways_the_thorough_one_counts_if_it_is_in_time() -> None:
    timely, release = DeadlineExecutor(), threading.Event()

    def late() -> list[str]:
        release.wait(60)
        return ["late"]

    def broken() -> list[str]:
        raise ValueError("a bug")

    begun: list[str] = []

    def quick() -> list[str]:
        begun.append("quick")
        return begun

    assert timely.best_within(10, lambda: ["thorough"], quick) == ["thorough"]
    assert begun == []  # what answers in time is alone with the processor
    assert timely.best_within(10, broken, lambda: ["quick"]) == ["quick"]
    assert timely.best_within(10, broken, broken) == []
    assert timely.best_within(2, late, lambda: ["quick"]) == ["quick"]
    assert timely.best_within(10, lambda: ["thorough"], lambda: ["quick"]) == ["quick"]  # the first still runs
    release.set()
    timely.close()
    assert timely.best_within(1, lambda: ["thorough"], lambda: ["quick"]) == []


def test_a_saying_that_only_says_the_message_again_is_not_recalled(index: MemoryIndex, workspace: Path) -> None:
    log(workspace, "2026-11-19", ["Owner: The pangolin curled up in the garden shed yesterday night."])
    other = Talk(workspace)
    other.turn("The pangolin curled up in the garden shed yesterday night!", "Poor pangolin: it eats only ants.")
    memory = gated(index)
    found = recall(memory, "The pangolin curled up in the garden shed yesterday night", threshold=0.0)
    noted = "Owner: The pangolin curled up in the garden shed yesterday night."
    assert [snippet for snippet in found if "curled" in snippet] == [noted]  # the note may go along, the saying not


def test_nothing_is_recalled_where_none_is_wanted(index: MemoryIndex) -> None:
    memory = gated(index)
    assert memory.recall(QUESTION, TODAY, count=0, characters=BUDGET, threshold=0.0, seconds=60).hits == []
    assert recall(memory, "") == [] and recall(memory, " \n") == []


def test_a_new_pet_with_a_handful_of_notes_recalls_them(tmp_path: Path) -> None:
    log(
        tmp_path / "pet",
        "2026-02-20",
        ["Owner: I keep my bicycle in the cellar.", "Owner: 我妹妹最喜欢的花是栀子花。", "Baked bread."],
    )
    opened = open_index(tmp_path / "pet", tmp_path / "cache", embedder=None)
    memory = gated(opened)
    assert recall(memory, "Where do I keep my bicycle?", threshold=0.7) == ["Owner: I keep my bicycle in the cellar."]
    assert recall(memory, "我妹妹最喜欢什么花？", threshold=0.7) == ["Owner: 我妹妹最喜欢的花是栀子花。"]
    assert recall(memory, "Tell me a joke about bread and wine, please", threshold=0.7) == []
    opened.close()


def test_what_was_said_noted_and_asked_before_is_recalled(tmp_path: Path) -> None:
    workspace = tmp_path / "pet"
    workspace.mkdir()
    log(workspace, "2026-11-02", ["主人：小雨的生日是3月12日，她最喜欢的花是栀子花。"])
    log(workspace, "2026-11-04", ["Owner: I keep my bicycle in the cellar of the library, at rack 7."])
    for day in range(5, 20):
        log(workspace, f"2026-11-{day:02}", [f"The owner baked bread number {day}.", "晚饭吃的是番茄面。"])
    told, asked = Talk(workspace), Talk(workspace)
    told.turn("请记到今天的日志里：我妹妹小雨的生日是3月12日，她最喜欢的花是栀子花。", "记下了。")
    told.turn("Write this into today's log: I keep my bicycle in the cellar of the library, at rack 7.", "Noted.")
    asked.turn("小雨最喜欢什么花？", "想不起来了。")
    asked.turn("Where do I keep my bicycle?", "I don't know.")
    with closing(open_index(workspace, tmp_path / "cache", embedder=None)) as index:
        memory = gated(index)
        assert "栀子花" in recall(memory, "小雨最喜欢什么花？", threshold=0.4)[0]
        assert "rack 7" in recall(memory, "Where do I keep my bicycle?", threshold=0.4)[0]
        assert recall(memory, "Tell me a joke about a lighthouse, please", threshold=0.7) == []
