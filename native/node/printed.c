/* See printed.h. Node prints it when no JavaScript runs any more. */
#include "printed.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STANDARD_ERROR 2
#define PATIENCE_MS 1000
#define MOST_BEFORE 3

static struct {
  int real, held;
  char *lines;
  u32 bytes;
} printed = {-1, -1, 0, 0};

struct line {
  const char *running, *original, *columns;
};

static void write_all(const char *text, size_t bytes) {
  while (bytes) {
    ssize_t done = write(printed.real, text, bytes);
    if (done >= 0) {
      text += done;
      bytes -= (size_t)done;
    } else if (errno == EAGAIN) {
      struct pollfd room = {printed.real, POLLOUT, 0};
      if (poll(&room, 1, PATIENCE_MS) <= 0) return;
    } else if (errno != EINTR) {
      return;
    }
  }
}

static long original_column(const char *columns, long column) {
  for (; column > 0; column--) {
    const char *comma = strchr(columns, ',');
    if (!comma) break;
    columns = comma + 1;
  }
  return atol(columns);
}

/* The carets below a line, moved to what they pointed at in the original. */
static void write_carets(const struct line *line, const char *carets, long bytes) {
  long begin = 0, end = bytes, width = (long)strlen(line->original);
  while (begin < bytes && carets[begin] != '^') begin++;
  long from = original_column(line->columns, begin), to = original_column(line->columns, end);
  for (long i = 0; i < from; i++) write_all(i < width && line->original[i] == '\t' ? "\t" : " ", 1);
  do write_all("^", 1);
  while (++from < to);
}

/* Node puts blanks in place of types. */
static int is_line(const char *printed_line, const char *running, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (printed_line[i] != running[i] && printed_line[i] != ' ') return 0;
  return printed_line[length] == '\n';
}

static void write_original(const struct line *line, const char *printed_line, size_t length) {
  size_t bytes = strlen(line->original);
  char *original = strdup(line->original);
  const char *columns = line->columns;
  for (size_t i = 0; original && i < length && columns; i++) {
    size_t column = (size_t)atol(columns);
    if (printed_line[i] != line->running[i] && column < bytes) original[column] = ' ';
    columns = strchr(columns, ',');
    if (columns) columns++;
  }
  write_all(original ? original : line->original, bytes);
  free(original);
}

/* Whether the line stands at `at`; then all of the text is written. */
static int write_led_back(const char *text, const char *at, const char *end,
                          const struct line *line) {
  size_t length = strlen(line->running);
  if ((size_t)(end - at) <= length || !is_line(at, line->running, length)) return 0;
  const char *carets = at + length + 1;
  size_t bytes = strspn(carets, " \t^");
  write_all(text, (size_t)(at - text));
  write_original(line, at, length);
  write_all("\n", 1);
  if (memchr(carets, '^', bytes)) write_carets(line, carets, (long)bytes);
  else bytes = 0;
  write_all(carets + bytes, (size_t)(end - carets) - bytes);
  return 1;
}

static int next_line(const char **from, struct line *line) {
  const char *end = printed.lines + printed.bytes, *at = *from;
  if (at >= end) return 0;
  line->running = at;
  line->original = at + strlen(at) + 1;
  line->columns = line->original + strlen(line->original) + 1;
  *from = line->columns + strlen(line->columns) + 1;
  return *from <= end;
}

/* The place comes first, where what was thrown is no error behind an empty line; the line of source
 * follows. */
static int write_corrected(const char *text, const char *end) {
  const char *at = text;
  for (int lines = 0; lines < MOST_BEFORE; lines++) {
    const char *from = printed.lines, *newline = memchr(at, '\n', (size_t)(end - at));
    struct line line;
    if (!newline) return 0;
    at = newline + 1;
    while (next_line(&from, &line))
      if (write_led_back(text, at, end, &line)) return 1;
  }
  return 0;
}

static void release(void) {
  dup2(printed.real, STANDARD_ERROR);
  long bytes = lseek(printed.held, 0, SEEK_END);
  if (bytes <= 0) return;
  char *text = calloc(1, (size_t)bytes + 1);
  if (!text) return;
  bytes = pread(printed.held, text, (size_t)bytes, 0);
  if (bytes > 0 && !write_corrected(text, text + bytes)) write_all(text, (size_t)bytes);
  free(text);
}

void printed_hold(char *lines, u32 bytes) {
  if (printed.real >= 0) return free(lines);
  int real = fcntl(STANDARD_ERROR, F_DUPFD_CLOEXEC, 3);
  int held = real < 0 ? -1 : memfd_create("printed", MFD_CLOEXEC);
  if (held >= 0) {
    printed.real = real;
    printed.held = held;
    printed.lines = lines;
    printed.bytes = bytes;
    if (atexit(release) == 0 && dup2(held, STANDARD_ERROR) >= 0) return;
    dup2(real, STANDARD_ERROR);
  }
  if (real >= 0) close(real);
}
