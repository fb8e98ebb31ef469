"""macOS platform: WKWebView in Cocoa windows. Unproven: written against pywebview 6.2.1's sources.

The Cocoa classes come from PyObjC, which pywebview depends on; they are untyped here. Cocoa's y axis points up from
the bottom left; it is flipped here.
"""

# ruff: noqa: ARG001, ARG002  (signatures given by the interface and by the toolkit)

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pet.bridge.desktop_port import Area
from pet.desktop.geometry import Monitor, Rect
from pet.desktop.menu_model import MenuItem, plain
from pet.desktop.platforms.base import Gui, Kind, PageSpec, TraySpec
from pet.desktop.platforms.move_settle import MoveSettle
from pet.desktop.platforms.page_guard import OwnPages

_ACCESSORY = 1  # no Dock icon, no menu bar
_ALLOW, _CANCEL = 1, 0
_DENY = 2  # WKPermissionDecisionDeny
_ON, _OFF = 1, 0


class MacDesktop:
    gui: Gui = "cocoa"

    see_through = True

    def __init__(self) -> None:
        self._kit: Any = importlib.import_module("AppKit")
        self._helper: Any = importlib.import_module("PyObjCTools.AppHelper")
        self._tray: Any = None
        self._wakes = False
        self._react: Callable[[], None] | None = None
        self._targets: list[Any] = []  # Cocoa holds a menu item's target weakly

    def abilities(self) -> tuple[str, ...]:
        return ("transparency", "opacity", "tray", "skip_taskbar", "placement")

    def lock(self, pages: Sequence[PageSpec]) -> None:
        backend: Any = importlib.import_module("webview.platforms.cocoa")
        _lock(backend.BrowserView, OwnPages(page.url for page in pages))

    def post(self, work: Callable[[], object]) -> None:
        self._helper.callAfter(work)

    def after(self, milliseconds: int, work: Callable[[], object]) -> None:
        timer = threading.Timer(milliseconds / 1000, lambda: self.post(work))
        timer.daemon = True
        timer.start()

    def monitors(self) -> list[Monitor]:
        main = self._kit.NSScreen.mainScreen()
        return [
            Monitor(
                str(screen.localizedName()),
                self._turned(screen.visibleFrame()),
                primary=screen == main,
                area=self._turned(screen.frame()),
                model=str(screen.localizedName()),
            )
            for screen in self._kit.NSScreen.screens()
        ]

    def on_monitors_changed(self, react: Callable[[], None]) -> None:
        centre = self._kit.NSNotificationCenter.defaultCenter()
        name = self._kit.NSApplicationDidChangeScreenParametersNotification
        centre.addObserverForName_object_queue_usingBlock_(name, None, None, lambda _note: react())

    def prepare_window(self, window: Any, *, kind: Kind) -> None:
        if kind != "chat":
            self._kit.NSApplication.sharedApplication().setActivationPolicy_(_ACCESSORY)
            spaces = self._kit.NSWindowCollectionBehaviorCanJoinAllSpaces
            window.native.setCollectionBehavior_(spaces | self._kit.NSWindowCollectionBehaviorStationary)

    def prerender(self, window: Any) -> None:
        return

    def pet_shown(self, window: Any) -> None:
        window.native.orderFrontRegardless()

    def is_free(self, window: Any) -> bool:
        return not (window.native.isZoomed() or window.native.isMiniaturized())

    def rect(self, window: Any) -> Rect:
        native = window.native
        return self._turned(native.contentRectForFrameRect_(native.frame()))

    def frame(self, window: Any) -> tuple[int, int, int, int]:
        native = window.native
        outer = native.frame()
        inner = native.contentRectForFrameRect_(outer)
        top = round(outer.size.height - inner.size.height)
        return 0, top, 0, 0

    def place(self, window: Any, rect: Rect) -> None:
        native = window.native
        _left, top, _right, _bottom = self.frame(window)
        outer = rect.height + top
        y = self._height() - rect.y - outer
        native.setFrame_display_(self._kit.NSMakeRect(rect.x, y, rect.width, outer), True)

    def on_moved(self, window: Any, react: Callable[[], None]) -> None:
        resting = MoveSettle(self.after, lambda: False, react)
        window.events.moved += lambda *_where: self.post(resting.moved)

    def set_opacity(self, window: Any, share: float) -> None:
        window.native.setAlphaValue_(share)

    def show(self, window: Any, *, focus: bool) -> None:
        native = window.native
        if native.isMiniaturized():
            native.deminiaturize_(None)
        if focus:
            native.makeKeyAndOrderFront_(None)
            self._kit.NSApplication.sharedApplication().activateIgnoringOtherApps_(True)
        else:
            native.orderFrontRegardless()

    def hide(self, window: Any) -> None:
        window.native.orderOut_(None)

    def take_focus(self, window: Any, *, may: bool) -> None:
        window.native.focus = may  # pywebview's window checks this for canBecomeKey

    def capture_alpha(self, window: Any) -> tuple[list[bytes], float] | None:
        return None

    def scale(self, window: Any) -> float:
        return 1.0  # only used for outlines, which are unsupported here

    def pointer(self) -> tuple[int, int] | None:
        return None

    def set_outline(self, window: Any, rects: Sequence[Rect] | None) -> None:
        return

    def on_wake(self, react: Callable[[], None] | None) -> None:
        wakes, self._react = self._wakes, react
        if react is None or wakes:
            return
        self._wakes = True
        centre = self._kit.NSWorkspace.sharedWorkspace().notificationCenter()
        for name in ("NSWorkspaceDidWakeNotification", "NSWorkspaceSessionDidBecomeActiveNotification"):
            centre.addObserverForName_object_queue_usingBlock_(name, None, None, lambda _note: self._woke())

    def _woke(self) -> None:
        if self._react is not None:
            self._react()

    def on_fullscreen(self, react: Callable[[frozenset[str]], None] | None) -> None:
        return

    def register_hotkeys(
        self, shortcuts: Mapping[str, Callable[[], None]], refused: Callable[[frozenset[str]], None]
    ) -> None:
        return

    def screenshot(self, area: Area, hint: str, taken: Callable[[bytes | None], None]) -> None:
        taken(None)  # unsupported here

    def dark(self) -> bool:
        return False  # its menus keep the system's look

    def popup(self, items: Sequence[MenuItem], *, dark: bool) -> None:
        where = self._kit.NSEvent.mouseLocation()
        self._menu(items).popUpMenuPositioningItem_atLocation_inView_(None, where, None)

    def add_tray(self, tray: TraySpec) -> bool:
        bar = self._kit.NSStatusBar.systemStatusBar()
        item = bar.statusItemWithLength_(self._kit.NSVariableStatusItemLength)
        image = self._kit.NSImage.alloc().initWithContentsOfFile_(str(tray.icon))
        image.setSize_((18, 18))
        item.button().setImage_(image)
        item.button().setToolTip_(tray.tooltip)
        target = self._target(lambda: self.popup(tray.items(), dark=tray.dark()))
        item.button().setTarget_(target)
        item.button().setAction_("act:")
        self._tray = item
        return True

    def rename(self, window: Any, title: str) -> None:
        window.native.setTitle_(title)

    def update_tray(self, tooltip: str, *, unread: bool, picture: bytes | None) -> None:
        if self._tray is not None:  # unread state is shown in the tooltip
            self._tray.button().setToolTip_(tooltip)

    def open_url(self, url: str) -> None:
        address = self._kit.NSURL.URLWithString_(url)
        if address is not None:
            self._kit.NSWorkspace.sharedWorkspace().openURL_(address)

    def open_folder(self, folder: Path) -> None:
        self._kit.NSWorkspace.sharedWorkspace().openURL_(self._kit.NSURL.fileURLWithPath_(str(folder)))

    def shutdown(self, windows: Sequence[Any]) -> None:
        for window in windows:
            if window.native is not None:
                window.native.close()
        self._kit.NSApplication.sharedApplication().stop_(None)

    # --- inside ---------------------------------------------------------------------------------

    def _height(self) -> float:
        """Height of the screen whose corner is the origin."""
        return float(self._kit.NSScreen.screens()[0].frame().size.height)

    def _turned(self, area: Any) -> Rect:
        top = self._height() - area.origin.y - area.size.height
        return Rect(*(round(value) for value in (area.origin.x, top, area.size.width, area.size.height)))

    def _menu(self, items: Sequence[MenuItem]) -> Any:
        self._targets = self._targets[:1]  # keep the tray's
        return self._filled(items)

    def _filled(self, items: Sequence[MenuItem]) -> Any:
        menu = self._kit.NSMenu.alloc().init()
        for item in items:
            if item.starts_group and menu.numberOfItems():
                menu.addItem_(self._kit.NSMenuItem.separatorItem())
            title = plain(item.text)
            entry = self._kit.NSMenuItem.alloc().initWithTitle_action_keyEquivalent_(title, "act:", "")
            if item.act is not None:
                entry.setTarget_(self._target(item.act))
            if item.children is not None:
                entry.setSubmenu_(self._filled(item.children()))
            entry.setState_(_ON if item.checked else _OFF)
            menu.addItem_(entry)
        return menu

    def _target(self, act: Callable[[], None]) -> Any:
        target = _target_class(self._kit).alloc().init()
        target.work = act
        self._targets.append(target)
        return target


