/* Conditions of calls. */
#ifndef STROBE_CONDITION_H
#define STROBE_CONDITION_H

#include "cpu.h"

/* Whether a call meets a condition of the contract's form; `sp` is that of its return address. */
int condition_met(const u64 *code, u32 words, const struct registers *r, u64 sp);
/* What code of the same form leaves, and from where it was loaded last. Returns whether it is
 * known. */
int condition_value(const u64 *code, u32 words, const struct registers *r, u64 sp, u64 *number,
                    u64 *address);

#endif
