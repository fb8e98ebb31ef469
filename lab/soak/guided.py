"""Coverage-guided fuzzing: ``python -m lab.soak.guided SECONDS FOLDER READER…``. Needs atheris.

Each reader runs in a fork, since libFuzzer ends its process, and instrumenting the package takes a quarter of a
minute. A line ``EXIT CODE, READER`` on standard output tells that one is over; FOLDER/READER has what it printed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import atheris  # type: ignore[import-untyped]

with atheris.instrument_imports(include=["pet"]):
    from lab.soak.readers import case_of


def main() -> None:
    seconds, folder, *names = sys.argv[1:]
    for name in names:
        pid = os.fork()
        if pid == 0:
            _fuzz(name, seconds, Path(folder))
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), name, flush=True)


def _fuzz(name: str, seconds: str, folder: Path) -> None:
    os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT), 2)
    one = case_of(name)
    # One case may take as long as a machine under load needs for it; a case that hangs is a finding.
    limits = [f"-max_total_time={seconds}", "-timeout=60", "-rss_limit_mb=2048", "-max_len=4096"]
    quiet = ["-print_final_stats=1", f"-artifact_prefix={folder}/"]
    atheris.Setup([sys.argv[0], *limits, *quiet], one.hypothesis.fuzz_one_input)  # type: ignore[attr-defined]
    atheris.Fuzz()
    os._exit(0)


if __name__ == "__main__":
    main()
