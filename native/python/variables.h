/* Variables that are no parameters. */
#ifndef STROBE_PYTHON_VARIABLES_H
#define STROBE_PYTHON_VARIABLES_H

#include "moment.h"

/* A variable that functions share, a global of the module, or a module; null: there is none. */
object *variable_named(const struct frame *frame, const u8 *name, u32 length,
                       const object **holder);
/* The local variable of that number in the names of its code; null: it is not set. */
object *local_at(const struct frame *frame, ssize_t number, const object **holder);
/* The variable of a function itself, or one of a function outside that it uses; the same. */
object *local_named(const struct frame *frame, const u8 *name, u32 length, const object **holder);
/* Either, as the code that runs in the frame means it. */
object *any_named(const struct frame *frame, const u8 *name, u32 length, const object **holder);

/* Sets a variable that the code of the frame has, which may run what frees the value before.
 * Returns whether it has one. */
int local_set(const struct frame *frame, const char *name, object *value);

#endif
