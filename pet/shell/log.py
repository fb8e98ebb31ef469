"""The program's log file: small, rotated, for the owner to read and to send (PRODUCT §2, §4.8).

Owns the handlers. Texts of the owner, the pet or the model never get here: who logs passes codes, ids and counts.
What gets here all the same, in the words of an exception, is rid of its secrets before it is written.
"""

from __future__ import annotations

import logging
import logging.handlers

from pet.paths import Home

_MAX_BYTES = 512 * 1024
_KEPT = 3
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# These write what they send and receive at INFO or DEBUG: addresses with query, headers, bodies.
_TALKATIVE = ("anthropic", "httpx2", "httpcore2", "httpx", "httpcore", "asyncio", "watchdog")


def start_log(home: Home) -> None:
    """From here on warnings and the milestones of our own code go to the file, and nothing to the terminal."""
    root = logging.getLogger()
    root.handlers.clear()
    try:
        home.log.mkdir(parents=True, exist_ok=True)
        file = logging.handlers.RotatingFileHandler(
            home.log_file, maxBytes=_MAX_BYTES, backupCount=_KEPT, encoding="utf-8", delay=False
        )
    except OSError:
        root.addHandler(logging.NullHandler())  # a full or read-only disk must not keep the pet away
        return
    file.setFormatter(_Masking(_FORMAT))
    root.addHandler(file)
    root.setLevel(logging.WARNING)
    logging.getLogger("pet").setLevel(logging.INFO)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)


class _Masking(logging.Formatter):
    """Masks the whole of a record as it would stand in the file: message, exception and stack."""

    def format(self, record: logging.LogRecord) -> str:

        from pet.masking import mask  # late: a start that goes well has little to say

        return mask(super().format(record)).text


def quiet_webview() -> None:
    """pywebview brings a handler of its own for stderr; what it says goes to our file, from warnings on."""
    logger = logging.getLogger("pywebview")
    logger.handlers.clear()
    logger.setLevel(logging.WARNING)
