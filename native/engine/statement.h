/* Patching in the middle of a function. */
#ifndef STROBE_STATEMENT_H
#define STROBE_STATEMENT_H

#include "cpu.h"
#include "functionCode.h"

struct statement {
  struct function_code
      code;          /* as of an entry, from the statement on; `size`: to the function's end */
  u64 start;         /* of the function */
  u32 pads, rows;    /* bits for bytes behind the first: landing pads, rows of the line table */
  const u64 *ranges; /* other parts of the function: an address and its bytes each */
  u32 range_count;
};

/* Whether the bytes of a jump can be written there: nothing may lead to those behind the first.
 * Where a jump's target is computed, every row of the line table may be one. Returns a VERDICT_
 * code. */
u32 statement_check(const struct statement *statement);
/* The length of the instruction that begins there. Returns a VERDICT_ code. */
u32 statement_first(const struct statement *statement, u32 *length);
/* Whether an instruction begins there. Returns a VERDICT_ code. */
u32 statement_begins(const struct statement *statement);

#endif
