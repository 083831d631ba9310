/* What is recorded at a statement: a row of the contract (probeEntry), as it is kept. */
#ifndef STROBE_PROBE_ROW_H
#define STROBE_PROBE_ROW_H

#include "quick.h"
#include "watchRows.h"

#define THREAD_NAME 16

struct probe_row {
  u32 fn, words, values, has_vectors;
  u64 after, every, most, check, thread;
  u8 thread_name[THREAD_NAME];
  u64 code[PROBE_MAX_WORDS];
  struct watch value[PROBE_MAX_VALUES];
  u64 gathered[PROBE_MAX_GATHERED];
};
_Static_assert(sizeof(struct probe_row) == PROBE_BYTES, "the row is the contract's");
_Static_assert(__builtin_offsetof(struct probe_row, value) == PROBE_VALUE_ROWS,
               "the row is the contract's");

struct probe {
  struct probe_row row;
  u32 room; /* words that its values take at most; one more says that the condition is not known */
  u64 met;  /* hits that met the condition, where that matters */
  struct quick condition, value[PROBE_MAX_VALUES];
  u8 is_plain[PROBE_MAX_VALUES]; /* of a value: its one operand is its word */
};

/* Where code is asked; `is_undecided`: its condition was not known there. */
struct probe_place {
  const struct registers *r;
  u64 sp;
  int is_undecided;
};

/* What an invariant was when it was asked last. */
enum { INVARIANT_NEVER_ASKED, INVARIANT_HOLDS, INVARIANT_BROKEN, INVARIANT_NOT_KNOWN };

/* Fills a probe from a row of the contract. Returns whether that is sound. */
int probe_fill(struct probe *probe, const u8 *row);

#endif
