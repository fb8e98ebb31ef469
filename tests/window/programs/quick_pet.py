"""The program with stand-ins that cost no time for both embedders: ``python -m tests.window.programs.quick_pet``.

Its vectors have the models' sizes and no meaning, so that thousands of turns are indexed as fast as they are taken.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

from pet.__main__ import main
from pet.memory.search.embedders import E5Embedder, UniversalEmbedder, load_embedders


def _vector(text: str, width: int) -> Any:
    import numpy as np

    seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
    vector = np.random.default_rng(seed).standard_normal(width, dtype=np.float32)
    return vector / np.linalg.norm(vector)


class _E5:
    def passage(self, text: str) -> Any:
        return _vector(text, 384)

    query = passage


class _Universal:
    def encode(self, texts: Sequence[str]) -> Any:
        import numpy as np

        return np.stack([_vector(text, 512) for text in texts])


def _load_e5(embedder: E5Embedder) -> Any:
    embedder._engine = _E5()
    return embedder._engine


def _load_universal(embedder: UniversalEmbedder) -> Any:
    embedder._engine = _Universal()
    return embedder._engine


if __name__ == "__main__":
    with patch.object(E5Embedder, "_load", _load_e5), patch.object(UniversalEmbedder, "_load", _load_universal):
        for embedder in load_embedders():
            if isinstance(embedder, E5Embedder | UniversalEmbedder):
                embedder.let_go()  # the model that a warm program has loaded
        main()
