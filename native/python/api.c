#include "api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct python python;

static void *symbol(const char *name) { return dlsym(RTLD_DEFAULT, name); }

static int find_functions(void) {
  int found = 1;
#define FUNCTION(result, name, parameters) \
  *(void **)&python.name = symbol(#name);  \
  if (!python.name) found = 0;
  ALL_FUNCTIONS_OF_PYTHON(FUNCTION)
#undef FUNCTION
#define FUNCTION(result, name, parameters, other) \
  *(void **)&python.name = symbol(#name);         \
  if (!python.name) *(void **)&python.name = symbol(#other);
  RENAMED_FUNCTIONS_OF_PYTHON(FUNCTION)
#undef FUNCTION
#define OBJECT(name)           \
  python.name = symbol(#name); \
  if (!python.name) found = 0;
  ALL_OBJECTS_OF_PYTHON(OBJECT)
#undef OBJECT
  return found && python.PyThreadState_GetUnchecked &&
         python.PyUnstable_Eval_RequestCodeExtraIndex && python.PyUnstable_Code_SetExtra;
}

/* `3.12.1 (main, …)`; 0: another major version, or no CPython. */
static int minor_of(const char *version) {
  if (strncmp(version, "3.", 2) || strstr(version, "PyPy")) return 0;
  return atoi(version + 2);
}

enum python_problem python_find(void) {
  if (python.minor) return PYTHON_FITS;
  if (!find_functions()) return PYTHON_HAS_NO_SYMBOLS;
  int minor = minor_of(python.Py_GetVersion());
  const void *debug = minor >= 13 ? symbol("_PyRuntime") : 0;
  if (minor >= 13 && !debug) return PYTHON_HAS_NO_SYMBOLS;
  switch (offsets_choose(minor, debug)) {
  case OFFSETS_FIT: break;
  case OFFSETS_FREE_THREADED: return PYTHON_IS_FREE_THREADED;
  case OFFSETS_PATCHED: return PYTHON_IS_PATCHED;
  default: return PYTHON_IS_UNKNOWN;
  }
  if (minor < 12 && (!python._PyEval_SetProfile || !python._PyEval_SetTrace))
    return PYTHON_HAS_NO_SYMBOLS;
  python.minor = minor;
  return PYTHON_FITS;
}

const char *utf8_of(object *text) {
  const char *found = python.PyUnicode_AsUTF8AndSize(text, 0);
  if (found) return found;
  python.PyErr_Clear();
  return "";
}
