/* Rows of the contract (watchEntry), and sets of them. */
#ifndef STROBE_WATCH_ROWS_H
#define STROBE_WATCH_ROWS_H

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

/* Whether rows that were handed in stay within their bounds. */
int watches_are_sound(const struct watch *watches, u32 count, const struct watch_set *sets,
                      u32 set_count);

#endif
