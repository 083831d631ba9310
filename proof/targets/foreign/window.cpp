/* A window of Qt with a button that presses itself, a timer and a list that is sorted; ends after the fifth tick. */
#include <QApplication>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>
#include <cstdio>

namespace window {
int presses = 0;
int square(int of) { return of * of; }
void pressed(QLabel *label, QListWidget *list) {
  presses++;
  label->setText(QString("pressed %1 times").arg(presses));
  list->addItem(QString::number(square(9 - presses)));
  list->sortItems();
}
void tell(const QLabel *label, const QListWidget *list) {
  std::printf("%s, %d items:", label->text().toUtf8().constData(), list->count());
  for (int row = 0; row < list->count(); row++) std::printf(" %s", list->item(row)->text().toUtf8().constData());
  std::printf("\n");
}
}  // namespace window

int main(int count, char **words) {
  QApplication application(count, words);
  QWidget widget;
  auto *layout = new QVBoxLayout(&widget);
  auto *label = new QLabel("nothing yet");
  auto *button = new QPushButton("press");
  auto *list = new QListWidget;
  for (QWidget *one : {static_cast<QWidget *>(label), static_cast<QWidget *>(button), static_cast<QWidget *>(list)})
    layout->addWidget(one);
  QObject::connect(button, &QPushButton::clicked, [=] { window::pressed(label, list); });
  QTimer timer;
  QObject::connect(&timer, &QTimer::timeout, [&] {
    button->click();
    window::tell(label, list);
    if (window::presses == 5) application.exit(7);
  });
  widget.show();
  timer.start(20);
  return application.exec();
}
