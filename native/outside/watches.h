/* Watches of traced calls, and invariants that are asked where they end. */
#ifndef STROBE_OUTSIDE_WATCHES_H
#define STROBE_OUTSIDE_WATCHES_H

#include "block.h"

/* A table of the contract (watchEntry) in its three parts: watches, sets of them, and pairs of a
 * function and its set. */
struct watch_rows {
  struct watch *watches;
  struct watch_set *sets;
  const u32 *functions;
  u32 count, set_count, function_count;
};

/* With all threads stopped: replaces all watches. The probes that checks mean are set before.
 * Returns 0 or an error number. */
int watches_set(struct watch_rows *rows);

#endif
