/* Records in the ring of a thread. */
#ifndef STROBE_OUTSIDE_WRITE_H
#define STROBE_OUTSIDE_WRITE_H

#include "../../engine/raw.h"
#include "area.h"

/* More than an event takes, with what is written before it. */
#define WRITE_MOST_BYTES 65536
/* A thread takes memory of its rings by parts, as it first comes to them. */
#define PART_BYTES (1ul << 20)
/* Memory that the reader had last is fetched that many bytes before it is written. */
#define WRITE_FETCHED_AHEAD 1024

u8 *write_slot_with_room(struct area *area);

/* Which part of its slot's rings holds a position. */
static inline u32 write_part(const u8 *slot, u64 position) {
  u32 offset = (u32)position & *(const u32 *)(slot + SLOT_RING_MASK);
  return (*(const u32 *)(slot + SLOT_RING_BASE) + offset) / PART_BYTES;
}

/* The thread's slot, taken at its first record; null: there is no room, which is counted. */
static inline u8 *write_slot(struct area *area) {
  u8 *slot = area->slot;
  if (__builtin_expect(!slot, 0)) return write_slot_with_room(area);
  u64 next = *(u64 *)(slot + SLOT_POSITION) + WRITE_MOST_BYTES;
  return __builtin_expect(next <= area->checked, 1) ? slot : write_slot_with_room(area);
}

/* A record as `write_record` makes it; `time` 0: now. */
static inline void write_words(u8 *slot, u32 kind, u32 fn, u64 time, u64 sp, const u64 *words,
                               u32 count) {
  u32 more = count <= 1 ? 0 : (count + 1) / 3, next = 1;
  u64 position = add_locally((u64 *)(slot + SLOT_POSITION), (u64)RECORD_BYTES * (1 + more));
  count_locally((u64 *)(slot + SLOT_EVENTS));
  __atomic_thread_fence(__ATOMIC_RELEASE);
  u32 at = (u32)position, mask = *(const u32 *)(slot + SLOT_RING_MASK);
  u8 *ring = slot + SLOT_BYTES + *(const u32 *)(slot + SLOT_RING_BASE);
  volatile u64 *head = (volatile u64 *)(ring + (at & mask));
  fetch_for_writing((u8 *)head + WRITE_FETCHED_AHEAD);
  head[0] = time ? time : timestamp();
  head[1] = sp;
  head[2] = count ? words[0] : 0;
  ((volatile u32 *)head)[6] = fn | more << RECORD_FUNCTION_BITS;
  for (; next < count; next += 3) {
    volatile u64 *row = (volatile u64 *)(ring + ((at += RECORD_BYTES) & mask));
    fetch_for_writing((u8 *)row + WRITE_FETCHED_AHEAD);
    row[0] = words[next];
    row[1] = next + 1 < count ? words[next + 1] : 0;
    row[2] = next + 2 < count ? words[next + 2] : 0;
    __atomic_store_n((u32 *)row + 7, at | EVENT_MORE, __ATOMIC_RELEASE);
  }
  __atomic_store_n((u32 *)head + 7, (u32)position | kind, __ATOMIC_RELEASE);
}

/* The time is taken behind the reservation: who has seen a position has seen all that came before
 * it in other rings, too. */
void write_record(u8 *slot, u32 kind, u32 fn, u64 sp, const u64 *words, u32 count)
    __attribute__((visibility("hidden"))); /* its address is taken: there is no table of such */
/* Of an earlier time, at which nothing is recorded of its strand that was read already. */
void write_record_of(u8 *slot, u32 kind, u32 fn, u64 time, u64 sp, const u64 *words, u32 count);

#endif
