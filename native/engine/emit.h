/* Writing a record into a ring. */
#ifndef STROBE_EMIT_H
#define STROBE_EMIT_H

#include "counted.h"
#include "cpu.h"
#include "ringFile.h"
#include "rings.h"

static inline void put_more(u8 *ring, u32 at, u32 mask, u64 first, u64 second, u64 third) {
  volatile u64 *row = (volatile u64 *)(ring + (at & mask));
  fetch_for_writing((u8 *)row + FETCHED_AHEAD);
  row[0] = first;
  row[1] = second;
  row[2] = third;
  __atomic_store_n((u32 *)row + 7, at | EVENT_MORE, __ATOMIC_RELEASE);
}

static inline __attribute__((always_inline)) void emit(u8 *slot, u32 kind, u32 fn, u64 time, u64 sp,
                                                       const u64 *words, u32 count) {
  u32 more = count <= 1 ? 0 : (count - 1 + 2) / 3, next = 1;
  u64 position = add_locally((u64 *)(slot + SLOT_POSITION), (u64)RECORD_BYTES * (1 + more));
  count_locally((u64 *)(slot + SLOT_EVENTS));
  /* A reader that sees what follows sees the new position, too. */
  __atomic_thread_fence(__ATOMIC_RELEASE);
  u32 at = (u32)position, mask = *(u32 *)(slot + SLOT_RING_MASK);
  u8 *ring = slot + SLOT_BYTES + *(u32 *)(slot + SLOT_RING_BASE);
  volatile u64 *head = (volatile u64 *)(ring + (at & mask));
  fetch_for_writing((u8 *)head + FETCHED_AHEAD);
  head[0] = time;
  head[1] = sp;
  head[2] = count ? words[0] : 0;
  ((volatile u32 *)head)[6] = fn | more << RECORD_FUNCTION_BITS;
  for (; next + 3 <= count; next += 3)
    put_more(ring, at += RECORD_BYTES, mask, words[next], words[next + 1], words[next + 2]);
  if (next < count)
    put_more(ring, at += RECORD_BYTES, mask, words[next], next + 1 < count ? words[next + 1] : 0,
             0);
  __atomic_store_n((u32 *)head + 7, (u32)position | kind, __ATOMIC_RELEASE);
  if (*(volatile u32 *)(slot + SLOT_ASLEEP)) ring_file_wake(slot);
  /* Also behind an entry of the fast path that went a record beyond such a place, or up to it. */
  if (((position - 2 * RECORD_BYTES) ^ (at + RECORD_BYTES)) & HOT_CHECK_BYTES) engine_check_hot();
}

void emit_at(u8 *slot, u32 kind, u32 fn, u64 time, u64 sp, const u64 *words, u32 count);
void emit_now(u8 *slot, u32 kind, u32 fn, u64 sp, const u64 *words, u32 count);

#endif
