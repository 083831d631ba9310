/* Source files of the daemon's table, by path. */
#ifndef STROBE_PYTHON_FILES_H
#define STROBE_PYTHON_FILES_H

#include "api.h"

struct function;

struct file {
  struct file *next; /* of its bucket */
  const char *path;
  u32 number; /* as it is defined; 0: it is not yet */
  struct function *functions;
};

/* Null: it has none. */
struct file *files_at(const char *path);
/* The same, or a new one; `path` is kept. */
struct file *files_for(char *path);
void files_each(void (*take)(struct file *file));
/* Its number; it is defined if it was not yet. 0: it cannot be. */
u32 files_number(struct file *file);

#endif
