"""Run a module in the warm program and exit as it did: ``python -I -S warm_launcher.py SOCKET MODULE ARGUMENTS…``.

Imports only built-in modules, so that it starts within ten milliseconds.
"""

import _socket
import os
import sys


def request(arguments: list[str], environ: dict[bytes, bytes]) -> bytes:
    """Its length, then the folder, the number of arguments, the arguments and the environment, separated by NUL."""
    variables = [name + b"=" + value for name, value in environ.items()]
    body = b"\0".join([os.getcwdb(), b"%d" % len(arguments), *map(os.fsencode, arguments), *variables])
    return len(body).to_bytes(8, "big") + body


def main() -> None:
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.connect(sys.argv[1])
    streams = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
    data = request(sys.argv[2:], dict(os.environb))
    sent = connection.sendmsg([data], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
    connection.sendall(data[sent:])
    for number in range(3):
        os.close(number)  # a reader of the output waits for its last writer
    connection.recv(4)  # its process id
    code = int.from_bytes(connection.recv(4), "big", signed=True)
    if code < 0:
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
