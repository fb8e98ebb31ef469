"""A system tray of the D-Bus kind: ``python -m tests.support.desktop.status_notifier`` on the session bus.

Prints each icon that registers; shows none.
"""

from __future__ import annotations

from jeepney import HeaderFields, MessageType, new_error, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

NAME = "org.kde.StatusNotifierWatcher"
TRUE = {"IsStatusNotifierHostRegistered": ("b", True), "ProtocolVersion": ("i", 0)}


def main() -> None:
    bus = open_dbus_connection("SESSION")
    bus.send_and_get_reply(message_bus.RequestName(NAME))
    print("ready", flush=True)
    while True:
        asked = bus.receive()
        if asked.header.message_type is not MessageType.method_call:
            continue
        member = asked.header.fields[HeaderFields.member]
        if member == "RegisterStatusNotifierItem":
            print("icon", flush=True)
            bus.send(new_method_return(asked))
        elif member == "Get" and asked.body[1] in TRUE:
            bus.send(new_method_return(asked, "v", (TRUE[asked.body[1]],)))
        else:
            bus.send(new_error(asked, "org.freedesktop.DBus.Error.UnknownMethod"))


if __name__ == "__main__":
    main()
