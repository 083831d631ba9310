/* A note `uncaught`: thread · class · message · frames, parted by FIELD. A frame is function, line
 * and file, parted by PART; the one that raised it comes last. */
#include "uncaught.h"
#include "engine.h"
#include "moment.h"
#include "notes.h"
#include "paths.h"
#include "texts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIELD "\x1f"
#define PART "\x1e"
enum { MOST_BYTES = 12000, MOST_FRAMES = 40, MOST_MESSAGE = 1000 };
/* Of a traceback: where its frame was, as an offset in its code, lies before its line. */
enum { LAST_INSTRUCTION = -4 };

struct line {
  char text[MOST_BYTES];
  size_t length;
};

__attribute__((format(printf, 2, 3))) static void say(struct line *line, const char *format, ...) {
  va_list values;
  va_start(values, format);
  size_t room = sizeof line->text - line->length;
  int wanted = vsnprintf(line->text + line->length, room, format, values);
  va_end(values);
  if (wanted > 0) line->length += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

/* A note is one line. */
static void say_text(struct line *line, const char *text, size_t most) {
  size_t from = line->length;
  say(line, "%.*s", (int)most, text);
  for (size_t at = from; at < line->length; at++)
    if ((unsigned char)line->text[at] < ' ') line->text[at] = ' ';
}

static object *code_of(object *frame) {
  if (offsets.frame_object_frame != NO_MEMBER) frame = GET(frame, frame_object_frame, object *);
  return frame ? untagged(GET(frame, frame_code, object *)) : 0;
}

static void say_frame(struct line *line, const object *traceback) {
  object *frame = GET(traceback, traceback_frame, object *), *code = frame ? code_of(frame) : 0;
  if (!code || type_of(code) != python.PyCode_Type) return;
  int number = GET(traceback, traceback_line, int);
  if (number <= 0)
    number = python.PyCode_Addr2Line(code,
                                     AT(traceback, offsets.traceback_line + LAST_INSTRUCTION, int));
  int has_qualname = offsets.co_qualname != NO_MEMBER;
  object *name = has_qualname ? GET(code, co_qualname, object *) : GET(code, co_name, object *);
  struct source *source = path_of(GET(code, co_filename, object *));
  say(line, FIELD);
  say_text(line, utf8_of(name), 200);
  say(line, PART "%d" PART, number);
  say_text(line, source ? source->path : utf8_of(GET(code, co_filename, object *)), 400);
}

static object *next_of(const object *traceback) {
  object *next = GET(traceback, traceback_next, object *);
  return next && next != python._Py_NoneStruct ? next : 0;
}

/* What it was made with, where that is one text. */
static const char *message_of(object *value) {
  if (!(flags_of(type_of(value)) & TYPE_IS_EXCEPTION)) return "";
  object *arguments = GET(value, exception_args, object *);
  if (!arguments || GET(arguments, ob_size, ssize_t) != 1) return "";
  object *only = GET(arguments, tuple_items, object *);
  return only && is_text(only) ? utf8_of(only) : "";
}

void uncaught_note(object *arguments) {
  static struct line line;
  object *const *given = &GET(arguments, tuple_items, object *);
  if (GET(arguments, ob_size, ssize_t) != 4 || !(flags_of(given[1]) & TYPE_IS_EXCEPTION)) return;
  line.length = 0;
  say(&line, "%ld" FIELD, syscall(SYS_gettid));
  say_text(&line, GET(given[1], tp_name, const char *), 200);
  say(&line, FIELD);
  say_text(&line, message_of(given[2]), MOST_MESSAGE);
  u32 count = 0;
  for (object *one = given[3]; one && type_of(one) == python.PyTraceBack_Type; one = next_of(one))
    count++;
  object *one = given[3];
  for (; count > MOST_FRAMES; count--) one = next_of(one);
  for (; count > 0; count--, one = next_of(one)) say_frame(&line, one);
  notes_write(NOTE_UNCAUGHT, line.text);
}
