/* What the processes of a session share with their forked children: the family file stays mapped in
 * those, and what they made, took and lost is counted there. */
#ifndef STROBE_FAMILY_H
#define STROBE_FAMILY_H

#include "types.h"

/* Maps the file beside a ring file, or makes it. Returns 0 or a negative error number. */
long family_open(const char *ring_path);
/* Nothing is to be recorded any more. */
void family_close(void);
int family_is_open(void);
/* A forked child has a ring file, or could have none. */
void family_count_ring(void);
void family_count_without(void);

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
