/* Statements: what is recorded in the middle of a function, see the contract (probeEntry). A hit is
 * recorded as a call that is made there and has no end. */
#ifndef STROBE_PROBE_H
#define STROBE_PROBE_H

#include "types.h"

/* From probeEntry.S: the 16 registers in DWARF's order, then room for what is returned to. Returns
 * where the program goes on. */
u64 probe_hit(u64 *registers, u32 fn);
/* No statement is recorded any more. */
void probes_leave(void);

#endif
