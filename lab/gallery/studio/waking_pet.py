"""The whole program, whose heartbeat looks at the clock every two seconds and does not wait after another bubble:
``python -m lab.gallery.studio.waking_pet --home DIR``."""

from __future__ import annotations

from datetime import timedelta

from pet.__main__ import main
from pet.extras.heartbeat import heartbeat
from pet.services import proactive_limits

if __name__ == "__main__":
    heartbeat._CHECK_SECONDS = 2.0
    proactive_limits._BREATHER = timedelta()
    main()
