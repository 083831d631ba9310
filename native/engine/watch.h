/* Sampling what a call's function has watches for. */
#ifndef STROBE_WATCH_H
#define STROBE_WATCH_H

#include "cpu.h"

/* Around a recorded call: behind the record of its entry, before that of its return: `first`
 * and `second` are the integer registers of its result. */
void watch_enter(u8 *slot, struct frame *frame, const struct registers *r, u64 entry_sp, u64 sp);
void watch_return(u8 *slot, const struct frame *frame, u64 first, u64 second,
                  const struct registers *returned);

#endif
