/* Watches: what variables hold while traced calls begin and end, see the contract. A function with
 * watches takes the C path at its entry and its return; nothing changes for the others. */
#ifndef STROBE_WATCHES_H
#define STROBE_WATCHES_H

#include "types.h"

/* The most that one sample takes. */
#define WATCH_TEXT_WORDS 64
#define WATCH_TREE_WORDS 384

struct watch {
  u16 number;
  u8 at, form;
  u32 words, where, limit;
  u64 code[WATCH_MAX_WORDS];
};
_Static_assert(sizeof(struct watch) == WATCH_BYTES, "the row is the contract's");
_Static_assert(__builtin_offsetof(struct watch, code) == WATCH_CODE, "the row is the contract's");

struct watch_set {
  u32 count;
  u16 index[WATCH_MOST];
  u32 at; /* what its watches ask for */
};
_Static_assert(sizeof(struct watch_set) == WATCH_SET_BYTES, "the row is the contract's");

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
