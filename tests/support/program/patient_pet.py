"""The command line with servers given much time: ``python -m tests.support.program.patient_pet --home DIR ...``.

A test that holds a request at one stage of its way must not race with the ten seconds after which it is given up.
"""

from __future__ import annotations

from pet.providers import model_server


def be_patient() -> None:
    model_server._CONNECT_SECONDS = model_server._WRITE_SECONDS = 3600.0


if __name__ == "__main__":
    from pet.__main__ import main

    be_patient()
    main()
