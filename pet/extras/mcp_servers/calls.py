"""The tools of MCP servers in a turn, and their calls: asked about, bounded, and returned as text of others.

Nothing is sent before the owner allowed it: the first call of each tool, each call of a tool that says it changes
something, and each whose arguments hold something of the pet's memory. What comes back is data, and what a server
says of its tools is another's too: beside either, notes ask.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pet.access import Access
from pet.errors import AttachmentRefused, FileBroken, FileLost, PetError, ToolRefused
from pet.extras.mcp_servers import McpSettings
from pet.extras.mcp_servers.entries import McpFailed, ServerEntry
from pet.extras.mcp_servers.running import Servers, ServerTool
from pet.i18n import HAN, Texts
from pet.ids import new_id
from pet.model import AskedCall, Attachment, CoreFile, Lasting, Proposal, ToolSpec
from pet.prompt.fence import escape, one_line
from pet.text.markup import sent_file
from pet.tools.approval import ask_owner
from pet.tools.tool import Skills, Tool, ToolContext, ToolOutcome, TurnTools
from pet.tools.tool_arguments import Arguments, bad_arguments
from pet.transcripts.foreign import source
from pet.untrusted.parsers import NotAnObject, join_surrogates, read_json_object

_WORDS = 3
_SIGNS = 4
_MOST = 5  # lines that are named
_LINE = 200  # characters of one
_TOKEN = re.compile(rf"[{HAN}\u3040-\u30ff]|[^\W_{HAN}\u3040-\u30ff]+")
_SIGN = re.compile(rf"[{HAN}\u3040-\u30ff]")
_FRAME = re.compile(r"^\s*(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|>\s?)*\s*")
_HEADING = re.compile(r"^\s*#{1,6}\s|^\s*<!--")
_SMALL = frozenset(
    """
    a an and are as at be by for from has he her his in is it its my no not of on or our she that the
    their they this to was we were will with yes you your i am do does did have had can could would
    should el la los las un una de del y o en con por para que es son su sus mi sí se lo al
    """.split()  # noqa: SIM905  a list of words would have a line for each
)


def remembered_lines(text: str, memory: Iterable[str]) -> tuple[str, ...]:
    """Return at most five of the lines that ``text`` holds something of.

    >>> remembered_lines('{"to": "lin@example.org"}', ["- Mail: lin@example.org\\n- Tea: green"])
    ('- Mail: lin@example.org',)
    """
    runs = _runs(_tokens(text))
    lines: dict[str, None] = {}
    for text_of_memory in memory:
        for line in text_of_memory.splitlines():
            if line not in lines and not _HEADING.match(line) and _is_held(line, runs):
                lines[line.strip()[:_LINE]] = None
                if len(lines) == _MOST:
                    return tuple(lines)
    return tuple(lines)


def _is_held(line: str, runs: set[tuple[str, ...]]) -> bool:
    tokens = _tokens(_FRAME.sub("", line))
    _, colon, value = line.partition("：" if "：" in line else ":")
    own = _tokens(value) if colon else []
    if own and _says_something(own) and all(part in runs for part in _pieces(own)):
        return True
    if len(tokens) <= _WORDS and _says_something(tokens):
        return all(part in runs for part in _pieces(tokens))
    return any(part in runs for part in _pieces(tokens) if _says_something(part))


def _pieces(tokens: list[str]) -> list[tuple[str, ...]]:
    """Return the runs of a line; of a short one the line itself."""
    size = _size(tokens)
    if len(tokens) <= size:
        return [tuple(tokens)]
    return [tuple(tokens[at : at + size]) for at in range(len(tokens) - size + 1)]


def _runs(tokens: list[str]) -> set[tuple[str, ...]]:
    return {tuple(tokens[at : at + size]) for size in range(1, _SIGNS + 1) for at in range(len(tokens) - size + 1)}


def _size(tokens: list[str]) -> int:
    return _SIGNS if any(map(_SIGN.match, tokens)) else _WORDS


def _says_something(tokens: Iterable[str]) -> bool:
    return any(each not in _SMALL and (len(each) > 1 or each.isdigit() or _SIGN.match(each)) for each in tokens)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


_MOST_SENT = 20_000  # characters of arguments
_MOST_PICTURES = 4
_MOST_BYTES = 5 * 1024 * 1024  # of one picture


@dataclass(frozen=True, slots=True)
class McpTool(Tool):
    """A tool whose name and schema are its server's."""

    listed: ServerTool = field(kw_only=True)

    def describe(self, _access: Access, texts: Texts, _skills: Skills) -> ToolSpec:
        about = texts("tool.mcp", server=one_line(self.listed.server, 40), about=self.listed.description)
        return ToolSpec(name=self.name, description=about.strip(), schema={"type": "object", **self.listed.schema})

    def decode(self, spec: ToolSpec, text: str) -> Arguments:
        try:
            return read_json_object(text) if text.strip() else {}
        except NotAnObject:
            raise bad_arguments(spec.name, "object") from None
        except ValueError:
            raise bad_arguments(spec.name, "JSON") from None


