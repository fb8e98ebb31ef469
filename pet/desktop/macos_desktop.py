"""macOS platform: WKWebView in Cocoa windows. Unproven: written against pywebview 6.2.1's sources.

The Cocoa classes come from PyObjC, which pywebview depends on; they are untyped here. Cocoa's y axis points up from
the bottom left; it is flipped here.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pet.desktop.geometry import Monitor, Rect
from pet.desktop.page_bridge import OwnPages, bridge_call
from pet.desktop.platform import Gui, Kind, MenuItem, TraySpec, UnprovenDesktop, without_mnemonics

# ruff: noqa: ARG001, ARG002  (signatures given by the interface and by the toolkit)


_ACCESSORY = 1  # no Dock icon, no menu bar
_ALLOW, _CANCEL = 1, 0
_DENY = 2  # WKPermissionDecisionDeny
_ON, _OFF = 1, 0
_TERMINATE_NOW, _TERMINATE_LATER = 1, 2  # NSTerminateNow, NSTerminateLater
_APPLICATION_EVENT = 15  # NSEventTypeApplicationDefined


class MacDesktop(UnprovenDesktop):
    gui: Gui = "cocoa"

    def __init__(self) -> None:
        super().__init__()
        self._kit: Any = importlib.import_module("AppKit")
        self._helper: Any = importlib.import_module("PyObjCTools.AppHelper")
        self._tray: Any = None
        self._signing_out = False
        self._tray_target: Any = None  # Cocoa holds targets weakly
        self._targets: list[Any] = []  # the last menu's

    def abilities(self) -> tuple[str, ...]:
        return ("transparency", "opacity", "tray", "skip_taskbar", "placement")

    def lock(self, pages: Sequence[str], ordered: Sequence[str]) -> None:
        backend: Any = importlib.import_module("webview.platforms.cocoa")
        _lock(backend.BrowserView, OwnPages(pages))
        backend.BrowserView.app = _Unobtrusive(backend.BrowserView.app)
        _answer_termination(backend.BrowserView, self._on_terminate)
        backend.js_bridge_call = bridge_call(ordered)

    def post(self, work: Callable[[], object]) -> None:
        self._helper.callAfter(work)

    def _copied(self) -> str:
        board = self._kit.NSPasteboard.generalPasteboard()
        return str(board.stringForType_(self._kit.NSPasteboardTypeString) or "")

    def monitors(self) -> list[Monitor]:
        screens = self._kit.NSScreen.screens()  # the first has the menu bar; mainScreen is the focused one
        return [
            Monitor(
                str(screen.localizedName()),
                self._turned(screen.visibleFrame()),
                primary=screen == screens[0],
                area=self._turned(screen.frame()),
                model=str(screen.localizedName()),
            )
            for screen in screens
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

    def pet_shown(self, window: Any) -> None:
        window.native.orderFrontRegardless()

    def is_free(self, window: Any) -> bool:
        return not (window.native.isZoomed() or window.native.isMiniaturized())

    def is_minimised(self, window: Any) -> bool:
        return bool(window.native.isMiniaturized())

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
        self._tray_target = self._target(lambda: self.popup(tray.items(), dark=tray.dark()))
        item.button().setTarget_(self._tray_target)
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

    def open_folder(self, folder: Path) -> bool:
        address = self._kit.NSURL.fileURLWithPath_(str(folder))
        self.post(lambda: self._kit.NSWorkspace.sharedWorkspace().openURL_(address))
        return True

    def show_error(self, message: str) -> None:
        alert = self._kit.NSAlert.alloc().init()
        alert.setMessageText_("Soulpet")
        alert.setInformativeText_(message)
        self._kit.NSApplication.sharedApplication().activateIgnoringOtherApps_(True)  # otherwise it stays behind
        alert.runModal()

    def shutdown(self, windows: Sequence[Any]) -> None:
        for window in windows:
            if window.native is not None:
                window.native.close()
        application = self._kit.NSApplication.sharedApplication()
        if self._signing_out:
            application.replyToApplicationShouldTerminate_(True)
            return
        application.stop_(None)
        application.postEvent_atStart_(self._no_event(), True)  # the loop checks for stop only after an event

    # --- inside ---------------------------------------------------------------------------------

    def _watch_wake(self) -> None:
        workspace = self._kit.NSWorkspace.sharedWorkspace().notificationCenter()
        everywhere: Any = importlib.import_module("Foundation").NSDistributedNotificationCenter.defaultCenter()
        for centre, name in (
            (workspace, "NSWorkspaceDidWakeNotification"),
            (workspace, "NSWorkspaceSessionDidBecomeActiveNotification"),  # back from another user
            (everywhere, "com.apple.screenIsUnlocked"),
        ):
            centre.addObserverForName_object_queue_usingBlock_(name, None, None, lambda _note: self._woke())

    def _on_terminate(self) -> int:
        """Delay signing out until we have saved; ``shutdown`` then replies."""
        if self._ending is None:
            return _TERMINATE_NOW
        self._signing_out = True
        self._session_ends()
        return _TERMINATE_LATER

    def _no_event(self) -> Any:
        name = "otherEventWithType_location_modifierFlags_timestamp_windowNumber_context_subtype_data1_data2_"
        make = getattr(self._kit.NSEvent, name)
        return make(_APPLICATION_EVENT, (0, 0), 0, 0, 0, None, 0, 0, 0)

    def _height(self) -> float:
        """Return the height of the screen whose corner is the origin."""
        return float(self._kit.NSScreen.screens()[0].frame().size.height)

    def _turned(self, area: Any) -> Rect:
        top = self._height() - area.origin.y - area.size.height
        return Rect(*(round(value) for value in (area.origin.x, top, area.size.width, area.size.height)))

    def _menu(self, items: Sequence[MenuItem]) -> Any:
        self._targets.clear()
        return self._filled(items)

    def _filled(self, items: Sequence[MenuItem]) -> Any:
        menu = self._kit.NSMenu.alloc().init()
        for item in items:
            if item.starts_group and menu.numberOfItems():
                menu.addItem_(self._kit.NSMenuItem.separatorItem())
            title = without_mnemonics(item.text)
            entry = self._kit.NSMenuItem.alloc().initWithTitle_action_keyEquivalent_(title, "act:", "")
            if item.act is not None:
                self._targets.append(self._target(item.act))
                entry.setTarget_(self._targets[-1])
            if item.children is not None:
                entry.setSubmenu_(self._filled(item.children()))
            entry.setState_(_ON if item.checked else _OFF)
            menu.addItem_(entry)
        return menu

    def _target(self, act: Callable[[], None]) -> Any:
        target = _target_class(self._kit).alloc().init()
        target.work = act
        return target


@cache
def _target_class(kit: Any) -> Any:
    """Return the class of menu targets. Cached: an Objective-C class can't be defined twice."""

    def act_(self: Any, _sender: Any) -> None:
        self.work()

    return type("SoulpetMenuTarget", (kit.NSObject,), {"act_": act_})


