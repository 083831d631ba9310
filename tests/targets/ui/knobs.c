// Three knobs and a slider, painted by cairo: nothing of them is published. Arguments: their values, 0 to 1;
// a fifth one paints captions and a button. A drag up or
// down turns a knob, a double click puts it to its middle, the thumb of the slider is dragged along it; it prints what is held, and what they are made to be.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct cairo cairo_t;
void cairo_set_source_rgb(cairo_t *to, double red, double green, double blue);
void cairo_set_line_width(cairo_t *to, double width);
void cairo_arc(cairo_t *to, double x, double y, double radius, double from, double until);
void cairo_rectangle(cairo_t *to, double x, double y, double width, double height);
void cairo_move_to(cairo_t *to, double x, double y);
void cairo_line_to(cairo_t *to, double x, double y);
void cairo_fill(cairo_t *to);
void cairo_fill_preserve(cairo_t *to);
void cairo_stroke(cairo_t *to);
void cairo_paint(cairo_t *to);
void cairo_set_font_size(cairo_t *to, double size);
void cairo_show_text(cairo_t *to, const char *text);

typedef struct widget GtkWidget;
void gtk_init(int *argc, char ***argv);
GtkWidget *gtk_window_new(int type);
void gtk_window_set_title(GtkWidget *window, const char *title);
GtkWidget *gtk_drawing_area_new(void);
void gtk_widget_set_size_request(GtkWidget *widget, int width, int height);
void gtk_container_add(GtkWidget *container, GtkWidget *widget);
void gtk_widget_show_all(GtkWidget *widget);
void gtk_main(void);
unsigned long g_signal_connect_data(void *instance, const char *signal, void (*handler)(void), void *data,
                                    void *destroy, int flags);

void gtk_widget_add_events(GtkWidget *widget, int events);
void gtk_widget_queue_draw(GtkWidget *widget);
int gdk_event_get_coords(const void *event, double *x, double *y);
int gdk_event_get_event_type(const void *event);

enum { DOUBLE_CLICK = 5 };
enum { BUTTON_MOTION = 1 << 5, BUTTON_PRESS = 1 << 8, BUTTON_RELEASE = 1 << 9 };
#define TURN 150.0

static double values[4];
static int held = -1, is_named;
static double held_at, held_value;

static int press(GtkWidget *area, const void *event, void *data) {
  double x, y, thumb = 200 - 160 * values[3];
  (void)area, (void)data;
  gdk_event_get_coords(event, &x, &y);
  held = -1;
  for (int knob = 0; knob < 3; knob++)
    if (hypot(x - 80 - 120 * knob, y - 110) <= 40) held = knob;
  if (fabs(x - 440) <= 18 && fabs(y - thumb) <= 7) held = 3;
  if (is_named && x >= 20 && x <= 120 && y >= 215 && y <= 245) puts("reset"), fflush(stdout);
  held_at = y;
  if (held >= 0) {
    if (gdk_event_get_event_type(event) == DOUBLE_CLICK) values[held] = 0.5;
    held_value = values[held];
    printf("held %d\n", held);
  }
  return 1;
}

static int motion(GtkWidget *area, const void *event, void *data) {
  double x, y;
  (void)data;
  if (held < 0) return 1;
  gdk_event_get_coords(event, &x, &y);
  values[held] = fmin(1, fmax(0, held_value + (held_at - y) / (held == 3 ? 160 : TURN)));
  printf("value %d %.3f\n", held, values[held]);
  fflush(stdout);
  gtk_widget_queue_draw(area);
  return 1;
}

static void name(cairo_t *to) {
  static const char *const names[] = {"Cutoff", "Resonance", "Drive"};
  cairo_set_source_rgb(to, 0.27, 0.35, 0.55);
  cairo_rectangle(to, 20, 215, 100, 30);
  cairo_fill(to);
  cairo_set_source_rgb(to, 1, 1, 1);
  cairo_set_font_size(to, 15);
  cairo_move_to(to, 48, 236);
  cairo_show_text(to, "Reset");
  for (int knob = 0; knob < 3; knob++) {
    cairo_move_to(to, 50 + 120 * knob, 172);
    cairo_show_text(to, names[knob]);
  }
}

static int draw(GtkWidget *area, cairo_t *to, void *data) {
  (void)area, (void)data;
  cairo_set_source_rgb(to, 0.12, 0.14, 0.17);
  cairo_paint(to);
  for (int knob = 0; knob < 3; knob++) {
    double x = 80 + 120 * knob, y = 110, angle = (270 * values[knob] - 225) * M_PI / 180;
    cairo_arc(to, x, y, 40, 0, 2 * M_PI);
    cairo_set_source_rgb(to, 0.23, 0.25, 0.31);
    cairo_fill_preserve(to);
    cairo_set_source_rgb(to, 0.6, 0.65, 0.74);
    cairo_set_line_width(to, 2);
    cairo_stroke(to);
    cairo_set_source_rgb(to, 1, 0.8, 0.33);
    cairo_set_line_width(to, 4);
    cairo_move_to(to, x, y);
    cairo_line_to(to, x + 34 * cos(angle), y + 34 * sin(angle));
    cairo_stroke(to);
  }
  cairo_set_source_rgb(to, 0.05, 0.06, 0.07);
  cairo_rectangle(to, 437, 40, 6, 160);
  cairo_fill(to);
  cairo_set_source_rgb(to, 0.78, 0.82, 0.88);
  cairo_rectangle(to, 422, 200 - 160 * values[3] - 7, 36, 14);
  cairo_fill(to);
  if (is_named) name(to);
  return 1;
}

int main(int argc, char **argv) {
  for (int value = 0; value < 4 && value + 1 < argc; value++) values[value] = atof(argv[value + 1]);
  is_named = argc > 5;
  gtk_init(&argc, &argv);
  GtkWidget *window = gtk_window_new(0);
  gtk_window_set_title(window, "Painted");
  GtkWidget *area = gtk_drawing_area_new();
  gtk_widget_set_size_request(area, 520, 260);
  gtk_widget_add_events(area, BUTTON_MOTION | BUTTON_PRESS | BUTTON_RELEASE);
  g_signal_connect_data(area, "draw", (void (*)(void))draw, NULL, NULL, 0);
  g_signal_connect_data(area, "button-press-event", (void (*)(void))press, NULL, NULL, 0);
  g_signal_connect_data(area, "motion-notify-event", (void (*)(void))motion, NULL, NULL, 0);
  gtk_container_add(window, area);
  gtk_widget_show_all(window);
  puts("shown");
  fflush(stdout);
  gtk_main();
  return 0;
}
