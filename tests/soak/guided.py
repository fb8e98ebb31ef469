"""Coverage-guided fuzzing of one reader: ``python -m tests.soak.guided READER SECONDS FOLDER``. Needs atheris."""

from __future__ import annotations

import sys

import atheris  # type: ignore[import-untyped]

with atheris.instrument_imports(include=["pet"]):
    from tests.soak.readers import case_of


def main() -> None:
    name, seconds, folder = sys.argv[1:]
    one = case_of(name)
    # One case may take as long as a machine under load needs for it; a case that hangs is a finding.
    limits = [f"-max_total_time={seconds}", "-timeout=60", "-rss_limit_mb=2048", "-max_len=4096"]
    quiet = ["-print_final_stats=1", f"-artifact_prefix={folder}/"]
    atheris.Setup([sys.argv[0], *limits, *quiet], one.hypothesis.fuzz_one_input)  # type: ignore[attr-defined]
    atheris.Fuzz()


if __name__ == "__main__":
    main()
