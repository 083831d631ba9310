/* Exceptions and panics: the unwinder's function that raises them, and those of the run-time
 * libraries that begin a handler, lead through us and then on as if nothing had been. What was
 * thrown and the stack are written into the exception file (src/protocol/exceptionFile.ts). */
#ifndef STROBE_EXCEPTIONS_H
#define STROBE_EXCEPTIONS_H

#include "tap.h"

#define FIRST_EXCEPTION_HOOK (FIRST_TAP - EXCEPTION_MAX_HOOKS)

/* Where the entry of a hooked function leads; `fn` is one of the EXCEPTION_MAX_HOOKS from
 * FIRST_EXCEPTION_HOOK on. */
u64 exception_entry(u32 fn);
/* Sets what its call means: EXCEPTION_KIND_RAISED, _CAUGHT, _BEGAN or _JUMPED. */
void exception_set_kind(u32 fn, u32 kind);
/* Nothing is recorded any more; the file is given up. */
void exceptions_close(void);

#endif
