/* A panel of GTK 3 that says on stdout what each of its widgets was made to do. Declared here is all that it uses, so
 * that its headers need not be there. Its first word: "late", the button's effect comes 150 ms later; "same", its label is
 * written and reads as before; "mute", nothing is written; "wide", it fills a display of 1280x800;
 * "bare", its window shows nothing. */
#include <stdio.h>
#include <string.h>

typedef void *object;
void gtk_init(int *count, char ***words);
object gtk_window_new(int type);
void gtk_window_set_title(object window, const char *title);
void gtk_window_set_modal(object window, int modal);
void gtk_window_set_transient_for(object window, object parent);
void gtk_window_set_default_size(object window, int width, int height);
object gtk_box_new(int orientation, int spacing);
object gtk_label_new(const char *text);
object gtk_button_new_with_label(const char *text);
object gtk_check_button_new_with_label(const char *text);
object gtk_entry_new(void);
object gtk_scale_new_with_range(int orientation, double low, double high, double step);
object gtk_spin_button_new_with_range(double low, double high, double step);
object gtk_combo_box_text_new(void);
void gtk_combo_box_text_append_text(object combo, const char *text);
char *gtk_combo_box_text_get_active_text(object combo);
void gtk_combo_box_set_active(object combo, int index);
object gtk_list_box_new(void);
object gtk_scrolled_window_new(object horizontal, object vertical);
object gtk_scrolled_window_get_vadjustment(object scrolled);
double gtk_adjustment_get_value(object adjustment);
object gtk_list_box_row_get_child(object row);
int gtk_list_box_row_get_index(object row);
void gtk_widget_set_sensitive(object widget, int sensitive);
void gtk_widget_set_size_request(object widget, int width, int height);
void gtk_widget_grab_focus(object widget);
void gtk_widget_show(object widget);
void gtk_widget_show_all(object widget);
void gtk_widget_destroy(object widget);
void gtk_entry_set_visibility(object entry, int visible);
const char *gtk_entry_get_text(object entry);
void gtk_container_add(object container, object widget);
void gtk_label_set_text(object label, const char *text);
double gtk_range_get_value(object range);
double gtk_spin_button_get_value(object spin);
int gtk_toggle_button_get_active(object button);
void gtk_main(void);
void gtk_main_quit(void);
unsigned g_timeout_add(unsigned milliseconds, int (*function)(void *), void *data);
unsigned long g_signal_connect_data(object instance, const char *signal, void (*handler)(void),
                                    void *data, void *destroy, int flags);
#define on(instance, signal, handler) \
  g_signal_connect_data(instance, signal, (void (*)(void))(handler), NULL, NULL, 0)

static object window, status, dialog, plays;
static int is_late, is_same, is_mute;

__attribute__((noinline)) int note_on(int velocity) {
  printf("note %d\n", velocity);
  return velocity > 0;
}
static int play(void *data) {
  (void)data;
  static int count;
  char text[64];
  count++;
  if (is_same) strcpy(text, "silent");
  else snprintf(text, sizeof text, "played %d", count);
  if (is_same) gtk_label_set_text(status, "");
  if (!is_mute) gtk_label_set_text(status, text);
  note_on(count);
  return 0;
}
static void pressed(object button) {
  (void)button;
  if (is_late) g_timeout_add(150, play, NULL);
  else play(NULL);
}
static void looped(object check) { printf("loop %d\n", gtk_toggle_button_get_active(check)); }
static void scaled(object range) { printf("cutoff %g\n", gtk_range_get_value(range)); }
static void spun(object spin) { printf("voices %g\n", gtk_spin_button_get_value(spin)); }
static void typed(object entry) { printf("name %s\n", gtk_entry_get_text(entry)); }
static void entered(object entry) { printf("entered %s\n", gtk_entry_get_text(entry)); }
static void chosen(object combo) { printf("wave %s\n", gtk_combo_box_text_get_active_text(combo)); }
static void picked(object list, object row) {
  (void)list;
  if (row) printf("preset %d\n", gtk_list_box_row_get_index(row));
}
static void scrolled(object adjustment) {
  printf("scrolled %d\n", gtk_adjustment_get_value(adjustment) > 0);
}
static void closed(object button) {
  (void)button;
  gtk_widget_destroy(dialog);
  puts("closed");
}
static void about(object button) {
  (void)button;
  dialog = gtk_window_new(0);
  gtk_window_set_title(dialog, "About Panel");
  gtk_window_set_transient_for(dialog, window);
  gtk_window_set_modal(dialog, 1);
  object close = gtk_button_new_with_label("Close");
  on(close, "clicked", closed);
  gtk_container_add(dialog, close);
  gtk_widget_show_all(dialog);
  puts("about");
}

int main(int count, char **words) {
  const char *word = count > 1 ? words[1] : "";
  is_late = strcmp(word, "late") == 0;
  is_same = strcmp(word, "same") == 0;
  is_mute = strcmp(word, "mute") == 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  gtk_init(&count, &words);
  window = gtk_window_new(0);
  gtk_window_set_title(window, "Panel");
  if (strcmp(word, "wide") == 0) gtk_window_set_default_size(window, 1280, 800);
  else gtk_window_set_default_size(window, 320, 480);
  object box = gtk_box_new(1, 4), loop = gtk_check_button_new_with_label("Loop");
  object name = gtk_entry_new(), secret = gtk_entry_new(), list = gtk_list_box_new();
  object cutoff = gtk_scale_new_with_range(0, 0, 10, 1), more = gtk_button_new_with_label("About");
  object voices = gtk_spin_button_new_with_range(0, 100, 1), wave = gtk_combo_box_text_new();
  object frozen = gtk_button_new_with_label("Record"), rows = gtk_scrolled_window_new(NULL, NULL);
  plays = gtk_button_new_with_label("Play");
  status = gtk_label_new("silent");
  gtk_entry_set_visibility(secret, 0);
  gtk_widget_set_sensitive(frozen, 0);
  gtk_combo_box_text_append_text(wave, "Saw");
  gtk_combo_box_text_append_text(wave, "Square");
  gtk_combo_box_text_append_text(wave, "Noise");
  gtk_combo_box_set_active(wave, 0);
  for (int row = 0; row < 40; row++) {
    char text[32];
    snprintf(text, sizeof text, "Preset %d", row);
    gtk_container_add(list, gtk_label_new(text));
  }
  gtk_widget_set_size_request(rows, 200, 100);
  gtk_container_add(rows, list);
  object all[] = {plays, loop, cutoff, voices, wave, name, secret, frozen, more, rows, status};
  for (unsigned each = 0; each < sizeof all / sizeof *all; each++)
    gtk_container_add(box, all[each]);
  gtk_container_add(window, box);
  if (strcmp(word, "quits") == 0) on(plays, "clicked", gtk_main_quit);
  else on(plays, "clicked", pressed);
  on(more, "clicked", about);
  on(loop, "toggled", looped);
  on(cutoff, "value-changed", scaled);
  on(voices, "value-changed", spun);
  on(name, "changed", typed);
  on(name, "activate", entered);
  on(wave, "changed", chosen);
  on(list, "row-selected", picked);
  on(gtk_scrolled_window_get_vadjustment(rows), "value-changed", scrolled);
  on(window, "destroy", gtk_main_quit);
  if (strcmp(word, "bare") == 0) gtk_widget_show(window);
  else gtk_widget_show_all(window);
  gtk_widget_grab_focus(plays);
  puts("ready");
  gtk_main();
  return 0;
}
