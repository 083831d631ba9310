/* Descriptors and threads of the instrumentation, kept from the program. */
#ifndef STROBE_GUARD_H
#define STROBE_GUARD_H

#include "types.h"

/* Whether the descriptor was the instrumentation's when the process began; a forked child may have
 * closed it. */
int guard_owns(u32 file);

#endif
