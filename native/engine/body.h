/* What the code of a function says against a hook at its entry. */
#ifndef STROBE_BODY_H
#define STROBE_BODY_H

#include "functionCode.h"

/* `replaced`: bytes of the entry that are moved or overwritten. Returns a VERDICT_ code. Refused is
 * what branches into them, what cannot be read to its end, and what uses its return address, which
 * under a hook is the engine's. */
u32 body_check(const struct function_code *function, u32 replaced);

#endif
