/* What C code needs of exceptionHooks.S: where its code lies. */
#ifndef STROBE_EXCEPTION_HOOKS_H
#define STROBE_EXCEPTION_HOOKS_H

#include "types.h"

extern u8 exception_hooks[] __attribute__((visibility("hidden")));

#endif
