/* Calls of which only their end says whether they are recorded, see waiting.c. */
#ifndef STROBE_WAITING_H
#define STROBE_WAITING_H

#include "rings.h"

/* Keeps an entry back until its call's end. Returns 0 where it cannot wait. */
int waiting_add(u8 *slot, u32 fn, u64 start, u64 sp, const u64 *words, u32 count);
/* The same, until the call has taken `least` cycles; 0: that is not known before its end. */
int waiting_add_for(u8 *slot, u32 fn, u64 start, u64 sp, const u64 *words, u32 count, u64 least);
/* The end of a call whose entry waited, `is_met`: which passes what is asked of ends. Returns
 * whether it is to be recorded; its entry is now. */
int waiting_end(u8 *slot, u32 fn, u64 sp, int is_met);
/* The same of a call of a runtime, which knows what is asked of its ends: that it takes so many
 * cycles. */
int waiting_end_of(u8 *slot, u32 fn, u64 sp, int is_met, u64 least);
/* Writes all that wait. */
void waiting_write_all(u8 *slot);
/* To be called before another event of the thread is written. */
static inline void waiting_write(u8 *slot) {
  if (*(volatile u32 *)(slot + SLOT_WAITING_BYTES)) waiting_write_all(slot);
}
/* Whether calls wait, and all go on when the stack pointer becomes `sp`. */
int waiting_outlast(u8 *slot, u64 sp);

#endif
