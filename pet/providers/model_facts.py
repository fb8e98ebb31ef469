"""Context window and tools of models, as their servers report them; else by a dated table of families.

Questions hold no text of the owner, and the key goes to its own origin. A report is used within
bounds, since some servers lie; a request that the server rejects corrects it (``pet.engine.token_budget``).
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from pet import __version__
from pet.errors import ProviderFault
from pet.providers.endpoint import base_of, is_near, protocols_of
from pet.providers.model_server import ModelServer, listed_models
from pet.providers.sanitize import as_mapping, as_text
from pet.settings.api_keys import NO_HEADERS, ApiKey, Headers
from pet.settings.connections import origin_of
from pet.settings.program_state import JsonState
from pet.settings.schema import Settings
from pet.untrusted.parsers import read_json

if TYPE_CHECKING:
    import httpx2

_log = logging.getLogger(__name__)

WindowSource = Literal["setting", "server", "default", "family", "unknown"]
"""``default``: the server has not loaded the model, so its usual window is assumed until it has."""

OLLAMA_WINDOW = 4_096
"""Tokens that Ollama gives a model unless it is set up otherwise."""
_LEAST_WINDOW, _MOST_WINDOW = 1_024, 200_000  # more is used only if the setting names it: long requests are dear
_LEAST_PARAMETERS = 2e9  # of a model that is offered tools; smaller ones hardly call what they should
_ASK_SECONDS = 2.5
_AGAIN_SECONDS = 300.0  # after a server that did not answer
_MOST_KEPT = 200

_FAMILIES: tuple[tuple[str, int], ...] = (
    (r"claude-(?:instant|2\.0|v1)", 100_000),
    (r"claude", 200_000),
    (r"gpt-5", 400_000),
    (r"gpt-4\.1", 1_000_000),
    (r"gpt-4(?:o|\.5|-turbo)|gpt-oss|o1-(?:mini|preview)|chatgpt-4o", 128_000),
    (r"gpt-4", 8_192),
    (r"gpt-3\.5-turbo", 16_385),
    (r"\bo[134](?:\b|-)", 200_000),
    (r"gemini", 1_000_000),
    (r"gemma-?3", 128_000),
    (r"grok-4", 256_000),
    (r"grok", 131_072),
    (r"deepseek", 128_000),
    (r"kimi|moonshot-v1-(?:128k|auto)", 128_000),
    (r"moonshot-v1-32k", 32_768),
    (r"moonshot-v1-8k", 8_192),
    (r"glm-(?:4\.[6-9]|[5-9])", 200_000),
    (r"glm-4", 128_000),
    (r"qwen3|qwen-plus|qwen-flash|qwen-turbo|qwen-long", 131_072),
    (r"mistral-(?:large|medium|small)|ministral|magistral|devstral|codestral|pixtral", 128_000),
    (r"llama-?(?:3\.[1-9]|4)", 128_000),
    (r"llama-?3", 8_192),
)
"""Windows of hosted models by name, the smallest of a family, as documented by their makers in November 2026."""
_FIELDS = (
    "loaded_context_length",
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
    "max_input_tokens",
    "inputTokenLimit",
    "context_size",
)
"""Names of the window in lists of models: LM Studio, vLLM, OpenRouter, Groq, Mistral, Anthropic, Gemini, others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """``window``: tokens, 0 if unknown. ``possible``: a larger window that the server would give if it were set up
    so; until then it cuts longer requests without a word, 0 if not. ``tools``: whether it can use any, None if
    unknown. ``notebook``: the owner has it take notes as small models do."""

    window: int = 0
    source: WindowSource = "unknown"
    possible: int = 0
    tools: bool | None = None
    notebook: bool = False


UNKNOWN = ModelFacts()


