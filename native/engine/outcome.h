/* What a function of the C library says of its success: a number of bytes, or -1 and errno. */
#ifndef STROBE_OUTCOME_H
#define STROBE_OUTCOME_H

#include "cpu.h"

/* At the entry of a function that fills a buffer: keeps where it lies until the return. */
void outcome_keep(struct frame *frame, u64 op, const struct registers *r);
/* The result's four bytes, above them errno where it is -1. */
u64 outcome_word(u64 result);
/* What was put into the buffer; of a failure its outcome. Returns the number of words. */
u32 outcome_filled(u64 *words, u32 room, u64 op, const struct frame *frame, u64 result, u32 limit);

#endif
