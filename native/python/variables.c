#include "variables.h"
#include "attributes.h"
#include "texts.h"

#include <string.h>

enum { MOST_NAME = 256 };
/* Of co_localspluskinds: what inner functions use, what comes from an outer one. */
enum { IS_SHARED = 0x40 | 0x80 };

static object *content_of(object *cell, const object **holder) {
  if (!cell || type_of(cell) != python.PyCell_Type) return 0;
  *holder = cell;
  return GET(cell, cell_content, object *);
}

/* The place of a name in a tuple; -1: it has none. */
static ssize_t place_in(object *names, const char *name) {
  if (!names) return -1;
  ssize_t count = GET(names, ob_size, ssize_t);
  object *const *items = &GET(names, tuple_items, object *);
  for (ssize_t i = 0; i < count; i++)
    if (text_is(items[i], name)) return i;
  return -1;
}

/* Up to 3.10 cells lie behind the locals: those for inner functions, those from outer ones. */
static object *cell_apart(const struct frame *frame, const char *name) {
  object *own = GET(frame->code, co_cellvars, object *);
  ssize_t at = place_in(own, name), before = GET(frame->code, co_nlocals, int);
  if (at < 0) {
    at = place_in(GET(frame->code, co_freevars, object *), name);
    before += own ? GET(own, ob_size, ssize_t) : 0;
  }
  return at < 0 ? 0 : frame->locals[before + at];
}

static object *shared_apart(const struct frame *frame, const char *name, const object **holder) {
  return content_of(cell_apart(frame, name), holder);
}

static object *shared_variable(const struct frame *frame, const char *name, const object **holder) {
  if (!frame->locals) return 0;
  if (offsets.co_kinds_of_locals == NO_MEMBER) return shared_apart(frame, name, holder);
  ssize_t at = place_in(GET(frame->code, co_names_of_locals, object *), name);
  const u8 *kinds = &GET(GET(frame->code, co_kinds_of_locals, object *), bytes_value, const u8);
  return at < 0 || !(kinds[at] & IS_SHARED) ? 0 : content_of(untagged(frame->locals[at]), holder);
}

object *local_at(const struct frame *frame, ssize_t number, const object **holder) {
  object *value = untagged(frame->locals[number]);
  if (!value || offsets.co_kinds_of_locals == NO_MEMBER) return value;
  const u8 *kinds = &GET(GET(frame->code, co_kinds_of_locals, object *), bytes_value, const u8);
  return kinds[number] & IS_SHARED ? content_of(value, holder) : value;
}

/* Ends with a zero; returns whether there was room. */
static int copy_name(char *to, const u8 *name, u32 length) {
  if (length >= MOST_NAME) return 0;
  memcpy(to, name, length);
  to[length] = 0;
  return 1;
}

object *local_named(const struct frame *frame, const u8 *name, u32 length, const object **holder) {
  char text[MOST_NAME];
  if (!frame->locals || !copy_name(text, name, length)) return 0;
  ssize_t at = place_in(GET(frame->code, co_names_of_locals, object *), text);
  object *value = at < 0 ? 0 : local_at(frame, at, holder);
  int is_apart = !value && offsets.co_kinds_of_locals == NO_MEMBER;
  return is_apart ? shared_apart(frame, text, holder) : value;
}

object *variable_named(const struct frame *frame, const u8 *name, u32 length,
                       const object **holder) {
  char text[MOST_NAME];
  if (!copy_name(text, name, length)) return 0;
  object *found = shared_variable(frame, text, holder);
  if (found) return found;
  found = frame->globals ? value_in(frame->globals, text) : 0;
  if (found) {
    *holder = frame->globals;
    return found;
  }
  object *modules = python.PyImport_GetModuleDict();
  return modules ? value_in(modules, text) : 0;
}

object *any_named(const struct frame *frame, const u8 *name, u32 length, const object **holder) {
  char text[MOST_NAME];
  object *value = local_named(frame, name, length, holder);
  if (value || !copy_name(text, name, length)) return value;
  int is_unset = place_in(GET(frame->code, co_names_of_locals, object *), text) >= 0;
  return is_unset ? 0 : variable_named(frame, name, length, holder);
}

/* In place of what was there. From 3.14 on the lowest bit says that the place owns none. */
static void replace(object **place, object *value) {
  uintptr_t before = (uintptr_t)*place;
  python.Py_IncRef(value);
  *place = value;
  if (before && !(before & 1)) python.Py_DecRef((object *)before);
}

static int set_content(object *cell, object *value) {
  if (!cell || type_of(cell) != python.PyCell_Type) return 0;
  replace(&GET(cell, cell_content, object *), value);
  return 1;
}

int local_set(const struct frame *frame, const char *name, object *value) {
  if (!frame->locals) return 0;
  int has_cells_apart = offsets.co_kinds_of_locals == NO_MEMBER;
  if (has_cells_apart && set_content(cell_apart(frame, name), value)) return 1;
  ssize_t at = place_in(GET(frame->code, co_names_of_locals, object *), name);
  if (at < 0) return 0;
  if (!has_cells_apart) {
    const u8 *kinds = &GET(GET(frame->code, co_kinds_of_locals, object *), bytes_value, const u8);
    if (kinds[at] & IS_SHARED && set_content(untagged(frame->locals[at]), value)) return 1;
  }
  replace((object **)&frame->locals[at], value);
  return 1;
}
