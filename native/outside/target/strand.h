/* What takes turns on threads, a goroutine or a thread itself: its calls that may still be left
 * out, and how deep it is in calls whose depth is limited. Places are as records have them: those
 * of calls further in are smaller. A strand is known only while it has such calls. */
#ifndef STROBE_OUTSIDE_STRAND_H
#define STROBE_OUTSIDE_STRAND_H

#include "area.h"

#define LATE_BYTES 4096
#define LATE_WORDS ((LATE_BYTES - 104) / 8)

/* An entry that is not in a ring yet: the end of the call says whether it ever is. */
struct waiting {
  u64 place, start;
  u32 fn, count;
  u32 outer; /* the number of the one around it; 0: there is none */
  u32 unused;
  u64 arguments[AREA_INTEGERS];
  u64 words[LATE_WORDS];
};
_Static_assert(sizeof(struct waiting) == LATE_BYTES, "it fills its bytes");

struct strand;

/* Whether any strand has ever had such calls: in most programs none has. */
extern u32 strand_has_any __attribute__((visibility("hidden")));

/* Null: it has no such calls. */
struct strand *strand_of(u64 key);
/* Whether so many calls of limited depth are open, of which this one becomes the innermost if not.
 */
int strand_is_too_deep(u64 key, u64 place, u32 limit);
/* The innermost call whose entry waits, or null. */
struct waiting *strand_waiting(const struct strand *strand);
/* Null: there is no room, the entry cannot wait. */
struct waiting *strand_add(u64 key);
/* Gives the innermost one back. */
void strand_drop(struct strand *strand);
/* Calls that are further in than a place, or at it, have ended. */
void strand_forget(struct strand *strand, u64 place);
/* It is used no more until it is asked for again: another may be there if it has no such calls. */
void strand_leave(struct strand *strand);
/* From the outermost to the innermost; they are given back by that. */
void strand_each(struct strand *strand, void (*take)(void *context, const struct waiting *one),
                 void *context);

#endif
