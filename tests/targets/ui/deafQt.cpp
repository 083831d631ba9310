/* A window of Qt that is silent for a minute once it is asked where its second label is. Its first word: "dies", it ends
 * instead; "rows", it has a list of 300 rows. */
#include <QAccessibleWidget>
#include <QtWidgets>
#include <cstdio>
#include <cstring>
#include <unistd.h>

static bool dies;

struct Deaf : QAccessibleWidget {
  explicit Deaf(QWidget *widget) : QAccessibleWidget(widget, QAccessible::StaticText, "Deaf") {}
  QRect rect() const override {
    if (dies) _exit(3);
    sleep(60);
    return {};
  }
};

static QAccessibleInterface *answers(const QString &, QObject *object) {
  return object->objectName() == "deaf" ? new Deaf(static_cast<QWidget *>(object)) : nullptr;
}

int main(int count, char **words) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  QApplication application(count, words);
  QWidget window;
  auto *box = new QVBoxLayout(&window);
  if (count > 1 && strcmp(words[1], "rows") == 0) {
    auto *rows = new QListWidget;
    for (int row = 0; row < 300; row++) rows->addItem(QString("Row %1").arg(row));
    box->addWidget(rows);
  } else {
    dies = count > 1;
    QAccessible::installFactory(answers);
    auto *deaf = new QLabel;
    deaf->setObjectName("deaf");
    deaf->setText("Deaf");
    box->addWidget(new QLabel("Heard"));
    box->addWidget(deaf);
  }
  window.setWindowTitle("Window");
  window.show();
  puts("ready");
  return application.exec();
}
