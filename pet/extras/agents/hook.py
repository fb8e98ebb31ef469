"""Report one hook event of another agent to the running pet: ``pet agent event``, and a script for itself.

Agents start a hook at every step and wait for it, and Python with the package takes 0.65 s to start. So the command
in their settings files imports this file alone, as ``hook`` (see ``installation.hook_command``).

Of the event only its name, the client, the folder and the tool's name leave this process, with a hash of the session
and the agent's process id; prompt, code and paths stay here. A command leaves it only if the owner switched this
client's questions to the pet. Writes nothing but their answer to the agent, never waits without a pet, never fails.
"""

import sys  # nothing else, not even __future__: each module costs half a millisecond

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Call = Callable[[str, str, float], str | None]

_LARGEST = 8 << 20
"""Bytes; a larger event is read to its end, and dropped."""
_LONGEST_NAME = 60
_LONGEST_FOLDER = 400
_LONGEST_COMMAND = 20_000
"""Characters; a longer command is never asked about here: its owner could not read it whole in a bubble."""
ANSWER_SECONDS = 60.0
"""The time the owner has; afterwards the agent asks itself. The hook's limit in the settings file is longer."""
_PRIME = (1 << 127) - 1
_EVENT_SECONDS = 0.02
_ASKS = "PermissionRequest"


def report(data: bytes, client: str, process: int, home: str, folder: str, call: "Call") -> str:
    """Report one event; return what the agent gets, usually nothing. ``process``: the agent's, 0 if unknown;
    ``folder``: for events without one; ``call``: sends a command's name and arguments within some seconds, and
    returns the reply, or None."""
    event = _scan(data.decode("utf-8", "replace"))
    if not isinstance(event, dict):
        return ""
    name, kind = _name(event.get("hook_event_name")), _name(event.get("notification_type"))
    if str(event.get("prompt")).startswith("<task-notification>"):  # Claude Code to itself, no message of its owner
        kind = "task"
    roots = event.get("workspace_roots")
    there = event.get("cwd") or (roots[0] if isinstance(roots, list) and roots else folder)
    session = str(event.get("session_id") or event.get("conversation_id") or process)
    given = {
        "event": f"{name}:{kind}" if kind else name,
        "client": client[:_LONGEST_NAME],
        "folder": _short(str(there), home)[:_LONGEST_FOLDER],
        "tool": _name(event.get("tool_name")),
        "session": _hash(session[:200].encode("utf-8", "replace")),
        "process": process,
    }
    asks = name == _ASKS and event.get("tool_input") is not None
    reply = call("note_agent_event", _json(given), 1.0 if asks else _EVENT_SECONDS) if name else None
    if not asks or reply is None or not _value(reply, "ask"):
        return ""
    command = _command(event["tool_input"])
    if not 0 < len(command) <= _LONGEST_COMMAND:
        return ""
    del given["event"]
    answer = call("ask_permission", _json({**given, "command": command, "hook": _own_process()}), ANSWER_SECONDS)
    behavior = _value(answer, "answer") if answer is not None else None
    if behavior not in ("allow", "deny"):
        return ""
    return _json({"hookSpecificOutput": {"hookEventName": _ASKS, "decision": {"behavior": behavior}}})


def _hash(session: bytes) -> str:
    """Return a power of it modulo a prime, which is its discrete logarithm: no module is loaded for a hash."""
    return f"{pow(7, int.from_bytes(session, 'big') % (_PRIME - 1), _PRIME):x}"


def _name(value: object) -> str:
    """Return a name of an event or a tool; "" for anything that could be text or a path."""
    name = value if isinstance(value, str) and len(value) <= _LONGEST_NAME else ""
    return name if name.isascii() and name.translate({ord(sign): None for sign in "_-.:"}).isalnum() else ""


def _short(folder: str, home: str) -> str:
    inside = home and (folder == home or folder.startswith((f"{home}/", f"{home}\\")))
    return ("~" + folder[len(home) :]).replace("\\", "/") if inside else folder


def _command(given: object) -> str:
    """Return the whole command as the hook has it, or all arguments of a tool that runs none."""
    if isinstance(given, dict) and isinstance(given.get("command"), str) and given.keys() <= {"command", *_BESIDE}:
        return str(given["command"])
    import json  # late: costs as much as the rest, and here a person is waited for

    return json.dumps(given, ensure_ascii=False, indent=1)


_BESIDE = ("description", "timeout")
"""Arguments of a shell tool that change nothing about what its command does."""


def _own_process() -> int:
    import os

    return os.getpid()


# --- JSON and the socket without their packages ---------------------------------------------------


class _Plain:
    """Constructors of the scanner's values; numbers stay text, since none is needed."""

    strict = False
    object_hook = object_pairs_hook = None
    parse_float = parse_int = parse_constant = str
    memo: dict[str, str] = {}  # noqa: RUF012  the scanner's own


def _scan(text: str) -> object:
    """Parse JSON. Raises StopIteration or ValueError if it is cut or broken."""
    import _json

    scan = _json.make_scanner(_Plain())  # type: ignore[arg-type]  # any object with these names
    return scan(text.lstrip("\ufeff \t\r\n"), 0)[0]


def _json(value: object) -> str:
    """Return strings, numbers and objects of them as JSON."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{_json(name)}:{_json(each)}" for name, each in value.items()) + "}"
    if isinstance(value, int):
        return str(value)
    from _json import encode_basestring_ascii

    return encode_basestring_ascii(str(value))


def _value(reply: str, name: str) -> object:
    envelope = _scan(reply)
    value = envelope.get("value") if isinstance(envelope, dict) else None
    return value.get(name) if isinstance(value, dict) else None


def frame_of(name: str, args: str) -> bytes:
    """Return a call as the socket takes it, without its length."""
    return _json({"name": name, "args": args}).encode()


def _call_unix(state: str) -> "Call":
    """Return a caller over the Unix socket whose address is in the state folder. It waits for the reply of a call
    only if that may take longer than an event."""
    import _socket

    def call(name: str, args: str, seconds: float) -> str | None:
        with open(f"{state}/socket", encoding="utf-8") as file:  # noqa: PTH123
            address = file.read()
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        connection.settimeout(seconds)
        connection.connect(address)
        message = frame_of(name, args)
        connection.sendall(len(message).to_bytes(4, "big") + message)
        if seconds <= _EVENT_SECONDS and sys.platform == "linux":
            return None  # elsewhere the other end can't check whose process it was once it is gone
        reply = b""
        while len(reply) < 4 or len(reply) < 4 + int.from_bytes(reply[:4], "big"):
            piece = connection.recv(65536)
            if not piece:
                return None
            reply += piece
        return reply[4:].decode("ascii", "replace")

    return call


def read_event(stream: object) -> bytes:
    """Return standard input to its end; b"" if it is too large."""
    data = stream.read(_LARGEST)  # type: ignore[attr-defined]
    while more := stream.read(1 << 20):  # type: ignore[attr-defined]
        data, _ = b"", more
    return bytes(data)


def _main(client: str, state: str, process: str = "") -> None:
    import posix

    home = posix.environ.get(b"HOME", b"").decode("utf-8", "replace")
    whose = int(process) if process.isdecimal() else 0
    event = read_event(sys.stdin.buffer)
    sys.stdout.write(report(event, client, whose, home, "", _call_unix(state)))


def run_hook() -> None:
    """Report the event from a separate process, which ends here without the interpreter's own end (1 ms)."""
    import posix

    try:
        _main(*sys.argv[1:4])
        sys.stdout.flush()
    finally:
        posix._exit(0)
