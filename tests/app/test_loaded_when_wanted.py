"""What takes memory is loaded when the owner wants it, and let go when it is not used: read from real processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pet.paths import find_home

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

MODEL = "e5-small-q4.bin"
NOTE = "# Memory Log: 2026-02-24\n\n## [14:30:15] fact\n\nThe boat is called Albatross.\n"


class Program:
    """``tests/support/program/embedding_core.py``."""

    def __init__(self, home: Path) -> None:
        command = [sys.executable, "-m", "tests.support.program.embedding_core", str(home)]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._expect("ready")

    def _expect(self, word: str) -> None:
        assert self.child.stdout is not None
        assert self.child.stdout.readline().strip() == word

    def do(self, order: str) -> None:
        assert self.child.stdin is not None
        self.child.stdin.write(f"{order}\n")
        self.child.stdin.flush()
        self._expect("done")

    def has_model(self) -> bool:
        """Whether the better embedder's file is in the memory of the process."""
        return MODEL in Path(f"/proc/{self.child.pid}/maps").read_text("utf-8")


Start = Callable[..., Program]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[Program] = []

    def start(*, note: bool = True) -> Program:
        home = tmp_path / "home"
        if note:
            folder = find_home(home).workspace("pet") / "memory"
            folder.mkdir(parents=True)
            (folder / "2026-02-24.md").write_text(NOTE, "utf-8")
        started.append(Program(home))
        return started[0]

    yield start
    for each in started:
        each.child.communicate(timeout=60)


def test_chat_message_search_and_recall_load_the_embedders_and_an_hour_without_use_lets_them_go(start: Start) -> None:
    program = start()
    for order in ("chat", "message", "search", "recall"):
        assert not program.has_model(), order
        program.do(order)
        assert program.has_model(), order
        program.do("pass 0.5")
        program.do("search")
        program.do("pass 0.9")
        assert program.has_model(), order
        program.do("pass 1.1")
    assert not program.has_model()


def test_with_an_empty_memory_nothing_loads_an_embedder(start: Start) -> None:
    program = start(note=False)
    for order in ("search", "recall", "chat"):
        program.do(order)
        assert not program.has_model(), order


def test_a_resting_core_has_no_picture_library_http_client_or_other_stemmers(tmp_path: Path) -> None:
    """Eight megabytes of a pet at rest."""
    code = (
        "import sys; from pathlib import Path; from pet.app import Pet; from pet.paths import find_home\n"
        "pet = Pet(find_home(Path(sys.argv[1])), environ={}); pet.commands, pet.bubble, pet.index\n"
        "late = {'PIL', 'urllib.request', 'importlib.metadata', 'snowballstemmer.serbian_stemmer', 'numpy'}\n"
        "print('snowballstemmer.english_stemmer' in sys.modules, sorted(late & sys.modules.keys())); pet.close()"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "True []"
