"""What was said in other conversations is found again, and nothing of them that was not said, or said while OFF."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pet.memory.search.memory_index import MemoryIndex, open_index
from pet.memory.search.recall_selection import Hit, HitSource
from pet.model import TurnEnd, TurnKind
from pet.workspace.tombstones import TombstoneStore
from tests.memory.search.test_index_file import CountingEmbedder
from tests.memory.talks import Talk
from tests.memory.workspaces import TODAY, few_days, log
from tests.support.examples import examples
from tests.support.files import unreadable


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "pet"
    folder.mkdir()
    return folder


def find(index: MemoryIndex, question: str, k: int = 10, leave_out: frozenset[str] = frozenset()) -> list[Hit]:
    return index.search(question, k, TODAY, conversations=True, leave_out=leave_out)


def word_in(hits: list[Hit], word: str) -> bool:
    return any(word in hit.snippet for hit in hits)


def told(index: MemoryIndex, question: str) -> str:
    return " ".join(hit.snippet for hit in find(index, question, 50))


def test_small_talk_is_no_result(index: MemoryIndex, workspace: Path) -> None:
    talk = Talk(workspace)
    for greeting in ("晚安", "我回来啦", "Good night!", "buenas noches"):
        talk.turn(greeting, "Nice!")
    talk.turn("Good night light for Runa: bought one.", "晚安灯真好。")
    (workspace / "memory").mkdir()
    (workspace / "memory" / "2026-03-02.md").write_text("## [10:00:00] chat\n\n主人：晚安\n", encoding="utf-8")
    for question in ("晚安", "我回来啦", "good night", "buenas noches"):
        assert all("灯" in hit.snippet or "light" in hit.snippet for hit in find(index, question)), question
    assert word_in(find(index, "good night"), "Runa")


def test_what_owner_and_pet_said_is_found_at_its_line_with_who_said_it(index: MemoryIndex, workspace: Path) -> None:
    talk = Talk(workspace)
    first = talk.turn("My bicycle is called Rosinante.", "What a noble name for a bicycle!")
    second = talk.turn("我养了一只叫年糕的猫。", "年糕真可爱！")
    lines = talk.file.read_text(encoding="utf-8").splitlines()
    hit = find(index, "Rosinante")[0]
    assert (hit.path, hit.source, hit.turn) == (talk.path, HitSource.CONVERSATION, first)
    assert hit.snippet == "Owner: My bicycle is called Rosinante."
    assert "Rosinante" in lines[hit.start_line - 1] and hit.start_line == hit.end_line
    (noble,) = [hit for hit in find(index, "noble name") if "noble" in hit.snippet]
    assert (
        noble.snippet.startswith("Pet: ") and "noble" in json.loads(lines[noble.start_line - 1])["parts"][1]["text"]
    )
    assert {hit.snippet: hit.turn for hit in find(index, "年糕") if "年糕" in hit.snippet} == {
        "主人：我养了一只叫年糕的猫。": second,
        "宠物：年糕真可爱！": second,
    }


def test_the_day_is_the_one_where_it_was_said(index: MemoryIndex, workspace: Path) -> None:
    talk = Talk(workspace)  # 20:00 on the 18th at +08:00, which is noon in London
    talk.turn("The kitchen tap drips.", "Oh dear.")
    assert "tap" in told(index, "What did we talk about on 2026-11-18?")
    assert "tap" not in told(index, "What did we talk about on 2026-11-19?")


def test_conversations_are_searched_only_where_they_are_asked_for(index: MemoryIndex, workspace: Path) -> None:
    few_days(workspace)
    talk, other = Talk(workspace), Talk(workspace)
    talk.turn("The sunrise was violet.", "Violet!")
    other.turn("The sunrise was orange.", "Orange!")
    everything = told(index, "sunrise")
    assert "violet" in everything and "orange" in everything and "lake" in everything
    assert all("sunrise was" not in hit.snippet for hit in index.search("sunrise", 10, TODAY))
    left = find(index, "sunrise violet orange", leave_out=frozenset({talk.id}))
    assert left and all(hit.path != talk.path for hit in left) and any("orange" in hit.snippet for hit in left)
    assert find(index, "三天前我们聊了什么", leave_out=frozenset({talk.id, other.id}))[0].source is HitSource.LOG
    listed = find(index, "三天前我们聊了什么")
    assert listed[0].source is HitSource.LOG and {hit.path for hit in listed} >= {talk.path, other.path}


def test_nothing_but_what_was_said_aloud_is_found(index: MemoryIndex, workspace: Path) -> None:
    talk = Talk(workspace)
    turn = talk.say("Good morning, walrus.")
    talk.look_up(turn, "recent anaconda")
    talk.reply(turn, "Let me look, walrus.")
    talk.tool(turn, "The result says cormorant.")
    talk.reply(turn, "Nothing, walrus.", 1)
    talk.close(turn)
    talk.summarise(turn, "They spoke of a flamingo.")
    go_on = talk.say("Go on from where you stopped.", kind="continue")
    talk.reply(go_on, "And so, walrus.")
    talk.close(go_on)
    for word in ("contextual", "thoughtful", "argumentative", "anaconda", "cormorant", "flamingo", "stopped"):
        assert word not in told(index, f"{word} walrus")
    assert {hit.snippet for hit in find(index, "walrus")} == {
        "Owner: Good morning, walrus.",
        "Pet: Let me look, walrus.",
        "Pet: Nothing, walrus.",
        "Pet: And so, walrus.",
    }


def test_what_was_said_while_off_is_never_found(index: MemoryIndex, workspace: Path) -> None:
    talk = Talk(workspace, memory=False)
    talk.turn("zzalpha while off", "zzbeta while off")
    talk.switch(True)
    talk.turn("zzgamma while on", "zzdelta while on")
    talk.switch(False)
    talk.turn("zzepsilon while off", "zzzeta while off")
    temporary = Talk(workspace, temporary=True)
    temporary.turn("zzeta temporary", "zztheta temporary")
    assert {
        word for hit in find(index, "while temporary on off zzgamma zzdelta") for word in hit.snippet.split()
    } == {
        "Owner:",
        "Pet:",
        "zzgamma",
        "zzdelta",
        "while",
        "on",
    }


def test_a_turn_that_was_switched_off_is_found_up_to_there(index: MemoryIndex, workspace: Path) -> None:
    talk = Talk(workspace)
    turn = talk.say("Tell me of the otter.")
    talk.reply(turn, "First otter.")
    talk.partial(turn, "Second ot", 1)
    talk.switch(False)
    talk.partial(turn, "Second otter, said while OFF", 1)
    talk.reply(turn, "Second otter, said while OFF, and more.", 1)
    talk.close(turn)
    assert {hit.snippet for hit in find(index, "otter ot")} == {
        "Owner: Tell me of the otter.",
        "Pet: First otter.",
        "Pet: Second ot",
    }


def test_of_a_turn_ended_by_a_pause_nobody_wrote_down_the_last_round_is_left_out(
    index: MemoryIndex, workspace: Path
) -> None:
    talk = Talk(workspace)
    turn = talk.say("Tell me of the otter.")
    talk.reply(turn, "First otter.")
    talk.reply(turn, "Second otter.", 1)
    talk.partial(turn, "Third otter", 2)
    talk.close(turn, TurnEnd.MEMORY_OFF, cut="Third otter again", round_=2)
    assert {hit.snippet for hit in find(index, "otter")} == {"Owner: Tell me of the otter.", "Pet: First otter."}


def test_what_was_replaced_is_gone_and_what_was_cut_is_found(index: MemoryIndex, workspace: Path) -> None:
    talk = Talk(workspace)
    old = talk.turn("The heron is grey.", "A grey heron.")
    talk.turn("And its nest?", "In the reeds, the heron says.")
    assert "reeds" in told(index, "heron reeds")
    new = talk.say("The heron is white.", kind="edit", supersedes=old)
    talk.partial(new, "A wh")
    assert "A wh" not in told(index, "heron")  # it is being said just now
    talk.close(new, TurnEnd.STOPPED, cut="A white her")
    assert {hit.snippet for hit in find(index, "heron her grey reeds")} == {
        "Owner: The heron is white.",
        "Pet: A white her",
    }


def test_machines_are_read_together_and_named_apart(index: MemoryIndex, workspace: Path) -> None:
    talk = Talk(workspace)
    old = talk.turn("The badger digs.", "It digs.")
    assert "digs" in told(index, "badger")
    there = talk.elsewhere("laptop")
    there.turn("The badger sleeps.", "It sleeps.", kind="edit", supersedes=old)
    hits = find(index, "badger digs sleeps")
    assert {hit.path for hit in hits} == {f"conversations/{talk.id}~laptop.jsonl"}
    assert "digs" not in told(index, "badger digs")
    assert find(index, "badger", leave_out=frozenset({talk.id})) == []


def test_growing_deleting_and_damage_are_seen_by_the_next_search(index: MemoryIndex, workspace: Path) -> None:
    talk = Talk(workspace)
    for number in range(120):
        talk.turn(f"Story {number} of the lynx.", f"Reply {number}.")
    assert "Story 7 " in told(index, "Story 7 of the lynx")
    talk.turn("The lynx yawns.", "Sleep well.")
    hit = find(index, "lynx yawns")[0]
    assert "yawns" in talk.file.read_text(encoding="utf-8").splitlines()[hit.start_line - 1]
    with talk.file.open("ab") as file:  # another program wrote rubbish, and the power went in mid-line
        file.write(b'{"kind":"user_said","nonsense\n' + b'{"kind":"user_said","text":"half of a ly')
    assert "yawns" in told(index, "lynx yawns") and "half of" not in told(index, "lynx half")
    talk.delete()
    assert find(index, "lynx") == []


def test_files_that_are_no_transcripts_are_passed_over(index: MemoryIndex, workspace: Path, tmp_path: Path) -> None:
    talk = Talk(workspace)
    talk.turn("The marmot whistles.", "Whee.")
    text = talk.file.read_text(encoding="utf-8")
    folder = talk.file.parent
    (folder / "notes.jsonl").write_text(text, encoding="utf-8")
    (folder / f"{talk.id} (conflict).jsonl").write_text(text, encoding="utf-8")
    outside = tmp_path / "outside.jsonl"
    outside.write_text(text, encoding="utf-8")
    talk.file.unlink()
    talk.file.symlink_to(outside)
    assert find(index, "marmot") == []
    newer = Talk(workspace)
    newer.turn("The marmot of tomorrow.", "Whee.")
    newer.file.write_text(newer.file.read_text(encoding="utf-8").replace('"version":1', '"version":2'))
    assert find(index, "marmot") == []


def test_long_replies_are_found_in_pieces_of_one_line(index: MemoryIndex, workspace: Path) -> None:
    talk = Talk(workspace)
    talk.turn(
        "Tell me a saga.", "\n\n".join(f"Chapter {n}. " + "He sailed on. " * 40 for n in range(30)) + " The kraken."
    )
    hit = find(index, "kraken")[0]
    assert "kraken" in hit.snippet and hit.start_line == hit.end_line == 4


def test_secrets_are_not_in_the_index(index: MemoryIndex, workspace: Path, tmp_path: Path) -> None:
    secret = "hunter2Xk9"
    log(workspace, "2026-11-19", [f"The router's password is {secret}."])
    talk = Talk(workspace)
    talk.turn(f"My mail password is {secret}, remember?", "I do.")
    (workspace / "MEMORY.md").write_text(
        "# Keys\n\n-----BEGIN PRIVATE KEY-----\nMIIBVQIBADANBgkqhkiG9w0BAQEFAASC\n"
        "QIBADANBgkqhkiG9w0BAQEFAASCAT8wgg\n-----END PRIVATE KEY-----\n\n- The ocelot's lair.\n",
        encoding="utf-8",
    )
    assert find(index, secret) == [] or secret not in told(index, secret)
    assert "hidden:password" in told(index, "router password") and "hidden:password" in told(index, "mail password")
    assert find(index, "ocelot lair")[0].start_line == 8
    index.close()
    kept = b"".join(file.read_bytes() for file in (tmp_path / "cache" / "index").iterdir())
    assert secret.encode() not in kept and secret.lower().encode() not in kept and b"MIIBVQ" not in kept


def test_what_was_forgotten_is_recalled_from_no_conversation(
    index: MemoryIndex, workspace: Path, tmp_path: Path
) -> None:
    talk, other = Talk(workspace), Talk(workspace)
    talk.turn("My ex Wolfgang called.", "Wolfgang again?")
    other.turn("The ibex climbs.", "High up.")
    assert "Wolfgang" in told(index, "Wolfgang called")
    TombstoneStore(workspace).remember("wolfgang", locks=tmp_path / "locks")
    assert "Wolfgang" not in told(index, "Wolfgang called") and "ibex" in told(index, "ibex")
    talk.turn("WOLFGANG wrote.", "Did he?")
    assert "wrote" not in told(index, "Wolfgang wrote") and "Did he?" in told(index, "Did he?")
    index.purge()
    kept = b"".join(file.read_bytes() for file in (tmp_path / "cache" / "index").iterdir())
    assert b"olfgang" not in kept and "Wolfgang" in talk.file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["forgotten.json", "forgotten (1).json"])
def test_what_was_forgotten_elsewhere_goes_once_its_file_can_be_read(
    index: MemoryIndex, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A sync program still holds it when it has come; the last one may be a copy beside our own."""
    talk = Talk(workspace)
    talk.turn("Wolfgang's ibex climbs.", "High up.")
    os.utime(talk.file, (0, 1_000_000_000))  # one that was just written would be read again for that
    TombstoneStore(workspace).remember("somebody else", locks=tmp_path / "locks")
    assert "Wolfgang" in told(index, "ibex")
    other = tmp_path / "other"
    other.mkdir()
    TombstoneStore(other).remember("wolfgang", locks=tmp_path / "locks")
    (workspace / ".history" / name).write_bytes((other / ".history" / "forgotten.json").read_bytes())
    with unreadable(monkeypatch, name):
        assert "Wolfgang" in told(index, "ibex")
    assert "Wolfgang" not in told(index, "ibex")


