#include "codes.h"
#include "lines.h"
#include "uncaught.h"

#include <stdlib.h>

/* In a code object's place: 0: it was not looked at · generation << 1 | 1: of no wanted function in
 * that generation of the table · else a struct code. */
static ssize_t place = -1;
static struct code *first_code;

static void freed(void *value) {
  struct code *code = value;
  if (!value || (uintptr_t)value & 1) return;
  if (code->previous) code->previous->next = code->next;
  else first_code = code->next;
  if (code->next) code->next->previous = code->previous;
  free(code);
}

int codes_begin(void) {
  if (place < 0) place = python.PyUnstable_Eval_RequestCodeExtraIndex(freed);
  return place >= 0;
}

/* _PyCodeObjectExtra: how many places, places. */
static uintptr_t value_of(const object *code) {
  const ssize_t *extra = GET(code, co_extra, const ssize_t *);
  return extra && extra[0] > place ? (uintptr_t)extra[1 + place] : 0;
}

static void set_value(object *code, uintptr_t value) {
  if (python.PyUnstable_Code_SetExtra(code, place, (void *)value)) python.PyErr_Clear();
}

/* Whether one of its parameters has moved to a cell, as it has where an inner function uses it. */
static int has_cells(const object *code, u32 parameters) {
  if (offsets.co_kinds_of_locals == NO_MEMBER) return GET(code, co_cell2arg, void *) != 0;
  const u8 *kinds = &GET(GET(code, co_kinds_of_locals, object *), bytes_value, const u8);
  for (u32 i = 0; i < parameters; i++)
    if (kinds[i] & CODES_IS_CELL) return 1;
  return 0;
}

static uintptr_t unwanted_now(void) { return (uintptr_t)functions_generation << 1 | 1; }

static __attribute__((noinline)) struct code *look(object *code) {
  struct function *function = functions_find(code);
  struct code *made = function ? calloc(1, sizeof *made) : 0;
  if (!function) uncaught_look(code);
  if (!made) {
    set_value(code, unwanted_now());
    return 0;
  }
  made->object = code;
  made->function = function;
  made->parameters = functions_parameters(code);
  made->has_cells = has_cells(code, made->parameters);
  made->next = first_code;
  if (first_code) first_code->previous = made;
  first_code = made;
  set_value(code, (uintptr_t)made);
  return made;
}

struct code *codes_known(object *code) {
  uintptr_t value = value_of(code);
  if (value == unwanted_now()) return 0;
  if (!value || value & 1) return look(code);
  struct code *known = (struct code *)value;
  return known->function->is_wanted || known->function->sites.lines ? known : 0;
}

struct code *codes_find(object *code) {
  struct code *known = codes_known(code);
  return known && known->function->is_wanted ? known : 0;
}

/* In code of a file that was edited since it was loaded a line is another. */
void codes_meet_sites(struct code *code) {
  const struct function *function = code->function;
  int is_same = functions_is_same(function, code->object);
  code->has_sites = function->sites.lines && is_same;
  if (code->has_sites) sites_tell(&function->sites, code->object, lines_has);
  else if (!is_same) sites_tell_edited(&function->sites);
}

struct code *codes_first(void) { return first_code; }
