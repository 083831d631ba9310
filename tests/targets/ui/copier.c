/* Copies and pastes by GTK 3's clipboard, as its standard input says: "copy TEXT", "paste", "image", "password",
 * "drop", "quit". Declared
 * here is all that it uses, so that its headers need not be there. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef void *object;
typedef struct {
  const char *target;
  unsigned flags, info;
} form;
void gtk_init(int *count, char ***words);
void gtk_main(void);
void gtk_main_quit(void);
object gdk_atom_intern(const char *name, int only_if_exists);
object gtk_clipboard_get(object selection);
void gtk_clipboard_set_text(object clipboard, const char *text, int length);
char *gtk_clipboard_wait_for_text(object clipboard);
void gtk_clipboard_clear(object clipboard);
int gtk_clipboard_set_with_data(object clipboard, const form *forms, unsigned count,
                                void (*give)(object, object, unsigned, void *),
                                void (*clear)(object, void *), void *data);
unsigned g_unix_fd_add(int fd, int condition, int (*call)(int, int, void *), void *data);
#define G_IO_IN_HUP 17

static object clipboard;

static void give(object own, object selection, unsigned info, void *data) {}
static void forget(object own, void *data) {}

static int order(int fd, int condition, void *data) {
  char line[512];
  ssize_t length = read(fd, line, sizeof line - 1);
  if (length <= 0) return gtk_main_quit(), 0;
  line[length] = 0;
  line[strcspn(line, "\n")] = 0;
  if (!strncmp(line, "copy ", 5)) gtk_clipboard_set_text(clipboard, line + 5, -1);
  if (!strcmp(line, "image") || !strcmp(line, "password")) {
    form offered = {*line == 'i' ? "image/png" : "x-kde-passwordManagerHint", 0, 0};
    gtk_clipboard_set_with_data(clipboard, &offered, 1, give, forget, NULL);
  }
  if (!strcmp(line, "drop")) gtk_clipboard_clear(clipboard);
  if (!strcmp(line, "paste")) {
    const char *text = gtk_clipboard_wait_for_text(clipboard);
    printf("pasted: %s\n", text ? text : "nothing");
    fflush(stdout);
  }
  if (!strcmp(line, "quit")) gtk_main_quit();
  return 1;
}

int main(int count, char **words) {
  gtk_init(&count, &words);
  clipboard = gtk_clipboard_get(gdk_atom_intern("CLIPBOARD", 0));
  g_unix_fd_add(0, G_IO_IN_HUP, order, NULL);
  puts("ready");
  fflush(stdout);
  gtk_main();
  puts("done");
  return 0;
}
