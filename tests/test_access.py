"""The access policy: rights of each position, and rights of a turn only shrink."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pet import access as policy
from pet.access import GATED, OFF, ON, READ, TEMPORARY, Access, ConversationGate, FileKind, PetGate, VisibleFiles
from pet.errors import AccessDenied, ConversationTemporary, LogOnlyGrows, OwnersFile, ToolRefused
from pet.model import CoreFile, Missing, Present
from pet.tools.toolset import tool_names
from tests.support.examples import examples


@pytest.mark.parametrize(
    ("position", "memory", "recalls", "learns", "replays_gated", "keeps"),
    [
        ("ON", True, True, True, True, True),
        ("READ", True, True, False, True, True),
        ("OFF", False, False, False, False, True),
        ("TEMPORARY", False, False, False, False, False),
        ("TEMPORARY_READ", True, True, False, True, False),
    ],
)
def test_each_position_of_the_switch_allows_this_and_no_more(
    position: str, memory: bool, recalls: bool, learns: bool, replays_gated: bool, keeps: bool
) -> None:
    access: Access = getattr(policy, position)
    assert (access.memory, access.recalls, access.learns) == (memory, recalls, learns)
    assert (access.replays_gated, access.keeps) == (replays_gated, keeps)
    assert access.conversations and not access.proposes and not access.switches


def test_a_pause_is_known_wherever_it_was_set_and_told_once() -> None:
    recorded, told = [(False, 2)], list[bool]()
    pet = PetGate()

    def shown() -> tuple[list[bool], bool, bool]:
        return told, pet.paused, pet.announced

    pet.set_external_check(lambda: recorded[0], lambda: told.append(pet.paused))
    recorded[0] = (True, 3)
    pet.snapshot(), pet.snapshot()
    assert shown() == ([True], True, False)
    recorded[0] = (False, 3)
    pet.snapshot(), pet.snapshot()
    assert shown()[:2] == ([True], False)
    pet.pause(True)
    recorded[0] = (True, 4)
    pet.snapshot()
    assert shown() == ([True], True, True)
    recorded[0] = (False, 4)
    pet.pause(False)
    assert not pet.paused


def test_revoking_ends_the_turns_that_run_and_leaves_the_switch() -> None:
    gate = ConversationGate(PetGate(), memory=True)
    turn = gate.begin_turn()
    gate.revoke_running()
    assert turn.was_revoked() and turn.access() is OFF
    assert gate.begin_turn().access() is ON


def test_a_check_that_is_set_later_ends_no_running_turn() -> None:
    pet = PetGate()
    turn = ConversationGate(pet, memory=True).begin_turn()
    pet.set_external_check(lambda: (False, 3))
    assert turn.access() is ON and not turn.was_revoked()


def test_a_brake_set_elsewhere_ends_the_turns_that_run_also_once_it_is_released() -> None:
    pet, recorded = PetGate(), [(False, 2)]
    pet.set_external_check(lambda: recorded[0])
    gate = ConversationGate(pet, memory=True)
    before = gate.begin_turn()
    recorded[0] = (True, 2)  # not counted as it should have been
    assert gate.access() is OFF
    recorded[0] = (False, 2)
    assert before.was_revoked() and before.access() is OFF
    assert gate.begin_turn().access() is ON


def test_a_paused_pet_is_off_until_it_goes_on() -> None:
    pet = PetGate()
    gate = ConversationGate(pet, memory=True)
    pet.pause(True)
    assert gate.access() is OFF
    pet.pause(False)
    assert gate.access() is ON


def test_a_stopped_turn_neither_reads_nor_writes_nor_searches() -> None:
    turn = ConversationGate(PetGate(), memory=True).begin_turn()
    turn.check_recall()
    turn.check_read(FileKind.USER, "USER.md")
    with pytest.raises(LogOnlyGrows):
        turn.check_write(FileKind.LOG, "memory/2026-02-24.md")
    turn.stop()
    for check in (turn.check_read, turn.check_write, turn.check_append):
        with pytest.raises(ToolRefused):
            check(FileKind.LOG, "memory/2026-02-24.md")
    with pytest.raises(ToolRefused):
        turn.check_recall()


def test_what_outlives_a_stop_loses_its_rights_with_the_memory_and_never_regains_them() -> None:
    conversation = ConversationGate(PetGate(), memory=True)
    turn = conversation.begin_turn()
    turn.stop()
    wish = turn.despite_stop()
    wish.check_write(FileKind.MEMORY, "MEMORY.md")
    conversation.switch(False)
    conversation.switch(True)
    for gate in (wish, turn.despite_stop()):
        with pytest.raises(AccessDenied):
            gate.check_write(FileKind.MEMORY, "MEMORY.md")


def test_off_searches_nothing_and_an_optional_file_is_the_owners() -> None:
    with pytest.raises(ToolRefused):
        ConversationGate(PetGate(), memory=False).begin_turn().check_recall()
    turn = ConversationGate(PetGate(), memory=True).begin_turn()
    with pytest.raises(OwnersFile):
        turn.check_read(FileKind.OPTIONAL, "HEARTBEAT.md")


def test_off_gives_no_gated_file_to_anyone() -> None:
    for allowed in (OFF.in_prompt, OFF.readable, OFF.writable):
        assert not allowed & GATED
    assert not OFF.replays_gated


def test_soul_is_in_the_prompt_and_asks_the_owner_whatever_the_switch_says() -> None:
    for access in (ON, OFF):
        assert FileKind.SOUL in access.in_prompt
        assert FileKind.SOUL in access.asks_owner


def test_no_tool_writes_daily_logs_or_optional_files() -> None:
    assert not ON.writable & {FileKind.LOG, FileKind.OPTIONAL}


def test_switching_off_holds_in_the_running_turn() -> None:
    gate = ConversationGate(PetGate(), memory=True)
    turn = gate.begin_turn()
    turn.check_write(FileKind.MEMORY, "MEMORY.md")
    gate.switch(False)
    with pytest.raises(AccessDenied):
        turn.check_read(FileKind.MEMORY, "MEMORY.md")
    assert turn.was_revoked()


def test_switching_on_waits_for_the_next_turn() -> None:
    gate = ConversationGate(PetGate(), memory=False)
    turn = gate.begin_turn()
    gate.switch(True)
    assert turn.access() is OFF
    assert gate.begin_turn().access() is ON


def test_off_and_on_again_does_not_reopen_the_running_turn() -> None:
    gate = ConversationGate(PetGate(), memory=True)
    turn = gate.begin_turn()
    gate.switch(False)
    gate.switch(True)
    assert turn.access() is OFF


def test_pause_forces_every_tab_off_and_leaves_the_switches() -> None:
    pet = PetGate()
    gates = [ConversationGate(pet, memory=True) for _ in range(3)]
    turns = [gate.begin_turn() for gate in gates]
    pet.pause(True)
    pet.pause(False)
    assert all(turn.access() is OFF for turn in turns)
    assert all(gate.access() is ON and gate.switched_on for gate in gates)


def test_two_tabs_never_influence_each_other() -> None:
    pet = PetGate()
    one, other = ConversationGate(pet, memory=True), ConversationGate(pet, memory=True)
    turn = other.begin_turn()
    one.switch(False)
    assert turn.access() is ON


def test_a_temporary_conversation_stays_off() -> None:
    gate = ConversationGate(PetGate(), memory=True, temporary=True)
    gate.switch(True)
    assert gate.access() is TEMPORARY
    assert replace(TEMPORARY, writable=OFF.writable, asks_owner=OFF.asks_owner, keeps=True) == OFF


def test_a_temporary_conversation_writes_nothing_not_even_what_the_owner_allows() -> None:
    gate = ConversationGate(PetGate(), memory=True, temporary=True)
    for kind in FileKind:
        with pytest.raises(AccessDenied):
            gate.begin_turn().check_write(kind, "SOUL.md")
    with pytest.raises(ConversationTemporary):
        gate.check_keeps()
    assert not {"write", "edit"} & set(tool_names(gate.access()))


@settings(max_examples=examples(80))
@given(st.booleans(), st.lists(st.sampled_from(["on", "off", "pause", "resume"]), max_size=12))
def test_a_turn_never_regains_what_it_lost(memory: bool, acts: list[str]) -> None:
    pet = PetGate()
    gate = ConversationGate(pet, memory=memory)
    turn = gate.begin_turn()
    open_now = memory
    for act in acts:
        if act in ("on", "off"):
            gate.switch(act == "on")
        else:
            pet.pause(act == "pause")
        open_now = open_now and act not in ("off", "pause")
        assert turn.access().memory == open_now


def test_a_turn_that_lost_the_memory_may_not_touch_the_soul_either() -> None:
    gate = ConversationGate(PetGate(), memory=True)
    turn = gate.begin_turn()
    gate.switch(False)
    for check in (turn.check_read, turn.check_write):
        with pytest.raises(ToolRefused):
            check(FileKind.SOUL, "SOUL.md")
    gate.begin_turn().check_read(FileKind.SOUL, "SOUL.md")


@pytest.mark.parametrize("last", [True, False])
def test_a_flip_while_a_turn_begins_is_wholly_before_it(last: bool) -> None:
    """Access and count are read at one instant: the turn misses no flip and counts none twice."""
    pet = PetGate()
    gate = ConversationGate(pet, memory=True)
    flips = iter([False, last])

    def recorded() -> tuple[bool, int]:
        for memory in flips:
            gate.switch(memory)
        return False, 0

    pet._recorded = recorded
    turn = gate.begin_turn()
    assert turn.started is (ON if last else OFF)
    assert turn.access() is turn.started
    assert not turn.was_revoked()
    gate.switch(False)
    gate.switch(True)
    assert turn.access() is OFF


def test_a_pause_of_another_process_that_is_over_ends_the_turns_it_interrupted() -> None:
    recorded = [(False, 3)]
    pet = PetGate()
    pet.set_external_check(lambda: recorded[0])
    gate = ConversationGate(pet, memory=True)
    turn = gate.begin_turn()
    assert not turn.was_revoked()
    recorded[0] = (False, 4)
    assert turn.was_revoked()
    assert not gate.begin_turn().was_revoked()


@pytest.mark.parametrize("memory", [True, False])
def test_a_turn_loses_a_switch_of_an_extra_and_gets_none_later(memory: bool) -> None:
    on = {"pages"}
    gate = ConversationGate(PetGate(), memory=memory)
    gate.set_external_check(lambda: frozenset(on))
    turn = gate.begin_turn()
    on.add("tools")
    assert turn.access().switches == {"pages"} and gate.access().switches == {"pages", "tools"}
    on.clear()
    assert not turn.access().switches and turn.access().memory is memory


def test_visible_files_hold_what_the_access_allows_and_no_other_name() -> None:
    states = tuple(Missing(name=name) for name in (*CoreFile, "TOOLS.md", "memory/2026-02-24.md"))
    assert [state.name for state in VisibleFiles(ON, states).states] == [*CoreFile, "TOOLS.md"]
    assert [state.name for state in VisibleFiles(OFF, states).states] == [CoreFile.SOUL, "TOOLS.md"]
    written = VisibleFiles(ON, tuple(Present(name=name, text=f"of {name}", version="") for name in CoreFile))
    assert [written.text(name) for name in CoreFile] == [f"of {name}" for name in CoreFile]


def test_no_model_reaches_what_the_owner_set_aside() -> None:
    for access in (ON, READ, OFF, TEMPORARY):
        kinds = access.in_prompt | access.readable | access.writable | access.appendable | access.asks_owner
        assert FileKind.ASIDE not in kinds
    assert VisibleFiles(ON, (Present(name="ASIDE.md", text="tea", version=""),)).states == ()
