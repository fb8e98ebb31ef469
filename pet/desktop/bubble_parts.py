"""Parts of the speech bubble: texts, code, buttons, the owner's line, and the layouts that hold them."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import TYPE_CHECKING

import PySide6.QtGui
from PySide6.QtCore import (
    QBuffer,
    QIODevice,
    QMimeData,
    QPointF,
    QRectF,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTextEdit,
    QWidget,
)

from pet.bridge.commands.desktop import BubbleCommands
from pet.desktop.dropped_things import pasted_picture, read_drag
from pet.desktop.qt_style import Colours, FlowLayout, code_font, font

if TYPE_CHECKING:
    from pet.desktop.core_client import CoreOrders

REST_MS = 600
"""A click that was meant for the former content must not allow anything."""
LETTERS, SMALL = 15, 13
_CODE_PADDING = 20, 16  # on both sides, as in the style sheet
_QUOTED = 200
"""Characters of a pasted text that becomes a question's quotation; one with several lines always is."""


class Button(QPushButton):
    """A button whose reading direction is that of its text. ``enter``: whether Enter presses it."""

    def __init__(self, text: str, *, enter: bool) -> None:
        super().__init__(text.replace("&", "&&"))
        self._enter = enter
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFont(font(SMALL))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._enter:
                self.click()
            return
        super().keyPressEvent(event)


