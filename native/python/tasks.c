/* The running task is what `asyncio.current_task()` gives. Where that is written in C, from 3.12
 * on, it is called; before that the dictionary is read that it looks into. A name is asked for by
 * the method of the class of C, so that no code of the program runs. */
#include "tasks.h"
#include "attributes.h"
#include "engine.h"
#include "fields.h"
#include "greenlets.h"
#include "modules.h"
#include "texts.h"

#include <pthread.h>
#include <string.h>

enum { TASKS = 4096, PLACES = 8, MOST_NAME = 200 };

/* Tasks that were told of, at a few places behind their own. */
static struct task {
  const object *object;
  u64 name; /* a hash: another task may lie there by now */
  u32 number;
} tasks[TASKS];

static object *get_name;                        /* of the class Task of C; null: no asyncio yet */
static object *current_task, *get_running_loop; /* from 3.12 on */
static object *current_tasks;                   /* before: loop → task */
static ssize_t seen_modules;

/* The task of the last record of this thread; in a greenlet no task at all. */
static __thread const object *last;
static __thread u32 last_number;

static object *asked(object *callable, object *argument) {
  object *result = argument ? python.PyObject_CallFunction(callable, "O", argument)
                            : python.PyObject_CallFunction(callable, 0);
  if (!result) python.PyErr_Clear();
  return result;
}

static object *kept(object *module, const char *name) {
  object *found = python.PyObject_GetAttrString(module, name);
  if (!found) python.PyErr_Clear();
  return found;
}

static int is_there(void) {
  if (get_name) return 1;
  object *module = modules_new("_asyncio", &seen_modules);
  object *class = module ? kept(module, "Task") : 0;
  if (!class) return 0;
  if (python.minor >= 12) {
    current_task = kept(module, "current_task");
    get_running_loop = kept(module, "_get_running_loop");
    if (!current_task || !get_running_loop) return 0;
  } else {
    current_tasks = kept(module, "_current_tasks");
    if (!current_tasks || !(flags_of(type_of(current_tasks)) & TYPE_IS_DICT)) return 0;
  }
  get_name = kept(class, "get_name");
  return get_name != 0;
}

/* That of the loop which runs on this thread. */
static object *task_of_dict(void) {
  ssize_t at = 0;
  object *loop, *task;
  ssize_t count = GET(current_tasks, dict_used, ssize_t);
  while (count > 0 && python.PyDict_Next(current_tasks, &at, &loop, &task)) {
    if (count == 1) return task;
    object *thread = attribute_named(loop, "_thread_id");
    if (thread && flags_of(type_of(thread)) & TYPE_IS_INTEGER &&
        (u64)python.PyLong_AsLong(thread) == (u64)pthread_self())
      return task;
  }
  return 0;
}

/* Not kept: the loop does that while it runs. */
static object *running(void) {
  if (current_tasks) return task_of_dict();
  object *loop = asked(get_running_loop, 0), *task = 0;
  if (loop && loop != python._Py_NoneStruct) task = asked(current_task, 0);
  if (loop) python.Py_DecRef(loop);
  if (!task) return 0;
  python.Py_DecRef(task);
  return task == python._Py_NoneStruct ? 0 : task;
}

static u64 hash_of(const char *text) {
  u64 hash = 14695981039346656037ul;
  for (; *text; text++) hash = (hash ^ (u8)*text) * 1099511628211ul;
  return hash;
}

static u32 define(const char *name) {
  struct fields fields = {0};
  size_t length = strlen(name);
  fields_put_word(&fields, STRAND_TASK);
  fields_put_text(&fields, name, length < MOST_NAME ? length : MOST_NAME);
  return fields_define(&fields, DEFINITION_KIND_STRAND, 0);
}

static u32 number_of(object *task) {
  object *name = asked(get_name, task);
  const char *text = name && is_text(name) ? utf8_of(name) : "?";
  u64 hash = hash_of(text);
  u32 place = (u32)((uintptr_t)task >> 4) * 2654435761u >> 20;
  struct task *one = 0;
  for (u32 i = 0; i < PLACES; i++) {
    one = &tasks[(place + i) % TASKS];
    if (!one->object || one->object == task) break;
  }
  if (one->object != task || one->name != hash) *one = (struct task){task, hash, define(text)};
  if (name) python.Py_DecRef(name);
  return one->number;
}

static void tell(u32 number, u64 kind) {
  if (number == last_number) return;
  last_number = number;
  engine.record(EVENT_CONTEXT, 0, number, &kind, number ? 1 : 0);
}

int tasks_can_run(void) {
  static ssize_t seen;
  static int can_run;
  if (can_run || modules_count() == seen) return can_run;
  seen = modules_count();
  return can_run = is_there() || greenlets_are_there();
}

void tasks_tell(int is_new) {
  u32 greenlet = greenlets_running();
  if (greenlet) {
    last = tasks;
    tell(greenlet, STRAND_GREENLET);
    return;
  }
  object *task = is_there() ? running() : 0;
  if (task == last && !is_new) return;
  last = task;
  tell(task ? number_of(task) : 0, STRAND_TASK);
}
