"""A program in which something is read: ``python -m tests.window.programs.reader TITLE TEXT``.

Paragraphs are separated by empty lines. Text that is selected with the mouse is the desktop's selection, as anywhere;
Ctrl+C copies it.
"""

from __future__ import annotations

import sys

from PySide6.QtWidgets import QApplication, QTextBrowser

_STYLE = "background: #fffdf8; color: #3a2f2a; border: 0; padding: 18px; font: 17px 'Noto Sans CJK SC'"


def main() -> None:
    title, text = sys.argv[1:3]
    app = QApplication([])
    page = QTextBrowser()
    page.setWindowTitle(title)
    page.setStyleSheet(_STYLE)
    page.setHtml("".join(f"<p style='line-height:150%'>{each}</p>" for each in text.split("\n\n")))
    page.resize(460, 330)
    page.show()
    app.exec()


if __name__ == "__main__":
    main()