class WritingLine(QLineEdit):
    """The owner's line. A long paste is quoted, pasted files are given."""

    def __init__(self, port: CoreOrders) -> None:
        super().__init__()
        self._port = port

    def refused(self, refused: bool) -> None:
        """Mark it: what it holds could not be sent."""
        self.setProperty("refused", refused)
        self.style().unpolish(self)
        self.style().polish(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.matches(QKeySequence.StandardKey.Paste) and self._paste(self._clipboard()):
            return
        super().keyPressEvent(event)

    @staticmethod
    def _clipboard() -> QMimeData:
        return PySide6.QtGui.QGuiApplication.clipboard().mimeData()

    def _paste(self, data: QMimeData) -> bool:
        """Return whether the paste was taken elsewhere."""
        text = data.text()
        if data.hasUrls():
            self._port.drop(*read_drag(data))
            return True
        if data.hasImage() and not text:
            self._port.hand_over([pasted_picture(png_of(QImage(data.imageData())))])
            return True
        if len(text) < _QUOTED and "\n" not in text.strip():
            return False
        self._port.give(BubbleCommands.ask_about, text)
        return True


class Words(QLabel):
    """A text in its own direction, which breaks anywhere if it must. ``leaves``: pixels kept free at the end of its
    first line; ``bar``: the colour of a line beside it; ``lines``: shown at most, 0 for all."""

    def __init__(
        self,
        text: str,
        letters: QFont,
        colour: str,
        *,
        leaves: int = 0,
        bar: str = "",
        mark: str = "",
        depth: int = 0,
        lines: int = 0,
    ) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(f"{mark} {text}" if mark else text)  # for screen readers: drawn below
        self.tapped: Callable[[], object] | None = None
        self._colour = QColor(colour)
        self._bar = QColor(bar) if bar else None
        self._mark = mark
        self._height = round(letters.pixelSize() * 1.5)
        self._most = lines * self._height
        self._indent = 13 if bar else depth * 18
        self._right = leaves
        self._text = QTextDocument()
        self._text.setDocumentMargin(0)
        self._text.setDefaultFont(letters)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        self._text.setDefaultTextOption(option)
        self._text.setPlainText(text)
        spacing = QTextBlockFormat()
        spacing.setLineHeight(self._height, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        cursor = QTextCursor(self._text)
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(spacing)
        if mark:
            self._indent += self.fontMetrics().horizontalAdvance(mark) + 12
        self.setFont(letters)
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._heights: dict[int, int] = {}  # by width: layouts ask many times
        self._ideal = round(self._text.idealWidth()) + self._indent + self._right

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        if width not in self._heights:
            self._text.setTextWidth(max(1, width - self._indent - self._right))
            height = round(self._text.size().height())
            self._heights[width] = min(height, self._most) if self._most else height
        return self._heights[width]

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._ideal, self._height)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(1, self._height)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self.tapped is not None:
            self.tapped()
        super().mouseReleaseEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        self._text.setTextWidth(max(1, self.width() - self._indent - self._right))
        right_to_left = self._text.firstBlock().textDirection() == Qt.LayoutDirection.RightToLeft
        at = 0 if right_to_left else self._indent
        if self._bar is not None:
            painter.fillRect(self.width() - 3 if right_to_left else 0, 0, 3, self.height(), self._bar)
        if self._mark:
            painter.setPen(self._colour)
            painter.setFont(self.font())
            side = Qt.AlignmentFlag.AlignRight if right_to_left else Qt.AlignmentFlag.AlignLeft
            area = QRectF(0, 0, self.width(), self._height).adjusted(
                0 if right_to_left else self._indent - 18, 0, 0, 0
            )
            painter.drawText(area, side | Qt.AlignmentFlag.AlignVCenter, self._mark)
        painter.translate(QPointF(at, 0))
        context = PySide6.QtGui.QAbstractTextDocumentLayout.PaintContext()
        context.palette.setColor(context.palette.ColorRole.Text, self._colour)
        context.clip = QRectF(0, 0, self.width(), self.height())
        self._text.documentLayout().draw(painter, context)
        painter.end()


class Code(QTextEdit):
    """Code, or a whole command: can be selected, scrolls if it is long."""

    def __init__(self, text: str, name: str, *, wraps: bool = True) -> None:
        super().__init__()
        self.setPlainText(text)
        self.setReadOnly(True)
        self.setFont(code_font(SMALL))
        self.setAccessibleName(name)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(0)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._wraps = wraps
        if wraps:
            self.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        else:
            self.setLineWrapMode(QTextEdit.LineWrapMode.NoWrap)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """Return the height of all its lines as they are drawn: none of them scrolls out of sight."""
        room = width - _CODE_PADDING[0]
        text = self.document().clone()  # the edit lays its own out for the room it has now
        text.setTextWidth(room if self._wraps else -1)
        height = ceil(text.size().height()) + _CODE_PADDING[1]
        if not self._wraps and text.idealWidth() > room:
            height += self.horizontalScrollBar().sizeHint().height()
        self.setFixedHeight(height)
        return height

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        event.ignore()  # the bubble scrolls


class Column(QWidget):
    """Widgets below each other, each as high as its width asks for."""

    def __init__(self, gap: int, *, right: int = 0) -> None:
        super().__init__()
        self._gap = gap
        self._right = right  # pixels kept free beside all of them
        self._items: list[tuple[QWidget, int]] = []

    def add(self, widget: QWidget, *, above: int | None = None) -> None:
        """Append a widget; ``above``: the gap over it, if it is another than the column's."""
        widget.setParent(self)
        gap = self._gap if above is None else above
        self._items.append((widget, gap if self._items else 0))

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        return sum(gap + height_of(widget, width - self._right) for widget, gap in self._items)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(max((widget.sizeHint().width() for widget, _gap in self._items), default=0), 1)

    def resizeEvent(self, _event: QResizeEvent) -> None:  # noqa: N802
        y, width = 0, self.width() - self._right
        for widget, gap in self._items:
            height = height_of(widget, width)
            widget.setGeometry(0, y + gap, width, height)
            y += gap + height


def let_rest(area: QWidget) -> None:
    """Let the buttons take no click for a moment: it may have been meant for the former content."""
    for button in area.findChildren(Button):
        button.setEnabled(False)
        QTimer.singleShot(REST_MS, button, lambda button=button: button.setEnabled(True))


def height_of(widget: QWidget, width: int) -> int:
    return widget.heightForWidth(width) if widget.hasHeightForWidth() else widget.sizeHint().height()


class FlowRow(QWidget):
    """Buttons in lines."""

    def __init__(self) -> None:
        super().__init__()
        self.flow = FlowLayout(7)
        self.setLayout(self.flow)


def side_by_side(first: QWidget, *others: QWidget, framed: bool = False) -> QWidget:
    """Return the widgets side by side; the first gets the room."""
    row = QFrame() if framed else QWidget()
    line = QHBoxLayout(row)
    margins = (9, 6, 9, 6) if framed else (0, 0, 0, 0)
    line.setContentsMargins(*margins)
    line.setSpacing(7)
    line.addWidget(first, 1)
    for other in others:
        line.addWidget(
            other, 0, Qt.AlignmentFlag.AlignTop if isinstance(first, Words) else Qt.AlignmentFlag.AlignVCenter
        )
    if framed:
        row.setObjectName("file")
    return row


class Scroll(QScrollArea):
    """The bubble's middle, which scrolls if there is no room for all of it."""

    def __init__(self, body: QWidget, *, focusable: bool, name: str) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(False)
        self.setMinimumHeight(1)  # its own is that of a scroll bar, more than one line of text has
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().setObjectName("middle")  # begins below the bubble's ×
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if focusable else Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(name)
        self.setWidget(body)
        self._body = body
        self._read = False
        self.verticalScrollBar().valueChanged.connect(lambda _value: self.read)

    @property
    def read(self) -> bool:
        """Whether its end was in view."""
        bar = self.verticalScrollBar()
        self._read = self._read or bar.value() >= bar.maximum()
        return self._read

    def show_next(self) -> None:
        """Show the next part, with some of this one."""
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + round(self.height() * 0.9))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        bar = self.verticalScrollBar()
        if event.key() == Qt.Key.Key_Home:
            bar.setValue(bar.minimum())
        elif event.key() == Qt.Key.Key_End:
            bar.setValue(bar.maximum())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        needed = height_of(self._body, self.width())
        width = self.width() - (8 if needed > self.height() else 0)
        self._body.resize(width, max(height_of(self._body, width), 1))


