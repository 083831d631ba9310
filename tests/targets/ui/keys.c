/* Fifty keys of GTK 3. Each says which it is when it is clicked, and its label counts how often. "Rebuild" makes all of them
 * anew, "Ask" opens a dialog. What is used of GTK is declared here. */
#include <stdio.h>

typedef void *object;
void gtk_init(int *count, char ***words);
object gtk_window_new(int type);
void gtk_window_set_title(object window, const char *title);
void gtk_window_set_modal(object window, int modal);
void gtk_window_set_transient_for(object window, object parent);
object gtk_box_new(int orientation, int spacing);
object gtk_grid_new(void);
void gtk_grid_attach(object grid, object child, int left, int top, int width, int height);
object gtk_button_new_with_label(const char *text);
void gtk_button_set_label(object button, const char *text);
void gtk_container_add(object container, object widget);
void gtk_widget_show_all(object widget);
void gtk_widget_destroy(object widget);
void gtk_main(void);
void gtk_main_quit(void);
unsigned long g_signal_connect_data(object instance, const char *signal, void (*handler)(void),
                                    void *data, void *destroy, int flags);
#define on(instance, signal, handler, data) \
  g_signal_connect_data(instance, signal, (void (*)(void))(handler), data, NULL, 0)

enum { KEYS = 50, ACROSS = 5 };
static object window, box, grid, dialog;
static int counts[KEYS];

static void name_of(int key, char *text, unsigned size) {
  if (counts[key] == 0) snprintf(text, size, "Key %d", key);
  else snprintf(text, size, "Key %d used %d", key, counts[key]);
}

static void clicked(object button, void *data) {
  int key = (int)(long)data;
  char text[32];
  counts[key]++;
  name_of(key, text, sizeof text);
  gtk_button_set_label(button, text);
  printf("key %d\n", key);
}

static void build(void) {
  grid = gtk_grid_new();
  for (int key = 0; key < KEYS; key++) {
    char text[32];
    name_of(key, text, sizeof text);
    object button = gtk_button_new_with_label(text);
    on(button, "clicked", clicked, (void *)(long)key);
    gtk_grid_attach(grid, button, key % ACROSS, key / ACROSS, 1, 1);
  }
  gtk_container_add(box, grid);
  gtk_widget_show_all(window);
}

static void rebuild(void) {
  gtk_widget_destroy(grid);
  build();
  puts("rebuilt");
}

static void closed(void) {
  gtk_widget_destroy(dialog);
  puts("closed");
}

static void ask(void) {
  dialog = gtk_window_new(0);
  gtk_window_set_title(dialog, "Sure");
  gtk_window_set_transient_for(dialog, window);
  gtk_window_set_modal(dialog, 1);
  object close = gtk_button_new_with_label("Yes");
  on(close, "clicked", closed, NULL);
  gtk_container_add(dialog, close);
  gtk_widget_show_all(dialog);
  puts("asked");
}

int main(int count, char **words) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  gtk_init(&count, &words);
  window = gtk_window_new(0);
  gtk_window_set_title(window, "Keys");
  box = gtk_box_new(1, 4);
  object again = gtk_button_new_with_label("Rebuild"), sure = gtk_button_new_with_label("Ask");
  on(again, "clicked", rebuild, NULL);
  on(sure, "clicked", ask, NULL);
  on(window, "destroy", gtk_main_quit, NULL);
  gtk_container_add(box, again);
  gtk_container_add(box, sure);
  gtk_container_add(window, box);
  build();
  puts("ready");
  gtk_main();
  return 0;
}
