"""The access policy for other programs: rights of each position."""

from __future__ import annotations

import pytest

from pet.access import GATED, FileKind, PetGate
from pet.extras.agents.access import AGENT_POSITIONS, AgentGate, AgentMode, agent_access


@pytest.mark.parametrize(
    ("position", "memory", "proposes", "learns"),
    [
        (AgentMode.OFF, False, False, False),
        (AgentMode.READ_ONLY, True, False, False),
        (AgentMode.PROPOSE, True, True, False),
        (AgentMode.WRITE, True, True, True),
    ],
)
def test_each_position_allows_this_and_no_more(
    position: AgentMode, memory: bool, proposes: bool, learns: bool
) -> None:
    access = AGENT_POSITIONS[position]
    assert (access.memory, access.recalls, access.proposes, access.learns) == (memory, memory, proposes, learns)
    assert access.keeps and not access.conversations and not access.in_prompt
    assert access.readable == (GATED if memory else frozenset())
    assert not agent_access(position).conversations
    assert agent_access(position, conversations=True).conversations is memory


def test_an_agent_finds_no_conversations_unless_that_is_asked_for() -> None:
    assert not AgentGate(PetGate(), lambda: AgentMode.WRITE).begin_call().access().conversations


def test_no_agent_reaches_what_the_owner_set_aside() -> None:
    for access in AGENT_POSITIONS.values():
        kinds = access.in_prompt | access.readable | access.writable | access.appendable | access.asks_owner
        assert FileKind.ASIDE not in kinds
