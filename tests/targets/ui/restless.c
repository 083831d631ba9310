/* A window of GTK 3 in which much changes by itself each second, and in which nothing that is done has an effect: it says
 * on stdout what it is asked. */
#include <stdio.h>

typedef void *object;
void gtk_init(int *count, char ***words);
object gtk_window_new(int type);
void gtk_window_set_title(object window, const char *title);
object gtk_box_new(int orientation, int spacing);
object gtk_label_new(const char *text);
void gtk_label_set_text(object label, const char *text);
object gtk_button_new_with_label(const char *text);
object gtk_entry_new(void);
void gtk_entry_set_text(object entry, const char *text);
void gtk_editable_set_editable(object entry, int editable);
object gtk_combo_box_text_new(void);
void gtk_combo_box_text_append_text(object combo, const char *text);
void gtk_combo_box_set_active(object combo, int index);
int gtk_combo_box_get_active(object combo);
object gtk_list_box_new(void);
object gtk_scrolled_window_new(object horizontal, object vertical);
object gtk_scrolled_window_get_vadjustment(object scrolled);
void gtk_adjustment_set_value(object adjustment, double value);
void gtk_widget_set_size_request(object widget, int width, int height);
void gtk_widget_set_visible(object widget, int visible);
void gtk_widget_show_all(object widget);
void gtk_container_add(object container, object widget);
void gtk_main(void);
unsigned g_timeout_add(unsigned milliseconds, int (*function)(void *), void *data);
unsigned long g_signal_connect_data(object instance, const char *signal, void (*handler)(void),
                                    void *data, void *destroy, int flags);
#define on(instance, signal, handler) \
  g_signal_connect_data(instance, signal, (void (*)(void))(handler), NULL, NULL, 0)

static object clock_label, minute, lamp, entry_clock, rows, pane;

static int tick(void *data) {
  (void)data;
  static int second;
  char text[32];
  snprintf(text, sizeof text, "12:00:%02d", ++second % 60);
  gtk_label_set_text(clock_label, text);
  gtk_entry_set_text(entry_clock, text);
  gtk_label_set_text(minute, "");
  gtk_label_set_text(minute, "noon");
  gtk_widget_set_visible(lamp, second % 2);
  object row = gtk_label_new(text);
  gtk_container_add(rows, row);
  gtk_widget_show_all(rows);
  gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(pane), 16 * second);
  return 1;
}
static void asked(object button) {
  (void)button;
  puts("asked");
}
static void chosen(object combo) {
  if (gtk_combo_box_get_active(combo) == 0) return;
  puts("refused");
  gtk_combo_box_set_active(combo, 0);
}

int main(int count, char **words) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  gtk_init(&count, &words);
  object window = gtk_window_new(0), box = gtk_box_new(1, 4), dead = gtk_button_new_with_label("Dead");
  gtk_window_set_title(window, "Restless");
  object fixed = gtk_entry_new(), mode = gtk_combo_box_text_new(), few = gtk_list_box_new();
  object still = gtk_scrolled_window_new(NULL, NULL);
  clock_label = gtk_label_new("12:00:00");
  minute = gtk_label_new("noon");
  lamp = gtk_label_new("lamp");
  entry_clock = gtk_entry_new();
  rows = gtk_list_box_new();
  pane = gtk_scrolled_window_new(NULL, NULL);
  gtk_entry_set_text(entry_clock, "12:00:00");
  gtk_entry_set_text(fixed, "fixed");
  gtk_editable_set_editable(fixed, 0);
  gtk_editable_set_editable(entry_clock, 0);
  gtk_combo_box_text_append_text(mode, "Mono");
  gtk_combo_box_text_append_text(mode, "Stereo");
  gtk_combo_box_set_active(mode, 0);
  gtk_container_add(few, gtk_label_new("Only row"));
  gtk_widget_set_size_request(still, 200, 60);
  gtk_widget_set_size_request(pane, 200, 80);
  gtk_container_add(still, few);
  gtk_container_add(pane, rows);
  object all[] = {dead, clock_label, minute, lamp, entry_clock, fixed, mode, still, pane};
  for (unsigned each = 0; each < sizeof all / sizeof *all; each++) gtk_container_add(box, all[each]);
  gtk_container_add(window, box);
  on(dead, "clicked", asked);
  on(mode, "changed", chosen);
  g_timeout_add(1000, tick, NULL);
  gtk_widget_show_all(window);
  puts("ready");
  gtk_main();
  return 0;
}
