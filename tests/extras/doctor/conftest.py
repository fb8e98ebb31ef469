"""The ``pet`` command, as the core's tests have it."""

from tests.cli.conftest import pet, server

__all__ = ["pet", "server"]
