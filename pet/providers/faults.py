"""Classify the failures of model calls and decide which are retried. Pure.

Kinds: no_key bad_key forbidden billing spend_limit rate_limit overloaded server timeout no_network dns
refused_connection dropped tls proxy redirected not_an_llm model_unknown bad_request too_large window_exceeded
responses_only no_pictures no_tools loading call_unread cut cut_short reply_too_large unknown. Server messages are
shortened and masked; no part of the key is kept.
"""

from __future__ import annotations

import errno
import math
import re
import socket
import ssl
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from time import time

from pet.errors import ProviderFault
from pet.providers.sanitize import ReplyTooLarge, as_text
from pet.settings.api_keys import ApiKey, Headers
from pet.untrusted.parsers import TooDeep

_NUMBER = r"(\d{1,3}(?:,\d{3})+(?!\d)|\d+)"
_SUM = re.compile(
    rf"{_NUMBER} \+ {_NUMBER} > {_NUMBER}"
)  # Anthropic: "exceed context limit: 190000 + 21333 > 200000"
_NAMED_WINDOW = re.compile(
    rf"(?:context (?:length|window|size)|max_model_len|`inputs` tokens \+ `max_new_tokens` must)\D{{1,12}}{_NUMBER}",
    re.I,
)
_TOTAL = re.compile(rf"requested (?:about |a total of )?{_NUMBER} tokens", re.I)
_PROMPT = re.compile(
    rf"{_NUMBER} (?:input tokens|tokens from the input|`inputs`|(?:tokens )?in the (?:messages|prompt))"
)
_REPLY = re.compile(r"max_(?:completion_|output_|new_)?tokens|(?:output|completion) tokens", re.I)
_MOST = re.compile(
    rf"\[ ?\d+ ?, ?{_NUMBER} ?\]|(?:at most|less than or equal to|must be <=|> |between \d+ and)\W{{0,2}}{_NUMBER}",
    re.I,
)


@dataclass(frozen=True, slots=True)
class OutputLimits:
    """Tokens, 0 where the refusal names none. ``most``: of a reply alone."""

    window: int = 0
    prompt: int = 0
    most: int = 0


NO_LIMITS = OutputLimits()


def limits_in(message: str, asked: int) -> OutputLimits:
    """Return the numbers in a refusal of a request that asked for a reply of ``asked`` tokens.

    >>> limits_in("Invalid max_tokens value, the valid range of max_tokens is [1, 4096]", 8096)
    OutputLimits(window=0, prompt=0, most=4096)
    """
    if (summed := _SUM.search(message)) and "context" in message:
        prompt, _, window = (_int(number) for number in summed.groups())
        return OutputLimits(window=window, prompt=prompt)
    if named := _NAMED_WINDOW.search(message):
        window = _int(named[1])
        total, counted = _TOTAL.search(message), _PROMPT.search(message)
        prompt = _int(total[1]) - asked if total else _int(counted[1]) if counted else 0
        return OutputLimits(window=window, prompt=prompt if prompt > window + 1 - asked else 0)  # vLLM: "at least"
    if asked and _REPLY.search(message):
        bounds = [_int(first or second) for first, second in _MOST.findall(message)]
        return OutputLimits(most=max((bound for bound in bounds if 0 < bound < asked), default=0))
    return NO_LIMITS


def _int(number: str) -> int:
    return int(number.replace(",", ""))


