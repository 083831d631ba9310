/* Exceptions at which threads are to stand still: where they come to code of the program, or where
 * nothing caught them (src/protocol/pythonTracer.ts). Needs the interpreter lock. */
#ifndef STROBE_PYTHON_RAISES_H
#define STROBE_PYTHON_RAISES_H

#include "api.h"
#include "reader.h"

enum { MOST_RAISE_KEYS = 512 };

/* How many are wanted. */
extern u32 raises_wanted;

/* Replaces what is wanted. */
void raises_read(struct reader *from);
/* Adds the keys of those that an exception of a type means, parted by blanks: `is_uncaught`, those
 * that wait for one that nothing caught, else those that wait for one which comes to the program's
 * code. */
void raises_add(object *type, u32 is_uncaught, char *keys);

#endif
