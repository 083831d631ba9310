#include "uncaught.h"
#include "attributes.h"
#include "engine.h"
#include "frames.h"
#include "notes.h"
#include "texts.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_FRAMES = 40, MOST_MESSAGE = 1000, MOST_EXCEPTIONS = 5 };
/* Of all frames together; behind that there are frames, without locals. */
enum { MOST_BYTES_WITH_LOCALS = 40000, MOST_VALUE = 24 };
/* Of an exception, behind its cause: `raise … from None`. */
enum { SUPPRESSES_CONTEXT = 8 };
/* Of a traceback: where its frame was, as an offset in its code, lies before its line. */
enum { LAST_INSTRUCTION = -4 };

static object *frame_of(const object *traceback) {
  object *frame = GET(traceback, traceback_frame, object *);
  if (frame && offsets.frame_object_frame != NO_MEMBER)
    frame = GET(frame, frame_object_frame, object *);
  return frame;
}

static void say_frame(struct line *line, const object *traceback) {
  object *own = frame_of(traceback), *code = own ? untagged(GET(own, frame_code, object *)) : 0;
  if (!code || type_of(code) != python.PyCode_Type) return;
  int number = GET(traceback, traceback_line, int);
  if (number <= 0)
    number = python.PyCode_Addr2Line(code,
                                     AT(traceback, offsets.traceback_line + LAST_INSTRUCTION, int));
  frames_say(line, code, number);
  struct frame frame = frame_at(own, code);
  frames_say_variables(line, &frame, MOST_VALUE, MOST_BYTES_WITH_LOCALS);
}

static object *next_of(const object *traceback) {
  object *next = GET(traceback, traceback_next, object *);
  return next && next != python._Py_NoneStruct ? next : 0;
}

/* A traceback begins with the oldest frame. */
void uncaught_say_frames(struct line *line, object *traceback) {
  object *newest[MOST_FRAMES];
  u32 count = 0;
  for (object *one = traceback; one && type_of(one) == python.PyTraceBack_Type; one = next_of(one))
    newest[count++ % MOST_FRAMES] = one;
  u32 kept = count < MOST_FRAMES ? count : MOST_FRAMES;
  for (u32 i = 1; i <= kept; i++) say_frame(line, newest[(count - i) % MOST_FRAMES]);
}

u32 uncaught_depth(object *traceback) {
  u32 count = 0;
  for (object *one = traceback; one; one = next_of(one)) count++;
  return count;
}

object *uncaught_frame(object *traceback, u32 number) {
  u32 count = uncaught_depth(traceback);
  if (number >= count) return 0;
  for (u32 left = count - 1 - number; left; left--) traceback = next_of(traceback);
  return frame_of(traceback);
}

/* What it was made with, where that is one text. */
static const char *message_of(object *value) {
  if (value && is_text(value)) return utf8_of(value);
  if (!value || !(flags_of(type_of(value)) & TYPE_IS_EXCEPTION)) return "";
  object *arguments = GET(value, exception_args, object *);
  if (!arguments || GET(arguments, ob_size, ssize_t) != 1) return "";
  object *only = GET(arguments, tuple_items, object *);
  return only && is_text(only) ? utf8_of(only) : "";
}

void uncaught_say_what(struct line *line, object *type, object *value) {
  say(line, FIELD);
  say_text(line, GET(type, tp_name, const char *), 200);
  say(line, FIELD);
  say_text(line, message_of(value), MOST_MESSAGE);
}

static void say_exception(struct line *line, const char *relation, object *type, object *value,
                          object *traceback) {
  say(line, EXCEPTION "%s", relation);
  uncaught_say_what(line, type, value);
  uncaught_say_frames(line, traceback);
}

static object *exception_or_null(object *value) {
  return value && value != python._Py_NoneStruct && flags_of(type_of(value)) & TYPE_IS_EXCEPTION
             ? value
             : 0;
}

static void say_causes(struct line *line, object *value) {
  for (u32 i = 1; i < MOST_EXCEPTIONS && (value = exception_or_null(value)); i++) {
    object *cause = exception_or_null(GET(value, exception_cause, object *));
    int hides = AT(value, offsets.exception_cause + SUPPRESSES_CONTEXT, char);
    if (!cause && hides) return;
    value = cause ? cause : exception_or_null(GET(value, exception_context, object *));
    if (!value) return;
    say_exception(line, cause ? "cause" : "context", type_of(value), value,
                  GET(value, exception_traceback, object *));
  }
}

/* `what`: of src/collector/python/uncaughtNote.ts; empty: a thread's. */
static void note(const char *what, object *type, object *value, object *traceback) {
  static struct line line;
  if (!(flags_of(type) & TYPE_IS_EXCEPTION)) return;
  line.length = 0;
  say(&line, "%d" FIELD "%ld" FIELD "%s", getpid(), syscall(SYS_gettid), what);
  say_exception(&line, "", type, value, traceback);
  say_causes(&line, value);
  notes_write(NOTE_UNCAUGHT, line.text);
}

static struct ended told(const char *what, object *type, object *value, object *traceback) {
  note(what, type, value, traceback);
  int is_one = traceback && type_of(traceback) == python.PyTraceBack_Type;
  return (struct ended){type, value, is_one ? traceback : 0};
}

struct ended uncaught_audited(object *arguments) {
  object *const *given = &GET(arguments, tuple_items, object *);
  if (GET(arguments, ob_size, ssize_t) != 4) return (struct ended){0};
  return told("", given[1], given[2], given[3]);
}

/* Null: not met yet. */
static const object *in_threads, *in_tasks;

static int is_of(const object *code, const char *name, const char *file) {
  if (!text_is(GET(code, co_name, object *), name)) return 0;
  const char *path = utf8_of(GET(code, co_filename, object *));
  size_t length = strlen(path), tail = strlen(file);
  return length > tail && !strcmp(path + length - tail, file);
}

void uncaught_look(const object *code) {
  if (is_of(code, "invoke_excepthook", "/threading.py")) in_threads = code;
  else if (is_of(code, "call_exception_handler", "/asyncio/base_events.py")) in_tasks = code;
}

int uncaught_is_told_by(const object *code) { return code == in_threads || code == in_tasks; }

/* It has been handed a dictionary that says what happened, and perhaps the exception. */
static struct ended told_of_task(const struct frame *frame) {
  object *context = frame->locals ? untagged(frame->locals[1]) : 0;
  if (!context || !(flags_of(type_of(context)) & TYPE_IS_DICT)) return (struct ended){0};
  object *value = exception_or_null(value_in(context, "exception"));
  if (!value) return (struct ended){0};
  return told("task", type_of(value), value, GET(value, exception_traceback, object *));
}

/* It is being handled. A thread may end itself by SystemExit. */
static struct ended told_of_thread(void) {
  object *ask = python.PySys_GetObject("exc_info");
  object *handled = ask ? python.PyObject_CallFunction(ask, 0) : 0;
  if (!handled) {
    python.PyErr_Clear();
    return (struct ended){0};
  }
  object *const *given = &GET(handled, tuple_items, object *);
  struct ended ended = {0};
  int is_one = exception_or_null(given[1]) != 0;
  if (is_one && strcmp(GET(given[0], tp_name, const char *), "SystemExit") != 0)
    ended = told("", given[0], given[1], given[2]);
  /* Its thread has it for as long as it handles it. */
  python.Py_DecRef(handled);
  return ended;
}

struct ended uncaught_told(const struct frame *frame) {
  return frame->code == in_threads ? told_of_thread() : told_of_task(frame);
}
