"""Wayland desktops for the window tests, each shown in a private X server.

The compositor draws its whole screen into one window of Xvfb, so pointer, keyboard and pictures are those of the
other window tests. The pet runs on the compositor's XWayland, as on an owner's desktop.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.desktop.xvfb import BACKGROUND, Desktop, choosing_a_display, open_server, wait_for

SIZE = "1280x800"
_NOBODY = "65534"


@dataclass(slots=True)
class WaylandDesktop(Desktop):
    """A compositor with XWayland. ``name``: as in ``COMPOSITORS``."""

    name: str = ""
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def environ(self) -> dict[str, str]:
        return super(WaylandDesktop, self).environ | self.variables

    def windows(self, pid: int) -> dict[int, str]:
        """Return the shown windows of this process, also those unknown to the window manager."""
        from Xlib import X, Xatom
        from Xlib.error import BadDrawable, BadWindow

        found: dict[int, str] = {}
        with self.connection() as server:
            owner, title = server.intern_atom("_NET_WM_PID"), server.intern_atom("_NET_WM_NAME")
            windows = [server.screen().root]
            while windows:
                window = windows.pop()
                try:
                    windows.extend(window.query_tree().children)
                    pids = window.get_full_property(owner, Xatom.CARDINAL)
                    names = window.get_full_property(title, X.AnyPropertyType)
                    shown = window.get_attributes().map_state == X.IsViewable
                except (BadWindow, BadDrawable):  # closed meanwhile
                    continue
                if shown and pids and names and pids.value[0] == pid:
                    found[window.id] = names.value.decode()
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Compositor:
    """``command`` shows its screen on the display ``host`` at this scale and runs the script once it is ready."""

    name: str
    desktop: str  # XDG_CURRENT_DESKTOP
    tools: tuple[str, ...]
    command: Callable[[Desktop, Path, float], list[str]]
    upscales: bool | None = None  # draws X programs small and enlarges them; None: depends on the version, measured


def _sway(host: Desktop, script: Path, scale: float) -> list[str]:
    folder = script.parent
    config = folder / "sway.conf"
    config.write_text(
        f"output * mode {SIZE} scale {scale} bg {BACKGROUND} solid_color\n"
        'xwayland force\nfocus_follows_mouse no\ndefault_border none\nfor_window [title="Film"] floating enable\n'
        f"exec {script}\n"
    )
    drop: list[str] = []
    if os.geteuid() == 0:  # it refuses to run as root
        drop = ["setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups"]
    chosen = ("WLR_BACKENDS=x11", "WLR_RENDERER=pixman", "WLR_LIBINPUT_NO_DEVICES=1", f"HOME={folder}")
    return [*drop, "env", *chosen, "sway", "-c", str(config)]


def _labwc(host: Desktop, script: Path, scale: float) -> list[str]:
    begin = script.with_name("begin.sh")
    begin.write_text(f"#!/bin/sh\nwlr-randr --output X11-1 --custom-mode {SIZE} --scale {scale}\nexec {script}\n")
    begin.chmod(0o755)
    alive = "<labwc_config><core><xwaylandPersistence>yes</xwaylandPersistence></core></labwc_config>\n"
    script.with_name("rc.xml").write_text(alive)
    chosen = ("WLR_BACKENDS=x11", "WLR_RENDERER=pixman", "WLR_LIBINPUT_NO_DEVICES=1")
    return ["env", *chosen, "labwc", "-C", str(script.parent), "-s", str(begin)]


def _mutter(host: Desktop, script: Path, scale: float) -> list[str]:
    chosen = ["LIBGL_ALWAYS_SOFTWARE=1", f"MUTTER_DEBUG_DUMMY_MODE_SPECS={SIZE}", "GSETTINGS_BACKEND=memory"]
    if scale != 1:
        chosen.append(f"MUTTER_DEBUG_DUMMY_MONITOR_SCALES={scale}")
    return ["env", *chosen, "mutter", "--nested", "--wayland", "--", str(script)]


_SHELL_SETTINGS = f"""[org/gnome/desktop/background]
picture-options='none'
primary-color='{BACKGROUND}'
[org/gnome/desktop/interface]
enable-animations=false
enable-hot-corners=false
[org/gnome/desktop/session]
idle-delay=uint32 0
[org/gnome/shell]
welcome-dialog-last-shown-version='999'
"""
_SHELL_BEGIN = """#!/bin/sh
gnome-shell --nested --wayland --wayland-display=wayland-gnome >{folder}/shell.log 2>&1 &
until DISPLAY=$(grep -o 'public X11 display :[0-9]*' {folder}/shell.log); do sleep 0.1; done
export DISPLAY=":${{DISPLAY##*:}}" WAYLAND_DISPLAY=wayland-gnome
export XAUTHORITY=$(echo {folder}/.mutter-Xwaylandauth.*)
properties() {{
    gdbus call --session --dest org.gnome.Shell --object-path /org/gnome/Shell \
        --method org.freedesktop.DBus.Properties."$@" 2>/dev/null
}}
until properties Get org.gnome.Shell OverviewActive | grep -q true; do sleep 0.1; done
until properties Get org.gnome.Shell OverviewActive | grep -q false; do
    properties Set org.gnome.Shell OverviewActive '<false>'
    sleep 0.1
