/* Records in the ring of a thread. */
#ifndef STROBE_OUTSIDE_WRITE_H
#define STROBE_OUTSIDE_WRITE_H

#include "area.h"

/* The thread's slot, taken at its first record; null: there is no
 * room, which is counted. */
u8 *write_slot(struct area *area);
/* The time is taken behind the reservation: who has seen a position has seen all that came before
 * it in other rings, too. */
void write_record(u8 *slot, u32 kind, u32 fn, u64 sp, const u64 *words, u32 count)
    __attribute__((visibility("hidden"))); /* its address is taken: there is no table of such */
/* Of an earlier time, at which nothing is recorded of its strand that was read already. */
void write_record_of(u8 *slot, u32 kind, u32 fn, u64 time, u64 sp, const u64 *words, u32 count);

#endif
