/* Making a ring file and taking memory for it. */
#ifndef STROBE_RING_FILE_H
#define STROBE_RING_FILE_H

#include "rings.h"

/* Creates and maps the file that path, slot_count, ring_bytes and most_bytes say; limits of the
 * process on file sizes and memory make it smaller. `parent` 0: not a forked child's. Returns 0 or
 * a negative error. */
long ring_file_make(struct ring_file *file, u32 flags, u32 pid, u32 parent);
/* How large a file of this process may become: what goes beyond is answered by SIGXFSZ, which ends
 * it. */
u64 file_limit(void);
/* The slot's record is the first since its reader went to sleep. */
void ring_file_wake(u8 *slot);
/* Backs a thread's slot and its first ring with memory. Returns whether there was enough. */
int ring_file_allocate(u8 *slot, int is_fresh);
/* Gives a function its row in each slot's table of counted calls. Memory for rows is taken for
 * COUNTED_COUNT at a time; those who need one of them wait for that. Returns whether it has one. */
int ring_file_take_row(u32 fn);
/* Of each slot, in front of its rings: what is backed of it. */
u64 ring_file_head_bytes(void);
/* Backs a part of the file with memory, or gives it back. */
int ring_file_fill(u8 *at, u64 bytes);
void ring_file_empty(u8 *at, u64 bytes);

#endif
