/* The panel of panel.c for Qt 5 and Qt 6. */
#include <QtWidgets>
#include <cstdio>

__attribute__((noinline)) int note_on(int velocity) {
  printf("note %d\n", velocity);
  return velocity > 0;
}

static void say(const char *what, const QString &text) {
  printf("%s %s\n", what, text.toUtf8().constData());
}

static void showAbout(QWidget *parent) {
  auto *dialog = new QDialog(parent);
  dialog->setWindowTitle("About Panel");
  dialog->setModal(true);
  auto *close = new QPushButton("Close", dialog);
  (new QVBoxLayout(dialog))->addWidget(close);
  QObject::connect(close, &QPushButton::clicked, dialog, [dialog] {
    dialog->deleteLater();
    puts("closed");
  });
  dialog->show();
  puts("about");
}

int main(int count, char **words) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  QApplication application(count, words);
  QWidget window;
  window.setWindowTitle("Panel");
  auto *play = new QPushButton("Play"), *record = new QPushButton("Record"), *about = new QPushButton("About");
  auto *loop = new QCheckBox("Loop");
  auto *cutoff = new QSlider(Qt::Horizontal);
  auto *voices = new QSpinBox;
  auto *wave = new QComboBox;
  auto *name = new QLineEdit, *secret = new QLineEdit;
  auto *list = new QListWidget;
  auto *status = new QLabel("silent");
  cutoff->setRange(0, 10);
  voices->setRange(0, 100);
  wave->addItems({"Saw", "Square", "Noise"});
  secret->setEchoMode(QLineEdit::Password);
  record->setEnabled(false);
  for (int row = 0; row < 40; row++) list->addItem(QString("Preset %1").arg(row));
  list->setMaximumHeight(100);
  auto *box = new QVBoxLayout(&window);
  for (QWidget *each : {static_cast<QWidget *>(play), static_cast<QWidget *>(loop), static_cast<QWidget *>(cutoff),
                        static_cast<QWidget *>(voices), static_cast<QWidget *>(wave), static_cast<QWidget *>(name),
                        static_cast<QWidget *>(secret), static_cast<QWidget *>(record), static_cast<QWidget *>(about),
                        static_cast<QWidget *>(list), static_cast<QWidget *>(status)})
    box->addWidget(each);
  int played = 0;
  QObject::connect(play, &QPushButton::clicked, [&] {
    status->setText(QString("played %1").arg(++played));
    note_on(played);
  });
  QObject::connect(loop, &QCheckBox::toggled, [](bool isOn) { printf("loop %d\n", isOn); });
  QObject::connect(cutoff, &QSlider::valueChanged, [](int value) { printf("cutoff %d\n", value); });
  QObject::connect(voices, QOverload<int>::of(&QSpinBox::valueChanged), [](int value) { printf("voices %d\n", value); });
  QObject::connect(wave, &QComboBox::currentTextChanged, [](const QString &text) { say("wave", text); });
  QObject::connect(name, &QLineEdit::textChanged, [](const QString &text) { say("name", text); });
  QObject::connect(name, &QLineEdit::returnPressed, [name] { say("entered", name->text()); });
  QObject::connect(list, &QListWidget::currentRowChanged, [](int row) { printf("preset %d\n", row); });
  QObject::connect(list->verticalScrollBar(), &QScrollBar::valueChanged, [](int value) { printf("scrolled %d\n", value > 0); });
  QObject::connect(about, &QPushButton::clicked, [&window] { showAbout(&window); });
  window.resize(320, 480);
  window.show();
  play->setFocus();
  puts("ready");
  return application.exec();
}
