/* What happens in the calls of wanted functions, told to the engine. All of it needs the
 * interpreter lock. */
#ifndef STROBE_PYTHON_CALLS_H
#define STROBE_PYTHON_CALLS_H

#include "functions.h"

/* A call begins. `locals`: its first ones are its parameters; null: they are not known. */
void calls_enter(struct function *function, object *code, u64 activation, object *const *locals);
/* It ends, suspends or goes on: an event of the ring, with a value; null: there is none. */
void calls_event(struct function *function, u32 kind, u64 activation, object *value);
/* An exception leaves it: of this class, made already or not. */
void calls_unwound(struct function *function, u64 activation, object *type, object *value);
/* An exception is raised or caught in it; `line`: 0 if that is not known. */
void calls_exception(struct function *function, u32 kind, u64 activation, object *exception,
                     u32 line);

#endif
