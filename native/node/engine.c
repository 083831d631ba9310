#include "engine.h"

#include <dlfcn.h>

struct engine engine;

int engine_find(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  if (!library) return 0;
  int found = 1;
#define FUNCTION(result, name, parameters)                  \
  *(void **)&engine.name = dlsym(library, "engine_" #name); \
  if (!engine.name) found = 0;
  ALL_FUNCTIONS_OF_ENGINE(FUNCTION)
#undef FUNCTION
  return found;
}
