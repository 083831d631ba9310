/* Conditions of calls. */
#ifndef STROBE_CONDITION_H
#define STROBE_CONDITION_H

#include "cpu.h"
#include "record.h"

#define CONDITION_COPY_WORDS (CONDITION_COPIES_COUNT * CONDITION_COPIES_BYTES / 8)

/* Whether a call meets a condition of the contract's form; `sp` is that of its return address. */
int condition_met(const u64 *code, u32 words, const struct registers *r, u64 sp);
/* What code of the same form leaves, and from where it was loaded last. Returns whether it is
 * known. In `copies`, CONDITION_COPY_WORDS words, lie values that were passed in registers: what is
 * left may be the address of one. */
int condition_value(const u64 *code, u32 words, const struct registers *r, u64 sp, u64 *copies,
                    u64 *number, u64 *address);

#endif
