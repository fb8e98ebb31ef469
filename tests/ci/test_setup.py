"""The set-up script explains what is missing: a suitable Python, the venv module, a package index."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CI = Path(__file__).resolve().parents[2] / ".ci"
TOOLS = ("bash", "cat", "dirname", "flock", "mkdir", "rm", "sha256sum", "tail")
"""All programs on the script's path: without dpkg-query it requires no system packages."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the script sets up Linux")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    shutil.copytree(CI, tmp_path / ".ci")
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found, tool
        (tmp_path / "bin" / tool).symlink_to(found)
    return tmp_path


def put_python(checkout: Path, script: str) -> None:
    """Put a ``python3`` on the path that runs this shell script."""
    put_tool(checkout, "python3", script)


def put_tool(checkout: Path, name: str, script: str) -> None:
    file = checkout / "bin" / name
    file.write_text(f"#!/bin/bash\n{script}\n")
    file.chmod(0o755)


def set_up(checkout: Path) -> str:
    """Return the failing script's stderr."""
    done = subprocess.run(
        [checkout / ".ci" / "setup", "run"],
        env={**os.environ, "PATH": str(checkout / "bin"), "PYTHON": ".venv/bin/python"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    return done.stderr


def test_setup_names_the_python_it_needs(checkout: Path) -> None:
    put_python(checkout, "exit 1")
    assert "Python 3.11 or newer is needed. Install one and run: make run PYTHON=" in set_up(checkout)


def test_setup_leaves_no_half_made_environment(checkout: Path) -> None:
    put_python(
        checkout, 'case "$*" in "-m venv .venv") mkdir -p .venv/bin; cat .ci/run >.venv/bin/python; exit 1 ;; esac'
    )
    assert "sudo apt-get install python3-venv" in set_up(checkout)
    assert not (checkout / ".venv").exists()


def test_setup_says_what_helps_when_packages_can_not_be_installed(checkout: Path) -> None:
    made = "mkdir -p .venv/bin; printf '#!/bin/bash\\nexit 1\\n' >.venv/bin/python; /bin/chmod +x .venv/bin/python"
    put_python(checkout, f'case "$*" in "-m venv .venv") {made} ;; esac')
    said = set_up(checkout)
    assert "pip could not install the packages" in said
    assert "PIP_INDEX_URL" in said and "compile" in said


def test_setup_installs_packages_under_their_newer_names(checkout: Path) -> None:
    for tool in ("awk", "comm", "env", "sort"):
        found = shutil.which(tool)
        assert found, tool
        (checkout / "bin" / tool).symlink_to(found)
    (checkout / ".ci" / "apt.txt").write_text("# run\nlibasound2\nlibegl1\nlibdbus-1-3\n# test\n")
    put_tool(checkout, "id", "echo 0")
    put_tool(checkout, "dpkg-query", "echo installed libdbus-1-3")
    put_tool(checkout, "apt-cache", 'case "$2" in libasound2 | libasound2t64 | libegl1) ;; *) exit 100 ;; esac')
    put_tool(checkout, "apt-get", f'echo "$@" >>{checkout}/asked')
    put_python(checkout, 'case "$*" in *ensurepip*) ;; *) exit 1 ;; esac')
    set_up(checkout)
    assert (checkout / "asked").read_text() == "install -y -q --no-install-recommends libasound2t64 libegl1\n"
