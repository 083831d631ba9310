#include "frames.h"
#include "attributes.h"
#include "functions.h"
#include "paths.h"
#include "texts.h"
#include "values.h"
#include "variables.h"

/* From here on frames are no Python code's. */
enum { FIRST_FOREIGN = 3, MOST_DEPTH = 100000 };
enum { MOST_LOCALS = 24, MOST_NAME = 100 };

object *frames_code(const object *own) { return untagged(GET(own, frame_code, object *)); }

static int is_python(const object *own) {
  if (offsets.frame_owner != NO_MEMBER && GET(own, frame_owner, int8_t) >= FIRST_FOREIGN) return 0;
  object *code = frames_code(own);
  return code && type_of(code) == python.PyCode_Type;
}

static object *previous_of(const object *own) {
  if (offsets.frame_previous == NO_MEMBER) return GET(own, frame_object_back, object *);
  return GET(own, frame_previous, object *);
}

static object *python_from(object *own) {
  while (own && !is_python(own)) own = previous_of(own);
  return own;
}

object *frames_of_thread(void *thread) {
  if (offsets.thread_cframe != NO_MEMBER) thread = GET(thread, thread_cframe, void *);
  return python_from(GET(thread, thread_frame, object *));
}

object *frames_back(object *own) { return python_from(previous_of(own)); }

u32 frames_depth(object *own) {
  u32 depth = 0;
  for (; own && depth < MOST_DEPTH; own = frames_back(own)) depth++;
  return depth;
}

struct frame frames_at(object *own) { return frame_at(own, frames_code(own)); }

int frames_line(object *own, object *code) {
  if (offsets.co_code == NO_MEMBER) {
    int unit = python.minor == 10 ? 2 : 1;
    return python.PyCode_Addr2Line(code, GET(own, frame_instruction, int) * unit);
  }
  const u8 *at = GET(own, frame_instruction, const u8 *);
  return python.PyCode_Addr2Line(code, (int)(at - &GET(code, co_code, const u8)));
}

void frames_say(struct line *line, object *code, int number) {
  int has_qualname = offsets.co_qualname != NO_MEMBER;
  object *name = has_qualname ? GET(code, co_qualname, object *) : GET(code, co_name, object *);
  struct source *source = path_of(GET(code, co_filename, object *));
  say(line, FIELD);
  say_text(line, utf8_of(name), 200);
  say(line, PART "%d" PART, number);
  say_text(line, source ? source->path : utf8_of(GET(code, co_filename, object *)), 400);
}

void frames_say_bytes(struct line *line, const u64 *words, u32 count) {
  const u8 *bytes = (const u8 *)words;
  for (u32 i = 0; i < count * sizeof *words; i++) say(line, "%02x", bytes[i]);
}

static void say_variable(struct line *line, char kind, object *name, object *value, u32 most) {
  struct capture capture = {0};
  capture_within(&capture, value, most);
  say(line, PART "%c", kind);
  say_text(line, utf8_of(name), MOST_NAME);
  say(line, "=");
  frames_say_bytes(line, capture.words, capture.used);
}

/* What a module has that is no definition of its own. */
static int is_data(object *name, object *value) {
  object *type = type_of(value);
  return is_text(name) && *utf8_of(name) != '_' && !is_a_module(value) &&
         type != python.PyFunction_Type && type != python.PyCFunction_Type &&
         !(flags_of(type) & TYPE_IS_TYPE);
}

void frames_say_variables(struct line *line, const struct frame *frame, u32 most_words,
                          size_t until) {
  object *names = GET(frame->code, co_names_of_locals, object *);
  ssize_t count = GET(names, ob_size, ssize_t);
  u32 parameters = functions_parameters(frame->code);
  const object *cell;
  for (ssize_t i = 0; i < count && i < MOST_LOCALS && line->length <= until; i++) {
    object *value = local_at(frame, i, &cell), *name = (&GET(names, tuple_items, object *))[i];
    if (value) say_variable(line, (u32)i < parameters ? 'p' : 'l', name, value, most_words);
  }
}

void frames_say_globals(struct line *line, const struct frame *frame, u32 most_words,
                        size_t until) {
  object *name, *value;
  ssize_t at = 0;
  if (!frame->globals || !text_is(GET(frame->code, co_name, object *), "<module>")) return;
  for (u32 said = 0; said < MOST_LOCALS && line->length <= until;) {
    if (!python.PyDict_Next(frame->globals, &at, &name, &value)) return;
    if (!is_data(name, value)) continue;
    say_variable(line, 'l', name, value, most_words);
    said++;
  }
}
