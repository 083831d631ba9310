/* Where the captured values of one event are put together. */
#ifndef STROBE_SCRATCH_H
#define STROBE_SCRATCH_H

#include "rings.h"

#define NEAR_WORDS 32

/* What is captured may be larger than all that a small stack has: more than a few words are put
 * together in the slot, unless what a signal interrupted does so. */
static inline int takes_scratch(u32 words) {
  if (words <= NEAR_WORDS || engine_thread.in_scratch) return 0;
  engine_thread.in_scratch = 1;
  return 1;
}

#endif
