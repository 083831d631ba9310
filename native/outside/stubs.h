/* The stub of a site: what records, and the instructions that the jump to it displaces. */
#ifndef STROBE_OUTSIDE_STUBS_H
#define STROBE_OUTSIDE_STUBS_H

#include "../engine/probeRow.h"
#include "sites.h"

#define MOST_MOVES 24

/* A statement that is recorded among the instructions that a site displaces. */
struct guest {
  u64 address;
  u32 number; /* of its switch */
  u8 row[ARM_BYTES];
};

/* A stub for a site: where it begins, and where instructions of the site's that are behind its
 * first continue. */
struct stub {
  u64 address;
  u32 moves;
  u64 from[MOST_MOVES], to[MOST_MOVES];
};

/* Of the entry of a function that may set filters of system calls; `number`: of the switch. */
struct setter {
  enum sets_filters how;
  u32 number;
};

/* What a stub calls. */
struct recorder {
  u32 number; /* of a switch */
  u8 flags;   /* ARM_, of what a goroutine waits or leaves calls by */
  u64 row;    /* 0: nothing at its entry and its end */
  struct setter setter;
  const struct guest *guests; /* in the order of their addresses */
  u32 guest_count;
};

/* Makes the stub of a site. Returns a VERDICT_ code. */
u32 stub_make(const u8 *code, const struct site *site, const struct recorder *by,
              struct stub *stub);

#endif
