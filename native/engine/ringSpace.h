/* The addresses of the ring file: all are reserved, what is used can be reached. */
#ifndef STROBE_RING_SPACE_H
#define STROBE_RING_SPACE_H

#include "rings.h"

/* Maps an open file of `bytes` at its own place: where `engine_file` was left, if that is as large.
 * Its header can be reached. Returns the address or a negative error number. */
long ring_space_map(const struct ring_file *file, long opened, u64 bytes);
/* A thread is about to open parts and to write down that it has: until it says that it is done, who
 * leaves the file waits. Returns 0 where that has begun. */
int ring_space_begin(void);
void ring_space_end(void);
/* Makes a part reachable. Returns whether it is. */
int ring_space_open(u8 *at, u64 bytes);
/* Waits for those that have begun, a second at most: one may be stopped by a debugger. */
void ring_space_settle(void);
/* Private memory takes the place of the file wherever a thread may be writing a record for as long
 * as it likes: in all slots, or in `only` one. The rest stays reserved. `head_bytes`: of each slot,
 * in front of its rings. */
void ring_space_leave(u64 head_bytes, const u8 *only);

#endif
