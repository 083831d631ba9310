/* What is known of a call where it returns: some of its arguments, and its result. */
#ifndef STROBE_RETURNING_H
#define STROBE_RETURNING_H

#include "cpu.h"
#include "record.h"

/* The number of entry registers that are kept. */
#define REGISTERS_KEPT 3

static inline void keep_arguments(struct frame *frame, const struct registers *r) {
  for (u32 i = 0; i < REGISTERS_KEPT; i++) frame->saved[i] = r->integer[i];
}

/* The registers that expressions name there, see condition.passed: what was kept, and those of the
 * result, `first` and `second` among them. */
static inline void return_registers(struct registers *to, const struct frame *frame, u64 first,
                                    u64 second, const struct registers *returned) {
  clear_bytes(to, sizeof *to);
  for (u32 i = 0; i < REGISTERS_KEPT; i++) to->integer[i] = frame->saved[i];
  to->integer[CONDITION_COPIES_RESULT] = first;
  to->integer[CONDITION_COPIES_SECOND] = second;
  for (u32 i = 0; i < RETURNED_VECTORS; i++) to->vector[i] = returned->vector[i];
}

#endif