@cache
def _target_class(kit: Any) -> Any:
    """Created once: an Objective-C class can't be defined twice."""

    def act_(self: Any, _sender: Any) -> None:
        self.work()

    return type("SoulpetMenuTarget", (kit.NSObject,), {"act_": act_})


def _lock(view: Any, pages: OwnPages) -> None:
    """Replace the policy methods of pywebview's delegate: navigation, new windows, microphone and camera."""
    delegate = view.BrowserDelegate

    def decide(self: Any, webview: Any, action: Any, handler: Any) -> None:
        instance = view.get_instance("webview", webview)
        own_url = str(instance.pywebview_window.original_url) if instance else ""
        main = action.targetFrame() is not None and action.targetFrame().isMainFrame()
        url = str(action.request().URL().absoluteString())
        handler(_ALLOW if main and pages.may_navigate(url, own_url) else _CANCEL)

    def new_window(self: Any, webview: Any, configuration: Any, action: Any, features: Any) -> None:
        return None

    def capture(self: Any, webview: Any, origin: Any, frame: Any, kind: Any, handler: Any) -> None:
        handler(_DENY)

    delegate.webView_decidePolicyForNavigationAction_decisionHandler_ = decide
    delegate.webView_createWebViewWithConfiguration_forNavigationAction_windowFeatures_ = new_window
    delegate.webView_requestMediaCapturePermissionForOrigin_initiatedByFrame_type_decisionHandler_ = capture
