/* Watches: what variables hold while traced calls begin and end, see the contract. A function with
 * watches takes the C path at its entry and its return; nothing changes for the others. */
#ifndef STROBE_WATCHES_H
#define STROBE_WATCHES_H

#include "watchRows.h"

/* A table once handed in stays for ever: a thread may be reading it. */
struct watch_table {
  const struct watch *watches;
  u32 count;
};

struct watch_use {
  const struct watch_table *table;
  const struct watch_set *set;
};

extern struct watch_use *watch_uses[RECORD_MAX_FUNCTIONS];

/* The watches of a function, or null. */
static inline const struct watch_use *watch_use_of(u32 fn) {
  return __atomic_load_n(&watch_uses[fn], __ATOMIC_ACQUIRE);
}

/* What a function's watches add to its plan word. */
u32 watch_plan(u32 fn);
/* Nothing is watched any more. */
void watch_leave(void);

#endif
