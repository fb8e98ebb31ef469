"""The speech bubble as a native widget: draws any ``BubbleContent``, and reports what the owner does in it.

It knows no kind of message: texts, buttons and what a click means come with the content. It takes no focus until it
is clicked, or its content is a field or was opened for reading. GUI thread only.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QEvent,
    QPropertyAnimation,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QCloseEvent,
    QColor,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QEnterEvent,
    QKeyEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QRegion,
)
from PySide6.QtWidgets import (
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from pet.bridge.commands.desktop import BubbleCommands, DesktopCommands
from pet.desktop.bubble_parts import (
    LETTERS,
    SMALL,
    Button,
    Code,
    Column,
    FlowRow,
    Scroll,
    Words,
    WritingLine,
    let_rest,
    side_by_side,
    style_sheet,
)
from pet.desktop.dropped_things import read_drag
from pet.desktop.geometry import SHADOW, Rect
from pet.desktop.qt_style import DARK, LIGHT, font, sign
from pet.services.desktop_port import Side
from pet.services.offers.bubble_content import NOTHING, BubbleContent, Choice, FieldContent, ReminderRow, ShownFile
from pet.text.plain_markdown import MarkdownBlock

if TYPE_CHECKING:
    from pet.desktop.core_client import CoreOrders

WIDTH, WIDE = 320, 480
MOST_HIGH = 640
_PAD_X, _PAD_Y = 15, 13  # the card's border and padding
_ROUND = 16
_TAIL = 8.5  # half of its width, and its height
_ROW_GAP = 10
_FADE_MS = 220
_LONGEST_LINE = 2000


class BubbleView(QWidget):
    """The bubble's window. ``place``: puts a bubble of this size beside the pet and shows it, with the keyboard if it
    is ``reading``, and returns its side of the pet, its tail's offset and the height it got; ``gone``: hides it."""

    def __init__(
        self,
        port: CoreOrders,
        place: Callable[[int, int, bool], tuple[Side, int, int]],
        gone: Callable[[], object],
        still: Callable[[], bool],
    ) -> None:
        flags = Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint
        super().__init__(None, flags | Qt.WindowType.WindowDoesNotAcceptFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.setAcceptDrops(True)
        self._port = port
        self._place = place
        self._gone = gone
        self._still = still  # whether the desktop asks for reduced motion
        self._content = NOTHING
        self._colours = LIGHT
        self.setStyleSheet(style_sheet(LIGHT))
        self._backdrop: tuple[object, QPixmap] = None, QPixmap()
        self._open = False  # the whole text is shown
        self._later = ""  # key of the reminder whose moments are shown
        self._typed = ""  # in the field: kept while the content changes
        self._line: WritingLine | None = None
        self._dragged: tuple[list[Path], str] = [], ""  # over it
        self._side: Side = "above"
        self._tail = 0
        self._card: QWidget | None = None
        self._scroll: Scroll
        self._reading = QTimer(self, singleShot=True)
        self._reading.timeout.connect(self._fade)
        self._fading = QPropertyAnimation(self, b"windowOpacity", self)
        self._fading.setDuration(_FADE_MS)
        self._fading.finished.connect(self._faded)

    @property
    def content(self) -> BubbleContent:
        return self._content

    def show_content(self, content: BubbleContent, *, dark: bool) -> None:
        """Draw this content; of the same message, what the owner opened and typed stays."""
        if content.number != self._content.number:
            self._open = False
        self._later = ""
        self._content = content
        if (colours := DARK if dark else LIGHT) is not self._colours:
            self._colours = colours
            self.setStyleSheet(style_sheet(colours))  # each call parses it
        self._fading.stop()
        if content.kind == "none":
            self._typed = ""
            self._reading.stop()
            self._backdrop = None, QPixmap()
            self._gone()
            return
        self.setWindowOpacity(1)
        self._draw()

    @property
    def takes_keyboard(self) -> bool:
        """Whether it is open for reading or writing."""
        return self._open or self._content.field is not None

    def turned(self, side: Side, tail: int) -> None:
        """Point the tail at the pet, which is elsewhere now."""
        if (side, tail) != (self._side, self._tail):
            self._side, self._tail = side, tail
            self.update()

    def silhouette(self) -> list[Rect]:
        """Return what the card covers, in device pixels."""
        ratio = self.devicePixelRatioF()
        region = QRegion(self._outline().toFillPolygon().toPolygon())
        rects: list[QRect] = list(region)  # type: ignore[call-overload]  # iterable, contrary to the stubs
        return [Rect(*(round(each * ratio) for each in (at.x(), at.y(), at.width(), at.height()))) for at in rects]

    # --- drawing --------------------------------------------------------------------------------

    def _draw(self, *, focus_later: bool = False) -> None:
        content = self._content
        self._reading.stop()
        scrolled = self._scroll.verticalScrollBar().value() if self._card is not None and self._open else 0
        if self._card is not None:
            self._card.hide()
            self._card.deleteLater()
        width = WIDE if self._open or content.wide else WIDTH
        self._card = card = QWidget(self)
        self._line = None
        column = QVBoxLayout(card)
        column.setContentsMargins(_PAD_X, _PAD_Y, _PAD_X, _PAD_Y)
        column.setSpacing(_ROW_GAP)
        body = self._field(content.field) if content.field is not None else self._body()
        self._scroll = Scroll(body, focusable=self._open, name=content.rest_name if self._open else "")
        column.addWidget(self._scroll, 1)
        inner = width - 2 * SHADOW - 2 * _PAD_X
        height = 2 * SHADOW + 2 * _PAD_Y + body.heightForWidth(inner)
        choices = content.open_choices if self._open else content.choices
        if choices:
            row = self._row(choices, partial(self._choose, key=""), rests=content.rests)
            column.addWidget(row)
            height += _ROW_GAP + row.heightForWidth(inner)
        close = QPushButton("×", card)
        close.setObjectName("close")
        close.setAccessibleName(content.close)
        close.clicked.connect(self._close)
        side, tail, got = self._place(width, min(height, MOST_HIGH), self.takes_keyboard)
        self._side, self._tail = side, tail
        card.setGeometry(SHADOW, SHADOW, width - 2 * SHADOW, got - 2 * SHADOW)
        close.adjustSize()
        close.move(card.width() - close.width() - 8, 6)
        close.raise_()
        card.show()
        self.update()
        self._say_aloud()
        if content.field is not None:
            self._focus_field()
        elif focus_later:
            for button in card.findChildren(QPushButton, "until"):
                button.setFocus()
        elif self._open:
            self._scroll.setFocus()
            self._scroll.verticalScrollBar().setValue(scrolled)
        self._begin_reading()

    def _focus_field(self) -> None:
        if self._line is not None:
            self._line.setFocus()
        self._read_copied()

    def _say_aloud(self) -> None:
        """Let a screen reader say the text, without the focus."""
        words = self._content.text or self._content.lead
        self.setAccessibleName(words)
        if words and not self._open and QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def _body(self) -> QWidget:
        content = self._content
        body = Column(9 if self._open else 6)
        if self._open:
            for piece in content.pieces:
                body.add(self._piece(piece))
        else:
            if content.lead:
                body.add(Words(content.lead, font(SMALL), self._colours.soft, leaves=18))
            if content.text:
                words = Words(content.text, font(LETTERS), self._colours.ink, leaves=18)
                if content.tap:
                    words.tapped = partial(self._choose, content.tap, "")
                body.add(words)
            for reminder in content.reminders:
                body.add(self._reminder(reminder))
        if content.command:
            body.add(Code(content.command, content.command_name))
        return body

    def _piece(self, piece: MarkdownBlock) -> QWidget:
        colours = self._colours
        match piece.kind:
            case "code":
                return Code(piece.text, "", wraps=False)
            case "heading":
                return Words(piece.text, font(LETTERS + 1, weight=700), colours.ink, leaves=18)
            case "quote":
                return Words(piece.text, font(LETTERS), colours.soft, bar=colours.line)
            case "item":
                return Words(piece.text, font(LETTERS), colours.ink, mark=piece.mark, depth=piece.depth)
            case _:
                return Words(piece.text, font(LETTERS), colours.ink)

    def _reminder(self, reminder: ReminderRow) -> QWidget:
        item = Column(3)
        item.add(Words(reminder.text, font(LETTERS), self._colours.ink))
        if reminder.when:
            item.add(Words(reminder.when, font(SMALL), self._colours.soft))
        later = self._later == reminder.key
        row = self._row(reminder.later if later else reminder.choices, partial(self._choose, key=reminder.key))
        if later:
            row.findChildren(QPushButton)[0].setObjectName("until")  # takes the focus
        item.add(row, above=7)
        return item

    def _row(self, choices: Sequence[Choice], chosen: Callable[[str], object], *, rests: bool = False) -> QWidget:
        row = FlowRow()
        for choice in choices:
            button = Button(choice.text, enter=not rests)
            button.setProperty("look", choice.style)
            button.clicked.connect(lambda _checked=False, each=choice.id: chosen(each))
            row.flow.addWidget(button)
        if rests:
            let_rest(row)
        return row

    def _field(self, field: FieldContent) -> QWidget:
        colours = self._colours
        form = Column(8, right=22)
        if field.above:
            form.add(Words(field.above, font(SMALL), colours.soft, leaves=18))
        if field.quoted:
            words = Words(field.quoted, font(14), colours.soft, bar=colours.line, lines=3)
            words.setAccessibleDescription(field.quoted_name)
            form.add(side_by_side(words, self._removal(field.remove_quoted, "")))
        if field.below:
            form.add(Words(field.below, font(SMALL), colours.soft))
        pictures = [file for file in field.files if file.image]
        if pictures:
            row = FlowRow()
            for file in pictures:
                row.flow.addWidget(self._picture(file))
            form.add(row)
        for file in field.files:
            if not file.image:
                form.add(self._file(file))
        if field.notice:
            form.add(Words(field.notice, font(SMALL), colours.soft))
        form.add(self._writing(field))
        return form

    def _writing(self, field: FieldContent) -> QWidget:
        self._line = line = WritingLine(self._port)
        line.setFont(font(LETTERS))
        line.setMaxLength(_LONGEST_LINE)
        line.setText(self._typed)
        line.setPlaceholderText(field.prompt)
        line.setAccessibleName(field.prompt)
        line.textChanged.connect(self._type)
        line.returnPressed.connect(self._submit)
        if not field.capture:
            return side_by_side(line)
        capture = QPushButton()
        capture.setObjectName("capture")
        capture.setIcon(sign("piece", self._colours.soft, 40))
        capture.setIconSize(QSize(20, 20))
        capture.setToolTip(field.capture)
        capture.setAccessibleName(field.capture)
        capture.clicked.connect(lambda: self._port.give(DesktopCommands.take_screenshot, "region", ask=True))
        return side_by_side(line, capture)

    def _picture(self, file: ShownFile) -> QWidget:
        frame = QLabel()
        frame.setObjectName("picture")
        frame.setFixedSize(114, 86)
        frame.setAccessibleName(file.name)
        picture = QPixmap()
        picture.loadFromData(base64.b64decode(file.image.partition(",")[2]))
        if not picture.isNull():
            ratio = self.devicePixelRatioF()
            whole = picture.scaled(
                round(112 * ratio),
                round(84 * ratio),
                Qt.AspectRatioMode.KeepAspectRatioByExpanding,
                Qt.TransformationMode.SmoothTransformation,
            )
            whole.setDevicePixelRatio(ratio)
            frame.setPixmap(whole)
        remove = self._removal(file.remove, file.id)
        remove.setParent(frame)
        remove.setProperty("over", True)
        remove.adjustSize()
        remove.move(114 - remove.width() - 4, 4)
        return frame

    def _file(self, file: ShownFile) -> QWidget:
        words = Column(0)
        name = Words(file.name, font(14), self._colours.ink, lines=1)
        name.setToolTip(file.name)
        words.add(name)
        if file.note:
            words.add(Words(file.note, font(SMALL), self._colours.soft))
        return side_by_side(words, self._removal(file.remove, file.id), framed=True)

    def _removal(self, name: str, attachment: str) -> QPushButton:
        remove = QPushButton("×")
        remove.setObjectName("remove")
        remove.setAccessibleName(name)
        remove.setToolTip(name)
        take_out = BubbleCommands.remove_from_field
        remove.clicked.connect(lambda: self._port.give(take_out, attachment, self._content.number))
        return remove

    # --- what the owner does --------------------------------------------------------------------

    def _choose(self, choice: str, key: str) -> None:
        match choice:
            case "allow" | "from_now_on" if not self._scroll.read:
                self._scroll.show_next()
                let_rest(self)
            case "more" | "less":
                self._open = choice == "more"
                self._draw()
            case "later" | "back":
                self._later = key if choice == "later" else ""
                self._draw(focus_later=choice == "later")
            case _:
                if self._content.field is not None:
                    self._send(choice)
                else:
                    self._reading.stop()
                    self._port.give(BubbleCommands.answer_bubble, choice, self._content.number, key)

    def _close(self) -> None:
        self._port.give(BubbleCommands.answer_bubble, "close", self._content.number)

    def _type(self, text: str) -> None:
        self._typed = text
        if self._line is not None:
            self._line.refused(False)

    def _submit(self) -> None:
        text = self._typed.strip()
        if text:
            self._send(text)

    def _send(self, text: str) -> None:
        line = self._line
        if line is None or not line.isEnabled():
            return
        line.setEnabled(False)

        def sent(ok: bool) -> None:
            if ok:
                self._typed = ""
            if self._line is line:
                line.setEnabled(True)
                line.refused(not ok)
                if ok:
                    line.clear()
                line.setFocus()

        self._port.try_out(sent, BubbleCommands.say_in_bubble, text, self._content.number)

    def _read_copied(self) -> None:
        field = self._content.field
        if field is not None and field.awaits_copy and self.isActiveWindow():
            self._port.give(BubbleCommands.read_copied, self._content.number)

    # --- reading time ---------------------------------------------------------------------------

    def _begin_reading(self) -> None:
        if self._content.seconds > 0 and not self._open and not self.underMouse():
            self._reading.start(round(self._content.seconds * 1000))

    def _fade(self) -> None:
        motion = self._content.reduced_motion
        if motion == "on" or (motion == "system" and self._still()):
            self._close()
            return
        self._fading.setStartValue(1.0)
        self._fading.setEndValue(0.0)
        self._fading.start()

    def _faded(self) -> None:
        if self.windowOpacity() == 0:
            self._close()

    # --- events ---------------------------------------------------------------------------------

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802
        super().enterEvent(event)
        self._reading.stop()
        if self._fading.state() == QPropertyAnimation.State.Running:
            self._fading.stop()
            self.setWindowOpacity(1)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        super().leaveEvent(event)
        self._begin_reading()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange:
            self._read_copied()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self._later:
            self._choose("back", "")
        elif self._open:
            self._choose("less", "")
        else:
            self._close()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        if not event.spontaneous():  # the program ends
            return
        event.ignore()
        self._close()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        if self._content.field is not None:
            self._dragged = read_drag(event.mimeData())
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:  # noqa: N802
        if self._content.field is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        if self._content.field is not None:
            event.acceptProposedAction()
            self._port.drop(*(self._dragged if any(self._dragged) else read_drag(event.mimeData())))
        self._dragged = [], ""

    # --- the card -------------------------------------------------------------------------------

    def _outline(self) -> QPainterPath:
        """Return the card with its tail."""
        area = QRectF(self.rect()).adjusted(SHADOW + 0.5, SHADOW + 0.5, -SHADOW - 0.5, -SHADOW - 0.5)
        card, tail = QPainterPath(), QPainterPath()
        card.addRoundedRect(area, _ROUND, _ROUND)
        edge = _ROUND + _TAIL
        if self._side == "above":
            x = min(max(float(self._tail), area.left() + edge), area.right() - edge)
            corners = [
                (x - _TAIL, area.bottom() - 1),
                (x, area.bottom() + _TAIL - 0.5),
                (x + _TAIL, area.bottom() - 1),
            ]
        else:
            y = min(max(float(self._tail), area.top() + edge), area.bottom() - edge)
            x, out = (area.right(), 1.0) if self._side == "left" else (area.left(), -1.0)
            corners = [(x - out, y - _TAIL), (x + out * (_TAIL - 0.5), y), (x - out, y + _TAIL)]
        tail.moveTo(*corners[0])
        # A point that is barely rounded, as the page's rotated square has it.
        tail.lineTo(*corners[1])
        tail.lineTo(*corners[2])
        tail.closeSubpath()
        return card.united(tail)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        ratio = self.devicePixelRatioF()
        kind = self.size(), self._side, self._tail, self._colours.name, ratio
        if kind != self._backdrop[0]:
            picture = QPixmap(self.size() * ratio)
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            self._paint_card(QPainter(picture))
            self._backdrop = kind, picture
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._backdrop[1])
        painter.end()

    def _paint_card(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        outline = self._outline()
        shade = QColor(74, 47, 39) if self._colours is LIGHT else QColor(0, 0, 0)
        painter.translate(0, 2)
        for step in range(7, 0, -1):  # a blur of six pixels, in rings
            shade.setAlphaF(self._colours.shadow / 255 * 0.034 * (8 - step))
            painter.strokePath(outline, QPen(shade, step * 2.0, j=Qt.PenJoinStyle.RoundJoin))
        painter.translate(0, -2)
        painter.fillPath(outline, QColor(self._colours.raised))
        painter.strokePath(outline, QPen(QColor(self._colours.line), 1))
        painter.end()
