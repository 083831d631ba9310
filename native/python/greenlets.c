/* The running greenlet is what `greenlet.getcurrent()` gives, and the thread's own is the one
 * without a parent. Both are asked of the package's C code, so that no code of the program runs. */
#include "greenlets.h"
#include "engine.h"
#include "fields.h"
#include "modules.h"

#include <stdio.h>
#include <string.h>

enum { GREENLETS = 4096, PLACES = 8 };

/* Those that were told of, at a few places behind their own. */
static struct greenlet {
  const object *object;
  u32 number;
} greenlets[GREENLETS];

static object *get_current, *get_parent; /* null: no greenlets yet */
static ssize_t seen_modules;
static u32 count;

/* Of this thread. */
static __thread const object *last;
static __thread u32 last_number;

static object *kept(object *of, const char *name) {
  object *found = of ? python.PyObject_GetAttrString(of, name) : 0;
  if (!found) python.PyErr_Clear();
  return found;
}

int greenlets_are_there(void) {
  if (get_parent) return 1;
  object *module = modules_new("greenlet._greenlet", &seen_modules);
  if (!module) return 0;
  get_current = kept(module, "getcurrent");
  get_parent = get_current ? kept(kept(kept(module, "greenlet"), "parent"), "__get__") : 0;
  return get_parent != 0;
}

static object *asked(object *callable, object *argument) {
  object *result = argument ? python.PyObject_CallFunction(callable, "O", argument)
                            : python.PyObject_CallFunction(callable, 0);
  if (!result) python.PyErr_Clear();
  return result;
}

static int is_of_thread(object *greenlet) {
  object *parent = asked(get_parent, greenlet);
  if (!parent) return 1;
  python.Py_DecRef(parent);
  return parent == python._Py_NoneStruct;
}

static u32 define(void) {
  char name[32];
  struct fields fields = {0};
  snprintf(name, sizeof name, "greenlet-%u", ++count);
  fields_put_word(&fields, STRAND_GREENLET);
  fields_put_text(&fields, name, strlen(name));
  return fields_define(&fields, DEFINITION_KIND_STRAND, 0);
}

static u32 number_of(const object *greenlet) {
  u32 place = (u32)((uintptr_t)greenlet >> 4) * 2654435761u >> 20;
  struct greenlet *one = 0;
  for (u32 i = 0; i < PLACES; i++) {
    one = &greenlets[(place + i) % GREENLETS];
    if (!one->object || one->object == greenlet) break;
  }
  if (one->object != greenlet) *one = (struct greenlet){greenlet, define()};
  return one->number;
}

u32 greenlets_running(void) {
  if (!greenlets_are_there()) return 0;
  object *greenlet = asked(get_current, 0);
  if (!greenlet) return 0;
  if (greenlet != last) {
    last = greenlet;
    last_number = is_of_thread(greenlet) ? 0 : number_of(greenlet);
  }
  /* Who runs it keeps it. */
  python.Py_DecRef(greenlet);
  return last_number;
}