def png_of(picture: QImage) -> bytes:
    data = QBuffer()
    data.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(data, "PNG")  # type: ignore[call-overload]  # takes str, contrary to the stubs
    return bytes(data.data().data())


_SHEET = """
QWidget {{ color: {ink}; background: transparent; }}
QPushButton {{
  padding: 4px 12px; border: 1px solid {line}; border-radius: 13px; background: transparent; color: {accent};
}}
QPushButton:hover {{ border-color: {accent}; }}
QPushButton:focus {{ border: 2px solid {accent}; padding: 3px 11px; }}
QPushButton:disabled {{ color: {faint}; }}
QPushButton[look="main"] {{ background: {accent}; border-color: {accent}; color: {on_accent}; }}
QPushButton[look="main"]:focus {{ border-color: {ink}; }}
QPushButton[look="quick"] {{ border-color: {accent}; }}
QPushButton[look="quiet"] {{ padding-left: 1px; padding-right: 1px; border-color: transparent; color: {soft}; }}
QPushButton[look="quiet"]:hover {{ text-decoration: underline; }}
QPushButton[look="quiet"]:focus {{ border-color: {accent}; }}
QPushButton#close, QPushButton#remove {{
  padding: 0 6px; border: 0; border-radius: 8px; color: {soft}; font-size: 17px;
}}
QPushButton#remove[over="true"] {{ background: {raised}; }}
QPushButton#close:hover, QPushButton#remove:hover, QPushButton#capture:hover {{ color: {accent}; }}
QPushButton#close:focus, QPushButton#remove:focus, QPushButton#capture:focus {{ border: 2px solid {accent}; }}
QPushButton#capture {{ padding: 4px; border: 1px solid transparent; }}
QLineEdit {{
  padding: 5px 11px; border: 1px solid {line_strong}; border-radius: 17px; background: {paper};
  selection-background-color: {accent}; selection-color: {on_accent}; placeholder-text-color: {soft};
}}
QLineEdit:focus {{ border: 2px solid {accent}; padding: 4px 10px; }}
QLineEdit[refused="true"] {{ border-color: {bad}; }}
QTextEdit {{
  padding: 8px 10px; border-radius: 10px; background: {code};
  selection-background-color: {accent}; selection-color: {on_accent};
}}
QFrame#file, QLabel#picture {{ border: 1px solid {line}; border-radius: 10px; }}
QScrollArea:focus {{ border: 1px solid {accent}; border-radius: 8px; }}
QScrollBar:vertical {{ width: 8px; background: transparent; }}
QScrollBar#middle:vertical {{ margin-top: 16px; }}
QScrollBar::handle:vertical {{ background: {line_strong}; border-radius: 2px; margin: 2px; min-height: 24px; }}
QScrollBar:horizontal {{ height: 8px; background: transparent; }}
QScrollBar::handle:horizontal {{ background: {line_strong}; border-radius: 2px; margin: 2px; min-width: 24px; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{
  background: none; border: 0;
}}
QToolTip {{ background: {raised}; color: {ink}; border: 1px solid {line}; }}
"""


def style_sheet(colours: Colours) -> str:
    faint = QColor(colours.accent)
    faint.setAlphaF(0.5)
    known = {name: getattr(colours, name) for name in colours.__slots__}
    return _SHEET.format(**known, faint=f"rgba({faint.red()},{faint.green()},{faint.blue()},0.5)")
