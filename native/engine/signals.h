/* Signals of this thread, so that no handler comes in the middle of a change. */
#ifndef STROBE_SIGNALS_H
#define STROBE_SIGNALS_H

#include "raw.h"

#define SET_SIGNALS 2

/* Blocks all; `before` is what was blocked. Returns 0 or a negative error number. */
static inline long signals_block(u64 *before) {
  u64 all = ~0ul;
  *before = 0;
  return raw4(__NR_rt_sigprocmask, SET_SIGNALS, &all, before, 8);
}

/* This is blocked from now on. */
static inline void signals_set(const u64 *mask) {
  raw4(__NR_rt_sigprocmask, SET_SIGNALS, mask, 0, 8);
}

#endif
