#include "script.h"
#include "api.h"
#include "helperThread.h"
#include "notes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SAID = 400 };

/* Of what it raised. */
static void say_why(void) {
  object *type = 0, *value = 0, *traceback = 0;
  char line[MOST_SAID];
  python.PyErr_Fetch(&type, &value, &traceback);
  python.PyErr_NormalizeException(&type, &value, &traceback);
  object *text = value ? python.PyObject_Str(value) : 0;
  strncpy(line, text ? utf8_of(text) : "", sizeof line - 1);
  line[sizeof line - 1] = 0;
  line[strcspn(line, "\n")] = 0;
  notes_write(NOTE_RAN, *line ? line : "an exception without a text");
  python.PyErr_Clear();
  object *all[] = {text, type, value, traceback};
  for (u32 i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i]) python.Py_DecRef(all[i]);
}

static void *run(void *text) {
  int state = python.PyGILState_Ensure();
  object *builtins = python.PyImport_ImportModule("builtins");
  object *exec = builtins ? python.PyObject_GetAttrString(builtins, "exec") : 0;
  object *globals = exec ? python.PyDict_New() : 0;
  object *done = globals ? python.PyObject_CallFunction(exec, "sO", text, globals) : 0;
  if (done) notes_write(NOTE_RAN, "");
  else say_why();
  object *made[] = {done, globals, exec, builtins};
  for (u32 i = 0; i < sizeof made / sizeof *made; i++)
    if (made[i]) python.Py_DecRef(made[i]);
  python.PyGILState_Release(state);
  free(text);
  return 0;
}

int script_start(const char *text) {
  char *own = strdup(text);
  if (own && helper_thread_start(run, own)) return 1;
  free(own);
  return 0;
}