class ModelFactsBook:
    """Facts of the models in use, kept between starts. Thread-safe: entries are replaced whole."""

    def __init__(self, record: JsonState | None = None) -> None:
        self._record = record
        self._known: dict[str, ModelFacts] = {}
        self._unanswered: dict[str, float] = {}  # when
        self._fresh: set[str] = set()  # answered in this start
        self._loaded = record is None

    def of(self, settings: Settings) -> ModelFacts:
        """Return what is known of the model in use; the setting ``context_window`` comes first."""
        facts = self._entries().get(_key(settings), UNKNOWN)
        if settings.context_window:
            return replace(facts, window=settings.context_window, source="setting", possible=0)
        if not facts.window and not is_near(settings.base_url):
            family = family_window(settings.model)
            return replace(facts, window=family, source="family" if family else "unknown")
        return facts

    def applied(self, settings: Settings) -> Settings:
        """Return the settings with the window, and notebook mode for a model without tools, or too small for them."""
        if settings.local_model or settings.demo:
            return settings
        facts = self.of(settings)
        small = facts.notebook or facts.tools is False or 0 < parameters_in(settings.model) < _LEAST_PARAMETERS
        notebook = "on" if small and settings.notebook == "auto" else settings.notebook
        return replace(settings, context_window=facts.window, notebook=notebook)

    async def ask(self, settings: Settings, key: ApiKey | None, headers: Headers = NO_HEADERS) -> None:
        """Ask the server unless it has answered or the setting names the window; one nearby each time, since it may
        load its model with another window. Never raises; takes at most ``_ASK_SECONDS``."""
        if settings.context_window:
            return
        name, near = _key(settings), is_near(settings.base_url)
        if name in self._fresh and not near:
            return
        if monotonic() - self._unanswered.get(name, -_AGAIN_SECONDS) < _AGAIN_SECONDS:
            return
        known, report = self._entries().get(name, UNKNOWN), await ask_server(settings, key, headers)
        if report is None:
            self._unanswered[name] = monotonic()
            return
        self._fresh.add(name)
        if report != UNKNOWN:  # what it says of tools counts more than a refusal: the model may be another by now
            tools = report.tools if report.tools is not None else known.tools
            self._learn(name, replace(report, tools=tools, notebook=known.notebook))

    def learn_toolless(self, settings: Settings) -> None:
        """Record that the server refused tools for this model."""
        name = _key(settings)
        self._learn(name, replace(self._entries().get(name, UNKNOWN), tools=False))

    def choose_notebook(self, settings: Settings) -> None:
        """Record that this model takes notes as small models do, whatever its server says of tools."""
        name = _key(settings)
        self._learn(name, replace(self._entries().get(name, UNKNOWN), notebook=True))

    def _learn(self, name: str, facts: ModelFacts) -> None:
        if self._entries().get(name) == facts:
            return
        self._known = dict([*((each, value) for each, value in self._known.items() if each != name), (name, facts)])
        self._known = dict(list(self._known.items())[-_MOST_KEPT:])
        if self._record is not None:
            with suppress(OSError):  # asked again in the next start
                self._record.update({"models": {each: asdict(value) for each, value in self._known.items()}})

    def _entries(self) -> Mapping[str, ModelFacts]:
        if not self._loaded and self._record is not None:
            self._loaded = True
            stored = as_mapping(self._record.read().get("models"))
            self._known = {name: _read(as_mapping(fields)) for name, fields in stored.items()} | self._known
        return self._known


def family_window(model: str) -> int:
    """Return the window of a hosted model by its name, 0 if it is in no family of the table."""
    known = next((window for pattern, window in _FAMILIES if re.search(pattern, model, re.I)), 0)
    return min(known, _MOST_WINDOW)


def parameters_in(name: str) -> float:
    """Return the number of parameters that a name or size says, 0 if none.

    >>> parameters_in("smollm2:135m-instruct"), parameters_in("Qwen3-30B-A3B"), parameters_in("gpt-5.6")
    (135000000.0, 30000000000.0, 0)
    """
    sizes = re.findall(r"(?<![a-z0-9.])(\d{1,4}(?:\.\d{1,3})?)([bm])(?![a-z0-9])", name.lower())
    return max((float(size) * (1e9 if unit == "b" else 1e6) for size, unit in sizes), default=0)


def _takes_tools(shown: Mapping[str, Any], reported: bool | None) -> bool | None:
    """Return whether a model of Ollama takes tools, which it also says of some that are too small for them."""
    size = parameters_in(as_text(as_mapping(shown.get("details")).get("parameter_size")))
    return False if 0 < size < _LEAST_PARAMETERS else reported


async def ask_server(settings: Settings, key: ApiKey | None, headers: Headers = NO_HEADERS) -> ModelFacts | None:
    """Return what the server reports of its model; None if it did not answer."""
    try:
        questions = await asyncio.to_thread(_Questions, settings, key, headers)  # imports the client
    except (ProviderFault, ValueError):  # no usable address: the message itself says so
        return None
    import httpx2

    try:
        async with asyncio.timeout(_ASK_SECONDS):
            return await questions.ask()
    except (httpx2.HTTPError, httpx2.InvalidURL, ProviderFault, OSError, ValueError, RecursionError) as problem:
        _log.info("no window from the server: %s", type(problem).__name__)
        return None


