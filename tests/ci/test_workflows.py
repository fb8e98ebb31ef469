"""Workflows of continuous integration: pinned actions, least permissions, existing scripts.

actionlint checks their syntax where it is installed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"uses: [\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
WRITING = {"release.yml": {"attach": {"contents": "write"}, "pypi": {"id-token": "write"}}}
"""Jobs with write permission, and the permission."""
OURS = re.compile(r"(?<![\w/])((?:\.ci|tests)[/\\][\w./\\-]+)")
each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)


def read(file: Path) -> dict[Any, Any]:
    found = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def steps(file: Path) -> Iterator[dict[str, Any]]:
    for job in read(file)["jobs"].values():
        yield from job.get("steps", ())


def test_there_are_workflows_for_tests_packages_and_releases() -> None:
    assert [file.name for file in FILES] == ["packages.yml", "release.yml", "test.yml"]


@each_file
def test_actions_are_pinned_by_commit_and_say_their_version(file: Path) -> None:
    used = [
        line.strip().removeprefix("- ") for line in file.read_text(encoding="utf-8").splitlines() if "uses:" in line
    ]
    assert used
    assert [line for line in used if not (PINNED.match(line) or line.startswith("uses: ./.github/"))] == []


def test_an_action_has_one_commit_in_all_workflows() -> None:
    used = {
        use for file in FILES for use in re.findall(r"uses: ([\w.-]+/[\w.-]+@[0-9a-f]{40})", file.read_text("utf-8"))
    }
    names = [use.partition("@")[0] for use in used]
    assert len(names) == len(set(names))


@each_file
def test_nothing_may_write_but_what_has_to(file: Path) -> None:
    workflow = read(file)
    assert workflow["permissions"] == {"contents": "read"}
    own = {name: job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job}
    assert own == WRITING.get(file.name, {})
    assert "pull_request_target" not in file.read_text(encoding="utf-8")


@each_file
def test_every_job_ends(file: Path) -> None:
    jobs = read(file)["jobs"]
    assert [name for name, job in jobs.items() if "uses" not in job and "timeout-minutes" not in job] == []


@each_file
def test_checkouts_keep_no_token(file: Path) -> None:
    checkouts = [step for step in steps(file) if step.get("uses", "").startswith("actions/checkout@")]
    assert [step for step in checkouts if step.get("with", {}).get("persist-credentials") is not False] == []


@each_file
def test_scripts_hold_no_text_from_outside(file: Path) -> None:
    """An expression is pasted into its script: only those of the matrix, which is ours, are allowed."""
    pasted = [each for step in steps(file) for each in re.findall(r"\$\{\{\s*(\S+)", step.get("run", ""))]
    assert [each for each in pasted if not each.startswith("matrix.")] == []


@each_file
def test_scripts_and_targets_exist(file: Path) -> None:
    scripts = "\n".join(step.get("run", "") for step in steps(file))
    paths = {path.replace("\\", "/") for path in OURS.findall(scripts)}
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []
    modules = re.findall(r"-m (tests(?:\.\w+)+)", scripts)
    assert [name for name in modules if not (ROOT / (name.replace(".", "/") + ".py")).is_file()] == []
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r"\bmake ([a-z-]+)", scripts)) <= set(targets)


@pytest.mark.skipif(shutil.which("actionlint") is None, reason="actionlint is not installed (decision 0037)")
def test_actionlint_has_nothing_to_say() -> None:
    done = subprocess.run(["actionlint", "-color=false", *FILES], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == ""
    assert done.returncode == 0
