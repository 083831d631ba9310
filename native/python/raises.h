/* Exceptions at which threads are to stand still: where they come to code of the program, or where
 * nothing caught them (src/protocol/pythonTracer.ts). Needs the interpreter lock. */
#ifndef STROBE_PYTHON_RAISES_H
#define STROBE_PYTHON_RAISES_H

#include "moment.h"
#include "reader.h"

enum { MOST_RAISE_KEYS = 512 };

/* How many are wanted. */
extern u32 raises_wanted;

/* Replaces what is wanted. */
void raises_read(struct reader *from);
/* Adds the keys of those that an exception which comes to this frame means, parted by blanks.
 * `traceback`: its own up to here. */
void raises_at(const struct frame *frame, object *type, object *traceback, char *keys);
/* The same of one that nothing caught. */
void raises_uncaught(object *type, char *keys);

#endif