def test_after_forgetting_all_that_was_said_is_looked_through_once(
    index: MemoryIndex, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also while the conversation that searches grows with each message."""
    talk, own = Talk(workspace), Talk(workspace)
    talk.turn("The ibex climbs.", "High up.")
    assert "ibex" in told(index, "ibex")
    TombstoneStore(workspace).remember("wolfgang", locks=tmp_path / "locks")
    looked: list[str] = []
    is_forgotten = TombstoneStore.is_forgotten

    def noting(self: TombstoneStore, text: str, *, owner_text: str = "") -> bool:
        looked.append(text)
        return is_forgotten(self, text, owner_text=owner_text)

    monkeypatch.setattr(TombstoneStore, "is_forgotten", noting)
    for number in range(3):
        own.turn(f"Question {number}.", "Answer.")
        assert word_in(find(index, "ibex", leave_out=frozenset({own.id})), "ibex")
    assert sum("Owner: The ibex" in text for text in looked) == 1  # as the index has it


def test_two_processes_follow_a_conversation_that_grows_while_a_third_is_killed(
    workspace: Path, tmp_path: Path
) -> None:
    talks = [Talk(workspace) for _ in range(120)]
    for number, talk in enumerate(talks):
        talk.turn(f"Tale {number} of the yak.", "Go on.")
    script = (
        "import sys, time; from pathlib import Path; from pet.memory.search.memory_index import open_index\n"
        "index = open_index(Path(sys.argv[1]), Path(sys.argv[2]), embedder=None)\n"
        "until = time.monotonic() + 500\n"
        "print('begun', flush=True)\n"
        "while not any('zenith' in hit.snippet for hit in index.search('yak zenith', 3, conversations=True)):\n"
        "    assert time.monotonic() < until\n"
        "print(index.pending()[1])"
    )
    asked = [sys.executable, "-c", script, str(workspace), str(tmp_path / "cache")]
    running = [subprocess.Popen(asked, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    for process in running:
        assert process.stdout is not None and process.stdout.readline() == "begun\n"
    running[0].kill()
    for number in range(20):
        talks[0].turn(f"The yak walks {number} miles.", "Far.")
    talks[0].turn("The yak reached the top.", "The zenith!")
    assert [process.communicate(timeout=500)[0].strip() for process in running[1:]] == ["282", "282"]
    running[0].communicate()
    here = open_index(workspace, tmp_path / "cache", embedder=None)
    assert here.search("zenith", 1, conversations=True) and here.pending() == (0, 282)
    here.close()


@settings(max_examples=examples(80))
@given(
    st.lists(
        st.sampled_from(
            ["flip", "flip", "say", "say", "reply", "partial", "close", "cut", "paused", "edit", "again"]
        ),
        min_size=4,
        max_size=24,
    ),
    st.booleans(),
)
def test_no_word_that_came_while_off_is_in_the_index(steps: list[str], memory: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder, "pet")
        talk = Talk(workspace, memory=memory)
        turns: list[str] = []
        said_off: list[str] = []
        said_on = ""
        for number, step in enumerate([*steps, "flip", "say", "flip", "say"]):
            word = f"canary{number}x"
            if step == "flip":
                memory = not memory
                talk.switch(memory)
                continue
            if not memory:
                said_off.append(word)
            turn = turns[-1] if turns else ""
            if step in ("say", "edit", "again") or not turn:
                kind: TurnKind = "edit" if step == "edit" and turn else "message"
                said_on = word if memory else said_on
                turns.append(talk.say(f"I say {word}.", kind=kind, supersedes=turn if kind == "edit" else None))
            elif step == "reply":
                talk.reply(turn, f"A reply of {word}.", number)
            elif step == "partial":
                talk.partial(turn, f"Partly {word}", number)
            else:
                talk.close(turn, TurnEnd.MEMORY_OFF if step == "paused" else TurnEnd.DONE, f"Cut {word}", number)
        index = open_index(workspace, Path(folder, "cache"), embedder=None)
        assert word_in(index.search(said_on, 50, TODAY, conversations=True), said_on)
        index.close()
        kept = b"".join(file.read_bytes() for file in Path(folder, "cache", "index").iterdir())
        assert [word for word in said_off if word.encode() in kept] == []


def test_by_meaning_too_only_what_is_asked_for_is_found(workspace: Path, tmp_path: Path) -> None:
    few_days(workspace)
    talk, other = Talk(workspace), Talk(workspace)
    for each in (talk, other):
        for number in range(30):
            each.turn(f"aaa {number} of {each.id}", f"aaa aaa {number} of {each.id}")
    index = open_index(workspace, tmp_path / "vectors", embedder=CountingEmbedder())
    index.refresh()
    assert {hit.source for hit in index.search("aaaa aa", 20)}.isdisjoint({HitSource.CONVERSATION})
    found = {hit.path for hit in find(index, "aaaa aa", 100, leave_out=frozenset({talk.id}))}
    assert other.path in found and talk.path not in found
    index.close()
