/* What most conditions and values at statements are: a register, what lies at a distance from one
 * in the frame, a constant, or two of these compared. They need no machine (condition.h). */
#ifndef STROBE_QUICK_H
#define STROBE_QUICK_H

#include "types.h"

struct operand {
  u8 kind, index, bytes, is_signed;
  int offset;
  u64 constant;
};

struct quick {
  struct operand of[2];
  u8 operands; /* 0: it is none of these */
  u8 comparison, is_not;
};

/* From code of the form of conditions. */
struct quick quick_of(const u64 *code, u32 words);
/* What the machine would leave; `registers`: the stack words of the code. Returns 0 where that is
 * not known. */
int quick_value(const struct quick *quick, const u64 *registers, u64 *number);

#endif
