/* A window of GTK with a button that presses itself; ends after the fifth tick. Declared here is all that it uses, so that
 * its headers need not be there. */
#include <stdio.h>

typedef void *object;
void gtk_init(int *count, char ***words);
object gtk_window_new(int type);
object gtk_box_new(int orientation, int spacing);
object gtk_label_new(const char *text);
object gtk_button_new_with_label(const char *text);
void gtk_container_add(object container, object widget);
void gtk_label_set_text(object label, const char *text);
const char *gtk_label_get_text(object label);
void gtk_button_clicked(object button);
void gtk_widget_show_all(object widget);
void gtk_main(void);
void gtk_main_quit(void);
unsigned g_timeout_add(unsigned milliseconds, int (*function)(void *), void *data);
unsigned long g_signal_connect_data(object instance, const char *signal, void (*handler)(void), void *data, void *destroy,
                                    int flags);

static object label, button;
static int presses;

int square(int of) { return of * of; }
void pressed(object which, void *data) {
  char text[64];
  (void)which;
  (void)data;
  presses++;
  snprintf(text, sizeof text, "pressed %d times, %d", presses, square(presses));
  gtk_label_set_text(label, text);
}
int tick(void *data) {
  (void)data;
  gtk_button_clicked(button);
  printf("%s\n", gtk_label_get_text(label));
  if (presses == 5) gtk_main_quit();
  return presses < 5;
}

int main(int count, char **words) {
  gtk_init(&count, &words);
  object window = gtk_window_new(0), box = gtk_box_new(1, 4);
  label = gtk_label_new("nothing yet");
  button = gtk_button_new_with_label("press");
  gtk_container_add(window, box);
  gtk_container_add(box, label);
  gtk_container_add(box, button);
  g_signal_connect_data(button, "clicked", (void (*)(void))pressed, NULL, NULL, 0);
  gtk_widget_show_all(window);
  g_timeout_add(20, tick, NULL);
  gtk_main();
  return 8;
}
