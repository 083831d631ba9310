/* A site that is patched: the jump that replaces its first bytes, and the stub it leads to. */
#ifndef STROBE_OUTSIDE_JUMPS_H
#define STROBE_OUTSIDE_JUMPS_H

#include "stubs.h"

#define MOST_GUESTS 8
#define LONGEST_INSTRUCTION 15

struct jump {
  struct site site;
  u8 before[MOST_PATCHED], code[MOST_PATCHED];
  struct stub stub;
  struct recorder by;
  struct guest guests[MOST_GUESTS];
  u8 is_written;
};

/* Makes the stub of a site, whose instructions lie at `code`. It stays where it is from then on.
 * Returns a VERDICT_ code. */
u32 jump_make(struct jump *jump, const struct site *site, const u8 *code,
              const struct recorder *by);
/* It records statements alone. */
static inline int jump_is_of_statements(const struct jump *jump) { return !jump->by.row; }
/* One that covers any of these bytes: one that is written, else one that records statements; or
 * null. */
struct jump *jumps_over(u64 from, u64 to);
/* Whether no other one that is written covers what it displaces. */
int jump_is_alone(const struct jump *jump);
/* One of statements alone, which others record now. */
void jump_forget(struct jump *jump);
/* In `code`, a copy of what is at `address`: what jumps replaced. */
void jumps_undo(u64 address, u8 *code, u64 bytes);
/* Behind what it displaces. */
u64 jump_end(const struct jump *jump);
/* Whether it can record so many statements more. */
int jump_has_room(const struct jump *jump, u32 guests);
/* Has it record a statement as well that is among its instructions. `code`: these. */
u32 jump_admit(struct jump *jump, const struct guest *guest, const u8 *code);
/* With all threads stopped: whether nothing stands within its bytes; threads that do go on in the
 * stub. */
int jump_is_free(const struct jump *jump);
/* Added to what patches_write writes. */
void jump_write(struct jump *jump);
void jump_restore(struct jump *jump);
/* At once. */
void jump_take_back(struct jump *jump);

#endif
