/* The window of restless.c for Qt 5 and Qt 6. */
#include <QtWidgets>
#include <cstdio>

int main(int count, char **words) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  QApplication application(count, words);
  QWidget window;
  window.setWindowTitle("Restless");
  auto *dead = new QPushButton("Dead");
  auto *clock = new QLabel("12:00:00"), *minute = new QLabel("noon"), *lamp = new QLabel("lamp");
  auto *entryClock = new QLineEdit("12:00:00"), *fixed = new QLineEdit("fixed");
  auto *mode = new QComboBox;
  auto *few = new QListWidget, *rows = new QListWidget;
  entryClock->setReadOnly(true);
  fixed->setReadOnly(true);
  mode->addItems({"Mono", "Stereo"});
  few->addItem("Only row");
  few->setMaximumHeight(60);
  rows->setMaximumHeight(80);
  auto *box = new QVBoxLayout(&window);
  for (QWidget *each : {static_cast<QWidget *>(dead), static_cast<QWidget *>(clock), static_cast<QWidget *>(minute),
                        static_cast<QWidget *>(lamp), static_cast<QWidget *>(entryClock), static_cast<QWidget *>(fixed),
                        static_cast<QWidget *>(mode), static_cast<QWidget *>(few), static_cast<QWidget *>(rows)})
    box->addWidget(each);
  int second = 0;
  QTimer timer;
  QObject::connect(&timer, &QTimer::timeout, [&] {
    const QString text = QString("12:00:%1").arg(++second % 60, 2, 10, QChar('0'));
    clock->setText(text);
    entryClock->setText(text);
    minute->clear();
    minute->setText("noon");
    lamp->setVisible(second % 2 != 0);
    rows->addItem(text);
    rows->scrollToBottom();
  });
  QObject::connect(dead, &QPushButton::clicked, [] { puts("asked"); });
  QObject::connect(mode, QOverload<int>::of(&QComboBox::currentIndexChanged), [mode](int index) {
    if (index == 0) return;
    puts("refused");
    mode->setCurrentIndex(0);
  });
  timer.start(1000);
  window.show();
  puts("ready");
  return application.exec();
}
