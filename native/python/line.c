#include "line.h"

#include <stdarg.h>
#include <stdio.h>

void say(struct line *line, const char *format, ...) {
  va_list values;
  va_start(values, format);
  size_t room = sizeof line->text - line->length;
  int wanted = vsnprintf(line->text + line->length, room, format, values);
  va_end(values);
  if (wanted > 0) line->length += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

/* A note is one line. */
void say_text(struct line *line, const char *text, size_t most) {
  size_t from = line->length;
  say(line, "%.*s", (int)most, text);
  for (size_t at = from; at < line->length; at++)
    if ((unsigned char)line->text[at] < ' ') line->text[at] = ' ';
}