_MESSAGE_LIMIT = 300
_MAX_CLEANED = 20_000  # characters of a server's message that are processed
_KEY_PIECE = 6  # characters in a row that count as a part of the key
_SHORTENED = re.compile(r"([\w-]{2,64})?(?:\.{2,}|…|[*•x]{2,})([\w-]{2,64})?")
_KEY_LIKE = re.compile(r"\b(?:sk|key)-[A-Za-z0-9_\-]{8,}|(?i:bearer)\s+\S{8,}")
_WINDOW = re.compile(
    r"prompt is too long|context (?:window|length|size)|exceed_context_size|input is too long|maximum context", re.I
)
_NO_MODEL = re.compile(
    r"model.{0,80}(?:not found|does not exist|doesn't exist|not exist|unknown|not supported|invalid)"
    r"|(?:unknown|invalid|no such|unsupported).{0,20}model|^model: ",
    re.I | re.S,
)
# Applied to requests with pictures only. Wordings vary: an image "is not supported", a model "does not support
# vision", an "unexpected" `image` in the body.
_ABOUT_PICTURES = r"(?:images?|pictures?|vision|visual|multi-?modal(?:ity)?)"
_NO_PICTURES = re.compile(
    rf"{_ABOUT_PICTURES}.{{0,60}}(?:not (?:be )?(?:supported|allowed|enabled|accepted)|unsupported|mmproj)"
    rf"|(?:not|n't|cannot) (?:support|accept|take|handle|process|have).{{0,40}}{_ABOUT_PICTURES}"
    rf"|(?:unsupported|unknown variant|unexpected|invalid).{{0,40}}\b{_ABOUT_PICTURES}(?:\b|_url|_type)"
    rf"|{_ABOUT_PICTURES}.{{0,60}}only supported (?:by|in|with)|at most 0 {_ABOUT_PICTURES}"
    r"|content must be a string|content.{0,40}(?:should be|expected).{0,10}string"
    r"|not a (?:multi-?modal|vision)|text[- ]only|mmproj",
    re.I | re.S,
)
_NOT_TAKEN = frozenset({200, 400, 404, 415, 422, 500, 501})
_ABOUT_TOOLS = r"(?:tools?(?:[ _](?:use|calls?|calling|choice))?|functions?(?:[ _](?:calls?|calling))?)"
# Applied to requests with tools only: of Ollama, vLLM, llama.cpp, OpenRouter, LM Studio.
_NO_TOOLS = re.compile(
    rf"(?:not|n't|cannot|can't) (?:support|use|accept|take|have) (?:the use of |native )?['\"`]?{_ABOUT_TOOLS}"
    rf"|{_ABOUT_TOOLS}['\"`]?:? (?:(?:is|are|was|were) )?(?:currently )?"
    r"(?:not (?:be )?(?:supported|enabled|available|allowed|permitted)|unsupported|disabled)"
    r"|(?:unsupported|unrecognized|unknown|unexpected|extra)\b(?:(?!\b(?:role|in|of)\b).){0,40}"
    r"['\"`: ](?:tools|functions)['\"`]?(?:$|[.,;:]| (?:param|field|argument|in |at ))"
    r"|support (?:for )?tool use|tool-call-parser|tools? param(?:eter)? requires|enable-auto-tool-choice"
    r"|\btools: extra inputs|without (?:tools?|function) support",
    re.I,
)
_RESPONSES = re.compile(r"/?v1/responses\b|responses api", re.I)  # "only supported in v1/responses"
_NO_ENDPOINT = re.compile(r"^unexpected endpoint", re.I)  # LM Studio's, with status 200
_LOADING = re.compile(
    r"loading(?: the)? model|model\b.{0,100}\b(?:is|are) (?:still |currently |being )?load(?:ing|ed)", re.I
)
_BAD_KEY = re.compile(r"api.?key not valid|(?:invalid|incorrect|missing) api.?key|API_KEY_INVALID", re.I)
_SPEND = re.compile(r"spend(?:ing)? (?:limit|cap)|usage limit|monthly limit|quota", re.I)
_CREDIT = re.compile(r"credit balance|insufficient (?:balance|credit|funds)|billing|payment", re.I)
_SPEND_CODES = ("spend_limit_reached", "ramp_limit_exceeded")
_UNREACHABLE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL})
_UNTOLD = "?"  # an error within a stream that says nothing
_PASSING = ("rate_limit", "overloaded", "server", "timeout", "no_network", "dns", "refused_connection", "dropped")
_NOT_HEARD = ("timeout", "no_network", "dns", "refused_connection", "dropped", "tls", "proxy")
_ELSEWHERE, _KEYED = ("not_an_llm", "redirected"), ("no_key", "bad_key", "forbidden")
_RETRYABLE = frozenset({*_PASSING, "cut", "cut_short", "loading"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Context of a call for its fault's message. ``key`` and ``headers`` are used for masking only."""

    host: str = ""
    proxy: str = ""  # its host, "" for none
    model: str = ""
    key: ApiKey | None = None
    headers: Headers = field(default_factory=dict)
    pictures: bool = False  # the request contains some
    tools: bool = False  # likewise
    output: int = 0  # tokens that the request asks for
    responses: bool = False  # it is made over OpenAI's Responses

    @property
    def secrets(self) -> tuple[ApiKey, ...]:
        """Sent values that are never shown."""
        return (*([] if self.key is None else [self.key]), *self.headers.values())


NOWHERE = Where()


def fault_of(
    kind: str, where: Where = NOWHERE, *, retry_after: float | None = None, **args: str | int
) -> ProviderFault:
    """Return a fault of this kind, with the host among its arguments."""
    return ProviderFault(kind, retryable=kind in _RETRYABLE, retry_after=retry_after, host=where.host, **args)


def families() -> tuple[type[Exception], ...]:
    """Return the exception classes that a call through the SDK may raise. Imports the SDK: call it late."""
    import anthropic

    return (anthropic.AnthropicError, *plain_families())


def plain_families() -> tuple[type[Exception], ...]:
    """Return the exception classes that a call over httpx2 may raise: also unwrapped socket and TLS errors, invalid
    JSON, UTF-8 and headers."""
    import httpx2

    return (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, OSError, ValueError)


def classify(error: BaseException, where: Where = NOWHERE) -> ProviderFault:
    """Return the fault for an exception of ``families`` or ``plain_families``."""
    if isinstance(error, ProviderFault):
        return error
    if any(isinstance(cause, ReplyTooLarge | TooDeep) for cause in causes(error)):  # the SDK wraps some
        return fault_of("reply_too_large", where)
    return _of_sdk(error, where) or _of_http(error, where)


def _of_sdk(error: BaseException, where: Where) -> ProviderFault | None:
    """Return the fault for an exception of the SDK; None for others, and if the SDK is not loaded."""
    if "anthropic" not in sys.modules:
        return None
    import anthropic

    if isinstance(error, anthropic.APIStatusError):
        return of_status(error.status_code, error.body, error.response.headers, where)
    if isinstance(error, anthropic.APITimeoutError):
        return _of_timeout(error, where)
    if isinstance(error, anthropic.APIConnectionError):
        return _of_connection(error, where)
    if isinstance(error, anthropic.APIResponseValidationError):
        return fault_of("not_an_llm", where)
    return None


def _of_http(error: BaseException, where: Where) -> ProviderFault:
    import httpx2

    if isinstance(error, httpx2.TimeoutException):
        return _of_timeout(error, where)
    if isinstance(error, httpx2.TransportError | OSError):
        return _of_connection(error, where)
    if isinstance(error, ValueError | httpx2.DecodingError):
        return fault_of("not_an_llm", where)
    return fault_of("unknown", where, message=type(error).__name__)


def _of_timeout(error: BaseException, where: Where) -> ProviderFault:
    import httpx2

    connecting = any(isinstance(cause, httpx2.ConnectTimeout) for cause in causes(error))
    return _proxy(where) if connecting and where.proxy else fault_of("timeout", where)


def of_status(status: int, body: object, headers: Mapping[str, str], where: Where = NOWHERE) -> ProviderFault:
    """Return the fault for an HTTP status, or for an error event within a stream (status 200)."""
    kind, message, code = _error_of(body)
    shown = safe_message(message, *where.secrets) or f"HTTP {status}"
    match status, kind:
        case (s, _) if 300 <= s < 400:
            target = headers.get("location", "")
            return fault_of("redirected", where, target=safe_message(target, *where.secrets, limit=100))
        case (407, _):
            return _proxy(where)
        case (401, _) | (_, "authentication_error"):
            return fault_of("bad_key" if where.secrets else "no_key", where)
        case (400 | 403, _) if _BAD_KEY.search(message):
            return fault_of("bad_key" if where.secrets else "no_key", where)
        case (_, _) if "insufficient_quota" in (kind, code):
            return fault_of("billing", where)
        case (402, _) | (_, "billing_error"):
            return fault_of("billing", where)
        case (529, _) | (_, "overloaded_error"):
            return fault_of("overloaded", where, retry_after=retry_after(headers))
        case (429, _) | (_, "rate_limit_error"):
            return _of_limit(message, code, headers, where)
        case (413, _) | (_, "request_too_large"):
            return fault_of("too_large", where)
        case (408 | 504, _) | (_, "timeout_error"):
            return fault_of("timeout", where)
    if not where.responses and status in _NOT_TAKEN and _RESPONSES.search(message):
        return fault_of("responses_only", where, model=safe_message(where.model, *where.secrets, limit=100))
    if where.pictures and status in _NOT_TAKEN and _NO_PICTURES.search(message):
        return fault_of("no_pictures", where, model=safe_message(where.model, *where.secrets, limit=100))
    if where.tools and status in _NOT_TAKEN and _NO_TOOLS.search(message):
        return fault_of("no_tools", where, model=safe_message(where.model, *where.secrets, limit=100))
    if status in (200, 503) and _LOADING.search(message):
        return fault_of("loading", where, retry_after=retry_after(headers))
    limits = limits_in(message, where.output)
    if limits.most and status in (400, 422):
        return fault_of("bad_request", where, message=shown, most=limits.most)
    sized = limits.window or kind == "exceed_context_size_error" or code == "context_length_exceeded"
    if sized or _WINDOW.search(message):
        named = {"window": limits.window, "prompt": limits.prompt} if limits.window else {}
        return fault_of("window_exceeded", where, message=shown, **named)
    if status in (400, 404, 422) and _NO_MODEL.search(message):
        return fault_of("model_unknown", where, model=safe_message(where.model, *where.secrets, limit=100))
    if (
        status in (404, 405, 501)
        or _NO_ENDPOINT.search(message)
        or (status >= 400 and not message and status < 500 and status != 403)
    ):
        return fault_of("not_an_llm", where)
    if status == 403 or kind == "permission_error":
        return fault_of("forbidden", where, message=shown)
    if status >= 500 or (status == 200 and kind in ("api_error", "")):
        reason = f"HTTP {status}" if status >= 500 else safe_message(message, *where.secrets, limit=100) or _UNTOLD
        return fault_of("server", where, retry_after=retry_after(headers), status=reason)
    if _is_spend_limit(message, code):
        return fault_of("spend_limit", where)
    if _CREDIT.search(message):
        return fault_of("billing", where)
    return fault_of("bad_request", where, message=shown)


def knows_protocol(fault: ProviderFault | None) -> bool | None:
    """Whether a server knows a protocol over which it answered an empty request with this fault; None: it asks for a
    key first. Raises the fault of a server that did not answer."""
    if fault is None or fault.kind not in (*_NOT_HEARD, *_ELSEWHERE, *_KEYED):
        return True
    if fault.kind in _NOT_HEARD:
        raise fault
    return False if fault.kind in _ELSEWHERE else None


def safe_message(text: str, *secrets: ApiKey | None, limit: int = _MESSAGE_LIMIT) -> str:
    """Return a server's message for display: one line, truncated, with these and anything like a key masked."""
    text = text[:_MAX_CLEANED]
    for secret in secrets:
        text = text if secret is None else _without_key(text, secret.reveal())
    text = _KEY_LIKE.sub("•••", text)
    text = "".join(character if character.isprintable() else " " for character in text)
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _without_key(text: str, key: str) -> str:
    """Mask the key, any ``_KEY_PIECE`` consecutive characters of it, and its ends in abbreviations (``sk-…abc``)."""
    size = min(_KEY_PIECE, len(key))
    pieces = {key[at : at + size] for at in range(len(key) - size + 1)}
    hidden = [False] * len(text)
    for at in range(len(text) - size + 1):
        if text[at : at + size] in pieces:
            hidden[at : at + size] = [True] * size
    for match in _SHORTENED.finditer(text):
        for group in (1, 2):
            if match[group] and match[group] in key:
                hidden[match.start(group) : match.end(group)] = [True] * len(match[group])
    runs = groupby(zip(text, hidden, strict=True), key=itemgetter(1))
    return "".join("•••" if is_key else "".join(char for char, _ in run) for is_key, run in runs)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the wait a server requests, in seconds; None if it requests none."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            seconds = float(value) * unit
        except ValueError:
            seconds = _seconds_until(value)
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    return None


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the exception, its causes and contexts, and the members of exception groups."""
    waiting, seen = [error], set[int]()
    while waiting:
        each = waiting.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        waiting += [cause for cause in (each.__cause__, each.__context__) if cause is not None]
        if isinstance(each, BaseExceptionGroup):
            waiting += each.exceptions


def _of_connection(error: BaseException, where: Where) -> ProviderFault:
    import httpx2

    every = list(causes(error))

    def has(*kinds: type[BaseException]) -> bool:
        return any(isinstance(cause, kinds) for cause in every)

    if has(httpx2.ProxyError):
        return _proxy(where)
    if has(ssl.SSLError):
        return fault_of("tls", where)
    if has(httpx2.ConnectError) and where.proxy:
        return _proxy(where)  # it is the proxy that can't be reached
    if has(socket.gaierror):
        return fault_of("dns", where)
    if has(ConnectionRefusedError):
        return fault_of("refused_connection", where)
    if has(httpx2.LocalProtocolError, httpx2.UnsupportedProtocol):
        return fault_of("unknown", where, message=type(every[-1]).__name__)
    if has(httpx2.ConnectError) or any(isinstance(one, OSError) and one.errno in _UNREACHABLE for one in every):
        return fault_of("no_network", where)
    return fault_of("dropped", where)


def _of_limit(message: str, code: str, headers: Mapping[str, str], where: Where) -> ProviderFault:
    if _is_spend_limit(message, code) and "retry-after" not in headers:
        return fault_of("spend_limit", where)
    wait = retry_after(headers)
    return fault_of("rate_limit", where, retry_after=wait, seconds=math.ceil(wait) if wait is not None else 0)


def _is_spend_limit(message: str, code: str) -> bool:
    return code.endswith(_SPEND_CODES) or bool(_SPEND.search(message))


def _proxy(where: Where) -> ProviderFault:
    return fault_of("proxy", where, proxy=where.proxy)


def _error_of(body: object) -> tuple[str, str, str]:
    """Return type, message and code of an error body of either protocol; "" for missing ones."""
    if not isinstance(body, Mapping):
        return "", "", ""  # HTML, from something in between
    error = body.get("error")
    if not error and isinstance(each := body.get("errors"), list) and each:
        error = each[0]
    if isinstance(error, str):
        return "", error, as_text(body.get("code"))
    fields: Mapping[str, object] = error if isinstance(error, Mapping) else body
    details = fields.get("details")
    code = details.get("error_code") if isinstance(details, Mapping) else fields.get("code")
    return as_text(fields.get("type")), _message(fields.get("message") or fields.get("detail")), as_text(code)


def _message(message: object) -> str:
    """Return the text of a message; FastAPI sends a list of problems."""
    if isinstance(message, list):
        return "; ".join(map(_problem, message))
    return as_text(message)


def _problem(problem: object) -> str:
    if not isinstance(problem, Mapping):
        return as_text(problem)
    place = problem.get("loc")
    names = [each for each in place if isinstance(each, str) and each != "body"] if isinstance(place, list) else []
    return ": ".join((*names[-1:], as_text(problem.get("msg"))))


def is_error(body: Mapping[str, object]) -> bool:
    """Whether an object is an error's in one of the forms that servers send, also with status 200."""
    if body.get("error") or body.get("object") == "error" or body.get("type") == "error":
        return True
    return isinstance(body.get("errors"), list) or "detail" in body or ("message" in body and "code" in body)


def _seconds_until(date: str) -> float:
    from email.utils import parsedate_to_datetime  # late: hardly any reply needs it

    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time())
    except (ValueError, OverflowError):
        return math.nan


# Reported at once: a refused connection (the server isn't running) and a timeout (90 seconds are lost already).
BY_ITSELF = frozenset({"rate_limit", "overloaded", "server", "no_network", "dns", "dropped", "cut"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """For calls that yielded no text yet."""

    attempts: int = 4  # calls in total
    longest_wait: float = 60.0  # seconds; a server may request hours
    waits: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0)
    loading_wait: float = 3.0  # between two calls while the server loads its model
    loading_attempts: int = 400  # twenty minutes

    def next_wait(self, fault: ProviderFault, attempt: int) -> float | None:
        """Return seconds to wait after call number ``attempt`` (1-based) failed; None to give up."""
        if fault.kind == "loading" and attempt < self.loading_attempts:
            return self.loading_wait
        if fault.kind not in BY_ITSELF or attempt >= self.attempts:
            return None
        if fault.kind == "dropped" and attempt == 1:
            return 0.0  # a kept-alive connection had gone stale
        if fault.retry_after is not None:
            return min(fault.retry_after, self.longest_wait)
        return self.waits[min(attempt, len(self.waits)) - 1]
