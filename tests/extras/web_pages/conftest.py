from tests.engine.conftest import make_core

__all__ = ["make_core"]
