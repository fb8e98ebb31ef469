"""The targets of the mutation run, the tests named for each, and the score of one."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from lab.mutation.equivalent import EQUIVALENT
from lab.mutation.mutate import Mutant, mutants
from lab.mutation.run import survivors

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Target:
    module: str
    tests: tuple[str, ...]


_EDIT = ("tests/workspace/test_text_functions.py", "tests/property/files/test_files_edit.py")
_REPLAY = (
    "tests/transcripts",
    "tests/property/replay/test_replay.py",
    "tests/property/replay/test_variants.py",
    "tests/bridge/commands/test_shared_conversations.py",
)
TARGETS = {
    "policy": Target("pet/access.py", ("tests/test_access.py", "tests/engine/test_gate_races.py")),
    "agents": Target(
        "pet/extras/agents/access.py",
        ("tests/extras/agents/test_access.py", "tests/extras/agents/test_gateway.py"),
    ),
    "fold": Target("pet/transcripts/fold.py", _REPLAY),
    "said-while-off": Target(
        "pet/transcripts/fold.py",
        ("tests/transcripts", "tests/memory/search/test_conversations_searched.py"),
    ),
    "replay": Target("pet/transcripts/request_messages.py", _REPLAY),
    "merge": Target("pet/workspace/line_diff.py", (*_EDIT, "tests/workspace/test_line_match.py")),
    "edit": Target("pet/workspace/edit_match.py", _EDIT),
    "history": Target(
        "pet/workspace/file_history.py",
        (
            "tests/workspace/test_history.py",
            "tests/workspace/test_versions.py",
            "tests/workspace/test_store.py",
            "tests/workspace/test_foreign.py",
            "tests/workspace/test_two_machines.py",
        ),
    ),
    "redaction": Target(
        "pet/language/redaction.py",
        (
            "tests/language/test_redaction.py",
            "tests/language/test_redaction_edges.py",
            "tests/engine/test_masked_secrets.py",
        ),
    ),
    "forgetting": Target(
        "pet/memory/store/forget_matches.py",
        (
            "tests/memory/store/test_forgetting.py",
            "tests/memory/store/test_forget_cutting.py",
            "tests/memory/store/test_forget_rewrite.py",
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class Score:
    """``tried`` counts no equivalent mutants."""

    name: str
    tried: int
    equivalent: int
    survivors: tuple[Mutant, ...]

    @property
    def killed(self) -> int:
        return self.tried - len(self.survivors)


def score(name: str, sample: int | None) -> Score:
    """Raises SystemExit if the tests fail without any mutant."""
    target = TARGETS[name]
    started = time.monotonic()
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")  # the tests' own output goes elsewhere

    def tell(line: str) -> None:
        print(f"  {name}: {line}", file=output, flush=True)

    source = (ROOT / target.module).read_text("utf-8")
    lines, every = source.splitlines(), list(mutants(source))
    chosen = every if sample is None or sample >= len(every) else every[:: max(1, len(every) // sample)][:sample]
    told = EQUIVALENT.get(name, {})
    counted = [each for each in chosen if (lines[each.line - 1].strip(), f"{each.code}: {each.change}") not in told]
    module = target.module.removesuffix(".py").replace("/", ".")
    left = tuple(survivors(ROOT / target.module, module, counted, target.tests, tell))
    tell(f"{len(counted) - len(left)} of {len(counted)} in {time.monotonic() - started:.0f} s")
    return Score(name, len(counted), len(chosen) - len(counted), left)
