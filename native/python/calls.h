/* What happens in the calls of wanted functions, told to the engine. All of it needs the
 * interpreter lock. A call is known by the address of its frame. */
#ifndef STROBE_PYTHON_CALLS_H
#define STROBE_PYTHON_CALLS_H

#include "codes.h"
#include "moment.h"

/* A call begins. The first locals of its frame are its parameters. */
void calls_enter(const struct code *code, const struct frame *frame);
/* It ends, suspends or goes on: an event of the ring, with a value; null: there is none. */
void calls_event(struct function *function, u32 kind, const struct frame *frame, object *value);
/* An exception leaves it: of this class, made already or not. */
void calls_unwound(struct function *function, const struct frame *frame, object *type,
                   object *value);
/* An exception is raised or caught in it; `line`: 0 if that is not known. */
void calls_exception(struct function *function, u32 kind, const struct frame *frame,
                     object *exception, u32 line);

#endif
