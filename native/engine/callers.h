/* Which functions look at who called them (dlsym, dlopen, mcount). A function that ends by calling
 * one of these, or that calls one which looks further, must not be hooked: the caller would be the
 * engine. */
#ifndef STROBE_CALLERS_H
#define STROBE_CALLERS_H

#include "functionCode.h"

/* What the function looks at that a word of the linker's leads to. */
enum looks callers_looks_of(u64 word);

#endif