done
exec {script}
"""
"""GNOME Shell starts no program itself, and opens with its overview."""


def _gnome(host: Desktop, script: Path, scale: float) -> list[str]:
    folder = script.parent
    settings = folder / "config" / "glib-2.0" / "settings" / "keyfile"
    settings.parent.mkdir(parents=True)
    settings.write_text(_SHELL_SETTINGS)
    begin = script.with_name("begin.sh")
    begin.write_text(_SHELL_BEGIN.format(folder=folder, script=script))
    begin.chmod(0o755)
    chosen = [
        *("LIBGL_ALWAYS_SOFTWARE=1", f"MUTTER_DEBUG_DUMMY_MODE_SPECS={SIZE}", "GSETTINGS_BACKEND=keyfile"),
        *(f"HOME={folder}", f"XDG_CONFIG_HOME={folder}/config", "XDG_SESSION_TYPE=wayland"),
        f"DBUS_SYSTEM_BUS_ADDRESS=unix:path={host.folder}/bus",  # it does not start without one
    ]
    if scale != 1:
        chosen.append(f"MUTTER_DEBUG_DUMMY_MONITOR_SCALES={scale}")
    return ["env", *chosen, str(begin)]


def _kwin(host: Desktop, script: Path, scale: float) -> list[str]:
    # Its file carries a capability, without which a container starts no such file: a copy has none.
    program = shutil.copyfile(shutil.which("kwin_wayland") or "", script.parent / "kwin_wayland")
    Path(program).chmod(0o755)
    width, height = (str(round(int(side) / scale)) for side in SIZE.split("x"))
    shown = ["--x11-display", host.host, "--width", width, "--height", height, "--scale", str(scale)]
    quiet = ["--xwayland", "--no-lockscreen", "--no-global-shortcuts", "--socket", "wayland-kwin"]
    return ["env", "KWIN_COMPOSE=Q", str(program), *shown, *quiet, str(script)]


COMPOSITORS = {
    "sway": Compositor(
        name="sway", desktop="sway", tools=("sway", "Xwayland", "xhost", "setpriv"), command=_sway, upscales=True
    ),
    "labwc": Compositor(
        name="labwc",
        desktop="labwc:wlroots",
        tools=("labwc", "wlr-randr", "Xwayland", "xhost"),
        command=_labwc,
        upscales=True,
    ),
    "mutter": Compositor(name="mutter", desktop="GNOME", tools=("mutter", "Xwayland", "xhost"), command=_mutter),
    "gnome": Compositor(
        name="gnome",
        desktop="GNOME",
        tools=("gnome-shell", "gdbus", "Xwayland", "xhost"),
        command=_gnome,
    ),
    "kwin": Compositor(name="kwin", desktop="KDE", tools=("kwin_wayland", "Xwayland", "xhost"), command=_kwin),
}


@contextlib.contextmanager
def open_compositor(name: str, *, scale: float = 1.0) -> Iterator[WaylandDesktop]:
    """Start the desktop of this name, with a private session bus and an empty screen of 1280 by 800 pixels."""
    chosen = COMPOSITORS[name]
    absent = [tool for tool in ("Xvfb", "dbus-daemon", *chosen.tools) if shutil.which(tool) is None]
    assert not absent, f"the tests on {name} need {', '.join(absent)}: see .ci/apt.txt"
    with open_server(SIZE) as server:
        folder = server.folder / name
        folder.mkdir(mode=0o700)
        ready, script = folder / "ready", folder / "session.sh"
        script.write_text(
            "#!/bin/sh\n"
            f"xhost +si:localuser:$(id -un {os.getuid()}) >/dev/null\n"
            f'printf "%s\\n" "$DISPLAY" "$WAYLAND_DISPLAY" >{ready}.new && mv {ready}.new {ready}\n'
            "exec xprop -root -spy >/dev/null 2>&1\n"  # ends with the X server
        )
        script.chmod(0o755)
        bus = f"unix:path={server.folder}/bus"
        desktop = WaylandDesktop(
            server.display,
            server.folder,
            server.processes,
            host=server.display,
            scale=scale if chosen.upscales else 1.0,
            name=name,
            variables={"DBUS_SESSION_BUS_ADDRESS": bus, "XDG_CURRENT_DESKTOP": chosen.desktop},
        )
        desktop.spawn("dbus-daemon", "--session", f"--address={bus}", "--nofork", "--nopidfile")
        wait_for("the session bus", (server.folder / "bus").exists)
        start = chosen.command(desktop, script, scale)
        if start[0] == "setpriv":
            server.folder.chmod(0o711)
            for path in (folder, *folder.iterdir()):
                os.chown(path, int(_NOBODY), int(_NOBODY))
        with choosing_a_display():  # for its XWayland
            desktop.spawn("env", f"XDG_RUNTIME_DIR={folder}", *start)
            wait_for(name, ready.exists)
        display, socket = ready.read_text().splitlines()
        desktop.display = display
        desktop.variables |= {"WAYLAND_DISPLAY": str(folder / socket), "XDG_SESSION_TYPE": "wayland"}
        wait_for("XWayland's window manager", lambda: "#" in desktop.prop("root", "_NET_SUPPORTING_WM_CHECK"))
        if scale != 1 and chosen.upscales is None:
            # KWin 5 enlarges, mutter 43 does not; mutter 48 has X programs draw at twice the size and shrinks that,
            # into a part of the screen.
            with desktop.connection() as x11, desktop.connection(desktop.host) as host:
                (shown,) = (window.get_geometry() for window in host.screen().root.query_tree().children)
                desktop.scale = shown.width / x11.screen().width_in_pixels
        desktop.point(60, 60)
        yield desktop