class _Questions:
    def __init__(self, settings: Settings, key: ApiKey | None, headers: Headers) -> None:
        self._settings = settings
        self._server = ModelServer(settings.base_url, key, _ASK_SECONDS, headers)
        self._root = origin_of(settings.base_url)

    async def ask(self) -> ModelFacts:
        """Raises the client's exceptions, ValueError."""
        client = self._server.make_client()
        if client is None:
            return UNKNOWN
        near = (self._of_ollama, self._of_llama_cpp, self._of_lm_studio)
        async with client:
            for question in near if is_near(self._settings.base_url) else ():
                if (facts := await question(client)) is not None:
                    return facts
            return await self._of_list(client, f"{base_of(self._settings.base_url)}/models")

    async def _get(self, client: httpx2.AsyncClient, url: str, body: object = None) -> Mapping[str, Any]:
        """Return the object that the server answers; an empty one for any other answer."""
        headers = {"user-agent": f"soulpet/{__version__}", "accept": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        if content is not None:
            headers["content-type"] = "application/json"
        headers |= self._server.authorization(url)
        response = await client.request("GET" if body is None else "POST", url, headers=headers, content=content)
        if response.status_code != 200:
            return {}
        try:
            return as_mapping(read_json(response.content))
        except ValueError:
            return {}

    async def _of_ollama(self, client: httpx2.AsyncClient) -> ModelFacts | None:
        model = self._settings.model
        running = (await self._get(client, f"{self._root}/api/ps")).get("models")
        if not isinstance(running, list):
            return None
        shown = await self._get(client, f"{self._root}/api/show", {"model": model})
        info, capabilities = as_mapping(shown.get("model_info")), shown.get("capabilities")
        trained = _tokens(info.get(f"{as_text(info.get('general.architecture'))}.context_length"))
        loaded = next((each for each in map(as_mapping, running) if _same_model(each, model)), {})
        window = _tokens(loaded.get("context_length"))
        chosen = re.search(r"^num_ctx\s+(\d+)", as_text(shown.get("parameters")), re.M)
        window = window or _tokens(int(chosen[1]) if chosen else 0)
        source: WindowSource = "server" if window else "default"
        window = window or OLLAMA_WINDOW
        return _reported(
            min(window, trained) if trained else window,
            source=source,
            possible=trained,
            tools=_takes_tools(shown, "tools" in capabilities if isinstance(capabilities, list) else None),
        )

    async def _of_llama_cpp(self, client: httpx2.AsyncClient) -> ModelFacts | None:
        props = await self._get(client, f"{self._root}/props")
        window = _tokens(as_mapping(props.get("default_generation_settings")).get("n_ctx")) or _tokens(
            props.get("n_ctx")
        )
        caps = as_mapping(props.get("chat_template_caps")).get("supports_tools", props.get("supports_tools"))
        return _reported(window, tools=False if caps is False else None) if window else None

    async def _of_lm_studio(self, client: httpx2.AsyncClient) -> ModelFacts | None:
        answer = await self._get(client, f"{self._root}/api/v0/models")
        for each in answer["data"] if isinstance(answer.get("data"), list) else ():
            entry = as_mapping(each)
            if entry.get("id") == self._settings.model and (window := _tokens(entry.get("loaded_context_length"))):
                return _reported(window)
        return None

    async def _of_list(self, client: httpx2.AsyncClient, url: str) -> ModelFacts:
        if protocols_of(self._settings.base_url, self._settings.protocol) == ("anthropic",):
            return UNKNOWN  # the table knows these
        query = self._server.endpoint.query
        answer = await self._get(client, f"{url}{'?' if query else ''}{query}")
        for entry in listed_models(answer) if "data" in answer else ():
            if as_text(entry["id"]).removeprefix("models/") == self._settings.model:
                fields = {**as_mapping(entry.get("meta")), **entry}
                window = next((size for name in (*_FIELDS, "n_ctx") if (size := _tokens(fields.get(name)))), 0)
                return _reported(window) if window else UNKNOWN
        return UNKNOWN


def _reported(
    window: int, *, source: WindowSource = "server", possible: int = 0, tools: bool | None = None
) -> ModelFacts:
    window = min(window, _MOST_WINDOW)
    return ModelFacts(
        window=window,
        source=source,
        possible=min(possible, _MOST_WINDOW) if possible > window else 0,
        tools=tools,
    )


def _tokens(value: object) -> int:
    """Return a plausible number of tokens, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= _LEAST_WINDOW else 0


def _same_model(entry: Mapping[str, Any], model: str) -> bool:
    names = {as_text(entry.get("name")), as_text(entry.get("model"))}
    return bool(names & {model, f"{model}:latest"})


def _key(settings: Settings) -> str:
    try:
        return f"{origin_of(settings.base_url)} {settings.model}"
    except ValueError:
        return settings.model


def _read(fields: Mapping[str, Any]) -> ModelFacts:
    """Return a stored entry; UNKNOWN for one that can't be read."""
    window, possible, source = _tokens(fields.get("window")), _tokens(fields.get("possible")), fields.get("source")
    known, tools = source == "server" and window > 0, fields.get("tools")
    return ModelFacts(
        window=min(window, _MOST_WINDOW) if known else 0,
        source="server" if known else "unknown",
        possible=possible if known else 0,
        tools=tools if isinstance(tools, bool) else None,
        notebook=fields.get("notebook") is True,
    )
