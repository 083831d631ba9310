#include "runs.h"
#include "attributes.h"
#include "frames.h"
#include "lasting.h"
#include "table.h"
#include "texts.h"
#include "values.h"
#include "variables.h"

#include <string.h>

/* Py_eval_input, Py_file_input. */
enum { AS_STATEMENTS = 257, AS_EXPRESSION = 258 };
enum { MOST_VALUE = 240, MOST_MESSAGE = 1000, MOST_NAME_SAID = 100 };

/* A pending exception, as a text. */
static void say_raised(struct line *line) {
  object *type = 0, *value = 0, *traceback = 0;
  python.PyErr_Fetch(&type, &value, &traceback);
  python.PyErr_NormalizeException(&type, &value, &traceback);
  object *text = value ? python.PyObject_Str(value) : 0;
  if (!text) python.PyErr_Clear();
  say(line, RUN_RAISED);
  say_text(line, type ? GET(type, tp_name, const char *) : "an exception", MOST_NAME_SAID);
  if (text && *utf8_of(text)) {
    say(line, ": ");
    say_text(line, utf8_of(text), MOST_MESSAGE);
  }
  object *all[] = {text, type, value, traceback};
  for (u32 i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i]) python.Py_DecRef(all[i]);
}

static void put(object *into, object *name, object *value) {
  if (value && python.PyDict_SetItem(into, name, value)) python.PyErr_Clear();
}

static void put_named(object *into, const struct frame *frame, object *names) {
  if (!names) return;
  const object *holder;
  for (ssize_t i = 0, count = GET(names, ob_size, ssize_t); i < count; i++) {
    object *name = (&GET(names, tuple_items, object *))[i];
    const char *text = utf8_of(name);
    put(into, name, local_named(frame, (const u8 *)text, (u32)strlen(text), &holder));
  }
}

static void put_variables(object *into, const struct frame *frame) {
  put_named(into, frame, GET(frame->code, co_names_of_locals, object *));
  if (offsets.co_kinds_of_locals != NO_MEMBER) return;
  put_named(into, frame, GET(frame->code, co_cellvars, object *));
  put_named(into, frame, GET(frame->code, co_freevars, object *));
}

/* What is in `now` and was not in `before`, or another object. */
static void take_back(object *now, object *before, const struct frame *frame, struct line *line) {
  object *name, *value;
  for (ssize_t at = 0; python.PyDict_Next(now, &at, &name, &value);) {
    if (!is_text(name) || python.PyDict_GetItem(before, name) == value) continue;
    if (local_set(frame, utf8_of(name), value)) continue;
    if (value_in(frame->globals, utf8_of(name))) {
      put(frame->globals, name, value);
      continue;
    }
    say(line, " ");
    say_text(line, utf8_of(name), MOST_NAME_SAID);
  }
}

static object *compiled(const char *text, int as) {
  return python.Py_CompileString(text, "<strobe>", as);
}

/* All that is seen is global, so that functions within the expression see it. */
static void run_expression(object *code, const struct frame *frame, struct line *line) {
  object *all = python.PyDict_Copy(frame->globals);
  if (all) put_variables(all, frame);
  object *value = all ? python.PyEval_EvalCode(code, all, all) : 0;
  if (value) {
    struct capture capture = {0};
    capture_within(&capture, value, MOST_VALUE);
    say(line, RUN_VALUE);
    frames_say_bytes(line, capture.words, capture.used);
    python.Py_DecRef(value);
  } else say_raised(line);
  if (all) python.Py_DecRef(all);
}

static void run_statements(object *code, const struct frame *frame, struct line *line) {
  int is_module = text_is(GET(frame->code, co_name, object *), "<module>");
  object *locals = is_module ? 0 : python.PyDict_New(), *before = 0;
  if (locals) {
    put_variables(locals, frame);
    before = python.PyDict_Copy(locals);
  }
  object *done = is_module || before ? python.PyEval_EvalCode(code, frame->globals,
                                                              is_module ? frame->globals : locals)
                                     : 0;
  if (done) say(line, RUN_DONE);
  else say_raised(line);
  if (done) python.Py_DecRef(done);
  if (done && before) take_back(locals, before, frame, line);
  if (locals) python.Py_DecRef(locals);
  if (before) python.Py_DecRef(before);
}

void runs_text(const char *text, const struct frame *frame, struct line *line) {
  object *code = frame->globals ? compiled(text, AS_EXPRESSION) : 0;
  int is_expression = code != 0;
  if (!code) {
    python.PyErr_Clear();
    code = compiled(text, AS_STATEMENTS);
  }
  if (!code) {
    say_raised(line);
    return;
  }
  struct lasting lasting;
  lasting_begin(&lasting);
  if (is_expression) run_expression(code, frame, line);
  else run_statements(code, frame, line);
  lasting_end(&lasting);
  python.Py_DecRef(code);
}