async def tools_for_turn(servers: Servers, conversation: str) -> TurnTools:
    """Return the tools of the servers that run or can be started now, and why the others are not there."""
    listed, missing = await servers.start_all()
    return TurnTools(tools=tuple(_tool(servers, conversation, each) for each in listed), missing=missing)


def _tool(servers: Servers, conversation: str, listed: ServerTool) -> McpTool:
    async def run(context: ToolContext, arguments: Arguments) -> ToolOutcome:
        return await _Call(servers, conversation, listed, context).run(arguments)

    return McpTool(
        listed.id,
        lambda access, _skills: "mcp_servers" in access.switches,
        lambda _access, _texts, _skills: {},
        (),
        run,
        icon="globe",
        saves=False,
        foreign=(source("tool", listed.server),),
        listed=listed,
    )


def seconds_of(limits: McpSettings) -> float:
    """Return how long one call may take."""
    return float(limits.mcp_seconds)


@dataclass(frozen=True, slots=True)
class _Call:
    servers: Servers
    conversation: str
    tool: ServerTool
    context: ToolContext

    async def run(self, arguments: Arguments) -> ToolOutcome:
        context = self.context
        self._check()
        if context.reach is None:
            raise ToolRefused("switched_off")
        shown = join_surrogates(json.dumps(arguments, ensure_ascii=False, indent=2)) if arguments else ""
        if len(shown) > _MOST_SENT:
            raise ToolRefused("too_long", characters=len(shown), limit=_MOST_SENT)
        entry = await asyncio.to_thread(self.servers.entries.find, self.tool.server)
        held, is_known = await asyncio.to_thread(self._held, arguments)
        always = self.tool.digest in entry.always
        lasts = always or (not self.tool.changes and self.tool.digest in self._here)
        if held or not is_known or not lasts:
            call = AskedCall(source=self.tool.server, tool=self.tool.name, changes=self.tool.changes, remembered=held)
            answer = await ask_owner(
                context, Proposal(id=new_id(), file="", reason="call", before=shown, after="", base="", call=call)
            )
            await self._note(answer.lasting)
        self._check()
        limits = self.servers.limits()
        result = await context.reach.run(self.servers.call(entry, self.tool, dict(arguments), seconds_of(limits)))
        self._check()
        text, pictures = await asyncio.to_thread(self._read, result)
        most = min(limits.mcp_characters, context.reach.characters)
        cut = "\n" + context.texts("tool.mcp.cut", characters=most) if len(text) > most else ""
        name = f"{self.tool.server}: {self.tool.name}"
        sent = sent_file(one_line(name, 200), escape(text[:most]))
        error = McpFailed("tool_said", server=self.tool.server) if result.is_error else None
        return ToolOutcome(
            text=f"{context.texts('tool.mcp.begins')}\n{sent}{cut}",
            error=error,
            pictures=tuple(pictures),
            foreign=(source("tool", self.tool.server, text),),
        )

    @property
    def _here(self) -> set[str]:
        return self.servers.allowed_here.setdefault(self.conversation, set())

    def _check(self) -> None:
        """Raise ToolRefused once the switch is off, or the turn lost the memory that its arguments may contain."""
        self.context.gate.check_switch("mcp_servers")
        if self.context.gate.was_revoked():
            raise ToolRefused("memory_off")

    def _held(self, arguments: Arguments) -> tuple[tuple[str, ...], bool]:
        """Return the lines of memory that the arguments hold something of, and whether all of it could be read.
        Without memory none can be in them."""
        context = self.context
        if not context.gate.access().memory:
            return (), True
        texts, is_known = list[str](), True
        for name in (CoreFile.USER, CoreFile.MEMORY):
            try:
                texts.append(getattr(context.files.current(name), "text", ""))
            except (FileBroken, FileLost):  # the conversation may have what it said before
                is_known = False
        texts += context.files.notes().values()
        return remembered_lines("\n".join(_words(arguments)), texts), is_known

    async def _note(self, lasting: Lasting) -> None:
        if lasting == "conversation":
            self._here.add(self.tool.digest)
        if lasting == "always":

            def always(entry: ServerEntry) -> ServerEntry:
                return replace(entry, always=tuple(dict.fromkeys((*entry.always, self.tool.digest)))[-200:])

            await asyncio.to_thread(self.servers.entries.change, self.tool.server, always)

    def _read(self, result: Any) -> tuple[str, list[Attachment]]:
        """Return the result's text, and its pictures as they are kept."""
        pictures: list[Attachment] = []
        texts = list(self._pieces(result, pictures))
        if not texts and result.structured_content is not None:
            texts = [json.dumps(result.structured_content, ensure_ascii=False)]
        return "\n\n".join(texts) or self.context.texts("tool.mcp.empty"), pictures

    def _pieces(self, result: Any, pictures: list[Attachment]) -> Iterator[str]:
        words = self.context.texts
        for block in result.content:
            match block.type:
                case "text":
                    yield block.text
                case "image":
                    yield self._picture(block.data, pictures)
                case "resource_link":
                    yield words("tool.mcp.link", name=block.name, address=block.uri)
                case "resource" if hasattr(block.resource, "text"):
                    yield f"{block.resource.uri}\n{block.resource.text}"
                case "resource" if str(block.resource.mime_type).startswith("image/"):
                    yield self._picture(block.resource.blob, pictures)
                case kind:
                    yield words("tool.mcp.not_shown", kind=kind)

    def _picture(self, data: str, pictures: list[Attachment]) -> str:
        """Keep a picture for the owner; return the text for the model."""
        words = self.context.texts
        if len(pictures) >= _MOST_PICTURES or len(data) > _MOST_BYTES * 4 // 3:
            return words("tool.mcp.picture_left")
        keep = self.servers.keep_picture
        assert keep is not None
        try:
            content = base64.b64decode(data, validate=True)
            kept = keep(self.conversation, f"{self.tool.name}.png", content)
        except (binascii.Error, AttachmentRefused, PetError):
            return words("tool.mcp.picture_left")
        if not kept.kind.startswith("image/"):
            return words("tool.mcp.picture_left")
        pictures.append(kept)
        return words("tool.mcp.picture", width=kept.width, height=kept.height)


def _words(value: object) -> Iterator[str]:
    """Yield what arguments say, with their names: JSON would put a letter before the first word of a line."""
    match value:
        case Mapping():
            for name, each in value.items():
                yield from (str(name), *_words(each))
        case list():
            for each in value:
                yield from _words(each)
        case _:
            yield str(value)
