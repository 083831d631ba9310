/* The panel of panel.c for GTK 4. Declared here is all that it uses, so that its headers need not be there. */
#include <stdio.h>

typedef void *object;
void gtk_init(void);
object gtk_window_new(void);
void gtk_window_set_title(object window, const char *title);
void gtk_window_set_modal(object window, int modal);
void gtk_window_set_transient_for(object window, object parent);
void gtk_window_set_default_size(object window, int width, int height);
void gtk_window_set_child(object window, object child);
void gtk_window_set_focus(object window, object widget);
void gtk_window_present(object window);
void gtk_window_destroy(object window);
object gtk_box_new(int orientation, int spacing);
void gtk_box_append(object box, object child);
object gtk_label_new(const char *text);
void gtk_label_set_text(object label, const char *text);
object gtk_button_new_with_label(const char *text);
object gtk_check_button_new_with_label(const char *text);
int gtk_check_button_get_active(object button);
object gtk_entry_new(void);
object gtk_password_entry_new(void);
const char *gtk_editable_get_text(object entry);
object gtk_scale_new_with_range(int orientation, double low, double high, double step);
object gtk_spin_button_new_with_range(double low, double high, double step);
double gtk_range_get_value(object range);
double gtk_spin_button_get_value(object spin);
object gtk_combo_box_text_new(void);
void gtk_combo_box_text_append_text(object combo, const char *text);
char *gtk_combo_box_text_get_active_text(object combo);
void gtk_combo_box_set_active(object combo, int index);
object gtk_list_box_new(void);
void gtk_list_box_append(object list, object child);
int gtk_list_box_row_get_index(object row);
object gtk_scrolled_window_new(void);
void gtk_scrolled_window_set_child(object scrolled, object child);
object gtk_scrolled_window_get_vadjustment(object scrolled);
double gtk_adjustment_get_value(object adjustment);
void gtk_widget_set_sensitive(object widget, int sensitive);
void gtk_widget_set_size_request(object widget, int width, int height);
object g_main_loop_new(object context, int runs);
void g_main_loop_run(object loop);
void g_main_loop_quit(object loop);
unsigned long g_signal_connect_data(object instance, const char *signal, void (*handler)(void),
                                    void *data, void *destroy, int flags);
#define on(instance, signal, handler) \
  g_signal_connect_data(instance, signal, (void (*)(void))(handler), NULL, NULL, 0)

static object window, status, dialog, loop;

__attribute__((noinline)) int note_on(int velocity) {
  printf("note %d\n", velocity);
  return velocity > 0;
}
static void play(object button) {
  (void)button;
  static int count;
  char text[64];
  snprintf(text, sizeof text, "played %d", ++count);
  gtk_label_set_text(status, text);
  note_on(count);
}
static void looped(object check) { printf("loop %d\n", gtk_check_button_get_active(check)); }
static void scaled(object range) { printf("cutoff %g\n", gtk_range_get_value(range)); }
static void spun(object spin) { printf("voices %g\n", gtk_spin_button_get_value(spin)); }
static void typed(object entry) { printf("name %s\n", gtk_editable_get_text(entry)); }
static void entered(object entry) { printf("entered %s\n", gtk_editable_get_text(entry)); }
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
  gtk_window_destroy(dialog);
  puts("closed");
}
static void about(object button) {
  (void)button;
  dialog = gtk_window_new();
  gtk_window_set_title(dialog, "About Panel");
  gtk_window_set_transient_for(dialog, window);
  gtk_window_set_modal(dialog, 1);
  object close = gtk_button_new_with_label("Close");
  on(close, "clicked", closed);
  gtk_window_set_child(dialog, close);
  gtk_window_present(dialog);
  puts("about");
}
static void ended(void) { g_main_loop_quit(loop); }

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  gtk_init();
  window = gtk_window_new();
  gtk_window_set_title(window, "Panel");
  gtk_window_set_default_size(window, 320, 480);
  object box = gtk_box_new(1, 4), repeat = gtk_check_button_new_with_label("Loop");
  object name = gtk_entry_new(), secret = gtk_password_entry_new(), list = gtk_list_box_new();
  object cutoff = gtk_scale_new_with_range(0, 0, 10, 1), more = gtk_button_new_with_label("About");
  object voices = gtk_spin_button_new_with_range(0, 100, 1), wave = gtk_combo_box_text_new();
  object frozen = gtk_button_new_with_label("Record"), rows = gtk_scrolled_window_new();
  object plays = gtk_button_new_with_label("Play");
  status = gtk_label_new("silent");
  gtk_widget_set_sensitive(frozen, 0);
  gtk_combo_box_text_append_text(wave, "Saw");
  gtk_combo_box_text_append_text(wave, "Square");
  gtk_combo_box_text_append_text(wave, "Noise");
  gtk_combo_box_set_active(wave, 0);
  for (int row = 0; row < 40; row++) {
    char text[32];
    snprintf(text, sizeof text, "Preset %d", row);
    gtk_list_box_append(list, gtk_label_new(text));
  }
  gtk_widget_set_size_request(rows, 200, 100);
  gtk_scrolled_window_set_child(rows, list);
  object all[] = {plays, repeat, cutoff, voices, wave, name, secret, frozen, more, rows, status};
  for (unsigned each = 0; each < sizeof all / sizeof *all; each++) gtk_box_append(box, all[each]);
  gtk_window_set_child(window, box);
  on(plays, "clicked", play);
  on(more, "clicked", about);
  on(repeat, "toggled", looped);
  on(cutoff, "value-changed", scaled);
  on(voices, "value-changed", spun);
  on(name, "changed", typed);
  on(name, "activate", entered);
  on(wave, "changed", chosen);
  on(list, "row-selected", picked);
  on(gtk_scrolled_window_get_vadjustment(rows), "value-changed", scrolled);
  on(window, "destroy", ended);
  gtk_window_present(window);
  gtk_window_set_focus(window, plays);
  loop = g_main_loop_new(NULL, 0);
  puts("ready");
  g_main_loop_run(loop);
  return 0;
}