class _Unobtrusive:
    """Application proxy without ``activateIgnoringOtherApps_``, with which pywebview takes the focus at the start."""

    def __init__(self, application: Any) -> None:
        self._application = application

    def __getattr__(self, name: str) -> Any:
        return getattr(self._application, name)

    def activateIgnoringOtherApps_(self, _really: object) -> None:  # noqa: N802  the toolkit's name
        return


def _answer_termination(view: Any, answer: Callable[[], int]) -> None:
    """Replace pywebview's handler, which closes its windows: the pet refuses to close until it has saved."""

    def should_terminate(self: Any, application: Any) -> int:
        return answer()

    view.AppDelegate.applicationShouldTerminate_ = should_terminate


def _lock(view: Any, pages: OwnPages) -> None:
    """Replace policy methods of pywebview's delegate (navigation, new windows, capture) and two that would fail."""
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

    def respond(self: Any, webview: Any, response: Any, handler: Any) -> None:
        # pywebview reads the response's headers; a file's has none, and it would never answer.
        handler(_ALLOW if response.canShowMIMEType() else _CANCEL)

    def moved(self: Any, notification: Any) -> None:
        # pywebview uses the window's screen, and a window outside of all screens has none.
        instance = view.get_instance("window", notification.object())
        if instance:
            origin = instance.window.frame().origin
            instance.pywebview_window.events.moved.set(origin.x, origin.y)

    view.WindowDelegate.windowDidMove_ = moved
    delegate.webView_decidePolicyForNavigationAction_decisionHandler_ = decide
    delegate.webView_decidePolicyForNavigationResponse_decisionHandler_ = respond
    delegate.webView_createWebViewWithConfiguration_forNavigationAction_windowFeatures_ = new_window
    delegate.webView_requestMediaCapturePermissionForOrigin_initiatedByFrame_type_decisionHandler_ = capture
