from tests.cli.conftest import pet, server

__all__ = ["pet", "server"]
