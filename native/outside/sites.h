/* Where a function is patched: at its entry, behind the check of its stack, and at each of its
 * ends. No return address is moved and no frame is added, so that Go's runtime and unwinders find
 * their way. */
#ifndef STROBE_OUTSIDE_SITES_H
#define STROBE_OUTSIDE_SITES_H

#include "../engine/types.h"
#include "reading.h"

#define MOST_SITES 64
#define JUMP_BYTES 5
#define SHORT_JUMP_BYTES 2
#define MOST_PATCHED (2 * JUMP_BYTES)

struct site {
  u64 address;
  u8 is_entry;
  u8 leaves;    /* LEAVES_: whether its last instruction ends the call */
  u8 leaving;   /* bytes of that */
  u8 displaced; /* bytes that run elsewhere, those not among them */
  u8 patched;   /* bytes that are overwritten */
  u8 is_room;   /* it is there for the hole alone */
  /* Where the jump of a site lies that has room for a short one to it; 0: it has room itself. */
  u64 hole;
};

struct sites {
  struct site all[MOST_SITES];
  u32 count;
};

/* Finds the sites of a function, whose code lies at `code`. Returns a VERDICT_ code. */
u32 sites_find(const u8 *code, u64 address, const struct function *function, struct sites *sites);

/* A statement that is recorded before it runs. */
struct statement {
  u64 address;
  u32 pads, rows; /* bits for bytes behind the first: landing pads, rows of the line table */
};

/* Finds the site of a statement in a part of a function, which begins at `address`. */
u32 sites_statement(const u8 *code, u64 address, const struct function *function,
                    const struct statement *statement, struct site *site);

#endif
