"""A calculator of Qt 6 (PySide6): keys, and a display that shows what was pressed and what came of it."""
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QApplication, QGridLayout, QLineEdit, QPushButton, QWidget

application = QApplication([])
window = QWidget()
window.setWindowTitle("Keypad")
display = QLineEdit("0")
display.setReadOnly(True)
display.setAccessibleName("Display")
layout = QGridLayout(window)
layout.addWidget(display, 0, 0, 1, 3)


def press(key: str) -> None:
    text = "" if display.text() == "0" else display.text()
    if key == "=":
        first, _, second = text.partition("×")
        display.setText(str(int(first) * int(second)))
    else:
        display.setText(text + key)


for number, key in enumerate(["1", "2", "3", "4", "5", "6", "7", "8", "9", "×", "0", "="]):
    button = QPushButton(key)
    button.clicked.connect(lambda _=False, key=key: press(key))
    layout.addWidget(button, 1 + number // 3, number % 3)
QShortcut("Escape", window).activated.connect(lambda: display.setText("0"))
window.show()
application.exec()
