#include "awaits.h"
#include "attributes.h"
#include "modules.h"

#include <string.h>

enum { MOST_DEPTH = 100, MOST_LISTED = 20000, MOST_TASK_BYTES = 320 };
/* The first state of a generator (pycore_frame.h) that means it has ended; from 3.15 on others. */
enum { FIRST_ENDED = 1, FIRST_ENDED_LATER = 5, FIRST_WITH_LATER = 15 };
/* The first member behind the head of an object. */
enum { FIRST_MEMBER = 16 };

/* ── which tasks live ── */

static int is_in_set(object *set, u64 task) {
  struct entry {
    object *key;
    ssize_t hash;
  } const *table = GET(set, set_table, const struct entry *);
  ssize_t mask = GET(set, set_mask, ssize_t);
  for (ssize_t i = 0; i <= mask; i++) {
    object *key = table[i].key;
    if (!key) continue;
    if ((u64)key == task) return 1;
    if (type_of(key) == python._PyWeakref_RefType && AT(key, FIRST_MEMBER, u64) == task) return 1;
  }
  return 0;
}

/* Up to 3.13: a WeakSet of the module; those that begin eagerly lie in a set. */
static int is_in_module(object *module, const char *name, u64 task) {
  object *set = attribute_or_member(module, name);
  if (set && type_of(set) != python.PySet_Type) set = attribute_named(set, "data");
  return set && type_of(set) == python.PySet_Type && is_in_set(set, task);
}

/* From 3.14 on: a list whose nodes lie in the tasks. */
static int is_in_list(const void *head, u64 task) {
  const void *node = *(void *const *)head;
  for (u32 i = 0; node && node != head && i < MOST_LISTED; i++, node = *(void *const *)node)
    if ((u64)node > task && (u64)node < task + MOST_TASK_BYTES) return 1;
  return 0;
}

static int is_in_lists(u64 task) {
  void *interpreter = python.PyInterpreterState_Head();
  if (offsets.interpreter_tasks == NO_MEMBER || !interpreter) return 0;
  if (is_in_list(&AT(interpreter, offsets.interpreter_tasks, char), task)) return 1;
  void *thread = python.PyInterpreterState_ThreadHead(interpreter);
  for (; thread; thread = GET(thread, thread_next, void *))
    if (is_in_list(&AT(thread, offsets.thread_tasks, char), task)) return 1;
  return 0;
}

static int lives(u64 task) {
  ssize_t seen = -1;
  object *module = modules_new("asyncio.tasks", &seen);
  return is_in_lists(task) || (module && (is_in_module(module, "_all_tasks", task) ||
                                          is_in_module(module, "_scheduled_tasks", task) ||
                                          is_in_module(module, "_eager_tasks", task)));
}

/* ── what each is in ── */

static int is_called(const object *type, const char *name) {
  return !(flags_of(type) & TYPE_IS_HEAP) && !strcmp(GET(type, tp_name, const char *), name);
}

/* Of a coroutine or generator of the interpreter's own classes; null: it has ended, or is none. */
static object *frame_of(object *coroutine) {
  const object *type = type_of(coroutine);
  if (!is_called(type, "coroutine") && !is_called(type, "generator") &&
      !is_called(type, "async_generator"))
    return 0;
  if (offsets.generator_frame == NO_MEMBER) return AT(coroutine, FIRST_MEMBER, object *);
  int ended = python.minor < FIRST_WITH_LATER ? FIRST_ENDED : FIRST_ENDED_LATER;
  if (GET(coroutine, generator_state, int8_t) >= ended) return 0;
  return &AT(coroutine, offsets.generator_frame, u8);
}

/* What keeps it is the frame that awaits it. */
static object *member_of(object *coroutine, const char *name) {
  object *found = python.PyObject_GetAttrString(coroutine, name);
  if (found) python.Py_DecRef(found);
  else python.PyErr_Clear();
  return found;
}

/* The coroutine that one awaits, or null. */
static object *awaited(object *coroutine) {
  const object *type = type_of(coroutine);
  object *found = is_called(type, "coroutine")   ? member_of(coroutine, "cr_await")
                  : is_called(type, "generator") ? member_of(coroutine, "gi_yieldfrom")
                                                 : member_of(coroutine, "ag_await");
  if (!found) return 0;
  type = type_of(found);
  if (is_called(type, "coroutine_wrapper") || is_called(type, "async_generator_asend") ||
      is_called(type, "async_generator_athrow"))
    found = AT(found, FIRST_MEMBER, object *);
  return found && frame_of(found) ? found : 0;
}

object *awaits_coroutine(u64 task, u64 coroutine) {
  if (!task || !lives(task)) return 0;
  object *found = (object *)task;
  u64 words = (u64)GET(type_of(found), tp_basicsize, ssize_t) / sizeof(u64);
  for (u64 i = 2; i < words; i++)
    if (((const u64 *)task)[i] == coroutine && frame_of((object *)coroutine))
      return (object *)coroutine;
  return 0;
}

object *awaits_newest(object *coroutine) {
  object *next;
  for (u32 i = 0; i < MOST_DEPTH && (next = awaited(coroutine)); i++) coroutine = next;
  return frame_of(coroutine);
}

object *awaits_back(object *coroutine, const object *frame) {
  object *next;
  for (u32 i = 0; i < MOST_DEPTH && (next = awaited(coroutine)); i++) {
    if (frame_of(next) == frame) return frame_of(coroutine);
    coroutine = next;
  }
  return 0;
}
