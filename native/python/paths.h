/* The real paths of source files, by the names that code objects have of them. */
#ifndef STROBE_PYTHON_PATHS_H
#define STROBE_PYTHON_PATHS_H

#include "api.h"

struct source {
  struct source *next;
  char *name, *path;
  u32 is_noted;
};

/* Null: it is no file (`<string>`), or unknown. */
struct source *path_of(object *filename);

#endif
