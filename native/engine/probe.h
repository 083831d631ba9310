/* Statements: what is recorded in the middle of a function, see the contract (probeEntry). A hit is
 * recorded as a call that is made there and has no end. */
#ifndef STROBE_PROBE_H
#define STROBE_PROBE_H

#include "cpu.h"
#include "types.h"

/* From probeEntry.S: the 16 registers in DWARF's order, then room for what is returned to. Returns
 * where the program goes on. */
u64 probe_hit(u64 *registers, u32 fn);
/* An invariant is asked where a call returns; `sp`: where a call that it made would have its return
 * address. */
void probe_check(u8 *slot, u32 fn, const struct registers *r, u64 entry_sp, u64 sp);
/* No statement is recorded any more. */
void probes_leave(void);

#endif
