/* A window of GTK 3 that asks for what only a window manager can give, and says on stdout what it
 * got: its buttons ask for fullscreen, maximised and iconified, "Plain" takes all of it back,
 * "Other" opens a second window over the first. */
#include <stdio.h>
#include <string.h>

typedef void *object;
struct state_event {
  int type;
  object window;
  signed char is_sent;
  unsigned changed, state;
};
struct box {
  int x, y, width, height;
};
enum { ICONIFIED = 2, MAXIMISED = 4, FULLSCREEN = 16, FOCUSED = 128 };

void gtk_init(int *count, char ***words);
object gtk_window_new(int type);
void gtk_window_set_title(object window, const char *title);
void gtk_window_set_default_size(object window, int width, int height);
void gtk_window_fullscreen(object window);
void gtk_window_unfullscreen(object window);
void gtk_window_maximize(object window);
void gtk_window_unmaximize(object window);
void gtk_window_iconify(object window);
void gtk_window_present(object window);
object gtk_box_new(int orientation, int spacing);
object gtk_button_new_with_label(const char *text);
void gtk_container_add(object container, object widget);
void gtk_widget_show_all(object widget);
void gtk_main(void);
unsigned long g_signal_connect_data(object instance, const char *signal, void (*handler)(void),
                                    void *data, void *destroy, int flags);
#define on(instance, signal, handler, data) \
  g_signal_connect_data(instance, signal, (void (*)(void))(handler), data, NULL, 0)

static object window;

static void full(void) { gtk_window_fullscreen(window); }
static void large(void) { gtk_window_maximize(window); }
static void small(void) { gtk_window_iconify(window); }
static void plain(void) {
  gtk_window_unfullscreen(window);
  gtk_window_unmaximize(window);
}
static int changed(object widget, struct state_event *event, const char *title) {
  (void)widget;
  printf("%s:%s%s%s%s\n", title, event->state & ICONIFIED ? " iconified" : "",
         event->state & MAXIMISED ? " maximised" : "",
         event->state & FULLSCREEN ? " fullscreen" : "", event->state & FOCUSED ? " focused" : "");
  return 0;
}
static void sized(object widget, struct box *box, const char *title) {
  static int width, height;
  (void)widget;
  if (box->width == width && box->height == height) return;
  width = box->width;
  height = box->height;
  printf("%s: %dx%d\n", title, width, height);
}
static object opened(const char *title) {
  object new = gtk_window_new(0);
  gtk_window_set_title(new, title);
  gtk_window_set_default_size(new, 300, 200);
  on(new, "window-state-event", changed, (void *)title);
  on(new, "size-allocate", sized, (void *)title);
  return new;
}
static void pressed(void) { puts("pressed"); }
static void other(void) {
  object second = opened("Second"), button = gtk_button_new_with_label("Press");
  on(button, "clicked", pressed, NULL);
  gtk_container_add(second, button);
  gtk_widget_show_all(second);
}

int main(int count, char **words) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  gtk_init(&count, &words);
  window = opened("States");
  object box = gtk_box_new(1, 4);
  const struct {
    const char *label;
    void (*asks)(void);
  } all[] = {{"Fullscreen", full},
             {"Maximise", large},
             {"Iconify", small},
             {"Plain", plain},
             {"Other", other}};
  for (unsigned each = 0; each < sizeof all / sizeof *all; each++) {
    object button = gtk_button_new_with_label(all[each].label);
    on(button, "clicked", all[each].asks, NULL);
    gtk_container_add(box, button);
  }
  gtk_container_add(window, box);
  gtk_widget_show_all(window);
  puts("ready");
  gtk_main();
  return 0;
}
