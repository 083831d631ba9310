/* What a process shares with all its forked children: the header of the first one's ring file stays
 * mapped in them, and what they made, took and lost is counted there. */
#ifndef STROBE_FAMILY_H
#define STROBE_FAMILY_H

#include "types.h"

/* Null: nothing is to be recorded any more. */
extern u8 *family_page;
static inline u64 *family_count(u32 offset) { return (u64 *)(family_page + offset); }

/* Takes shared memory for a forked child's rings; answers 0 when all children together have enough.
 */
int family_take(u64 bytes);
/* The same for a larger ring: room for other children's first ones is left. */
int family_grow(u64 bytes);
u64 family_room(void);
void family_give(u64 bytes);
void family_count_lost(void);
/* Whether one more forked child may leave a crash file; the first few may. */
int family_may_crash(void);

#endif
