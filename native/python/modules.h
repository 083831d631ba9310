/* Modules that were imported. Needs the interpreter lock. */
#ifndef STROBE_PYTHON_MODULES_H
#define STROBE_PYTHON_MODULES_H

#include "api.h"

/* A module by its name, looked for when there are others than at `seen` of the same caller; null:
 * it is not there, or was not looked for. */
object *modules_new(const char *name, ssize_t *seen);

/* How many were imported, about. */
ssize_t modules_count(void);

#endif
