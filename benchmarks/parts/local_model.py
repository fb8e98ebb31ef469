"""A small model's first words from the terminal, without and with saved states, against the plain library.

Processor time, since wall time says little beside other jobs: of the program with all its processes, and in the same
run of the library's own server alone, for the same prompt, from the start to the first words.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.instruments.figures import Figure
from benchmarks.instruments.processes import cpu_ms
from pet.app import Pet
from pet.paths import find_home
from tests.support.models.local_model import LocalModel, find_smollm2

_FACT, _QUESTION = "I play the violin.", "What do you like about rain?"
_LEAST_SIZE = 300_000_000  # a smaller file counts as the packaged model, which takes no notes
_PLAIN = "plain library"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Processor seconds until the first words, and in all."""

    first: float
    whole: float


def measure(folder: Path, model: Path | None, say: Callable[[str], None]) -> list[Figure]:
    """``model``: a GGUF file; None: a tiny one, which takes notes here as a larger one would."""
    model = model or _tiny(folder)
    home = folder / "once"
    say(f"local model {model.name}: the first `pet chat --once`, then the next ones")
    prompt = _prompt(home, model)
    plain = _plain(model, prompt, _FACT)
    first = _once(home, _FACT)
    states = len([*find_home(home).local_model_state.glob("*.kv")])
    second, question = _once(home, _FACT.replace("violin", "cello")), _once(home, _QUESTION)
    return [
        _figure("first call, nothing saved: to the first words", first.first, plain, "ratio 1.2"),
        _figure("... with the note and the states saved", first.whole, plain),
        Figure(name="... states saved", value=states, unit="files"),
        _figure("second call, a note: to the first words", second.first, plain, "ratio 1.2"),
        _figure("... with the note", second.whole, plain),
        _figure("third call, a question: to the first words", question.first, plain, "ratio 1.2"),
    ]


def _figure(name: str, value: float, plain: float, reach: str = "") -> Figure:
    what = f"pet chat --once, {name}" if not name.startswith("...") else name
    return Figure(name=what, value=value, unit="s CPU", reach=reach, baseline=plain, baseline_name=_PLAIN)


def _tiny(folder: Path) -> Path:
    copy = Path(shutil.copy(find_smollm2(), folder / "tiny.gguf"))
    os.truncate(copy, _LEAST_SIZE)  # what follows the weights is not read
    return copy


def _prompt(home: Path, model: Path) -> str:
    """Make the home, and return the system prompt of its first reply."""
    app = Pet(find_home(home), environ={}, channel="terminal")
    try:
        app.settings.change({"local_model": f"file:{model}", "language": "en"})
        return app.preview_prompt(memory=True).blocks[0]
    finally:
        app.close()


def _plain(model: Path, system: str, text: str) -> float:
    """Return the processor seconds of the library's server from its start to the first words of a reply."""
    messages = [{"role": "system", "content": system}, {"role": "user", "content": text}]
    body = json.dumps({"messages": messages, "max_tokens": 300, "stream": True}).encode()
    with LocalModel(model) as server:
        assert server._process is not None
        headers = {"authorization": f"Bearer {server.key}", "content-type": "application/json"}
        request = urllib.request.Request(f"{server.url}/v1/chat/completions", body, headers)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
            for line in answer:
                if b'"content":"' in line:
                    return cpu_ms(server._process.pid) / 1000
    raise RuntimeError("the library's server said nothing")


def _once(home: Path, text: str) -> Run:
    command: Sequence[str] = (sys.executable, "-m", "pet", "--home", str(home), "chat", "--once", text)
    before = _of_children()
    quiet = subprocess.DEVNULL  # what is piped in would go along
    with subprocess.Popen(command, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet) as running:
        assert running.stdout is not None
        running.stdout.read(1)
        first = cpu_ms(running.pid) / 1000
        running.stdout.read()
        running.wait()
    return Run(first=first, whole=_of_children() - before)


def _of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system
