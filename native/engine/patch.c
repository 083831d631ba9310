/* Writing code of a running process, see patch.h. The mappings that hold a change are made
 * writable as a whole (pieces would split them), and get their protection back. No membarrier: a
 * stopped thread comes back by iret, one that waited was switched; registering for it costs 15 ms. */
#include "patch.h"
#include "sites.h"
#include "stop.h"

enum { WRITABLE = 1, REFUSED = 2 };

/* Writes bytes that lie in one aligned 16 by one store. */
static void write_at_once(u8 *at, const u8 *bytes, u32 count) {
  u64 offset = (u64)at & 15;
  u64 *pair = (u64 *)((u64)at & ~15ul);
  union {
    u64 halves[2];
    u8 bytes[16];
  } wanted;
  u64 low = pair[0], high = pair[1];
  u8 done = 0;
  while (!done) {
    wanted.halves[0] = low;
    wanted.halves[1] = high;
    for (u32 i = 0; i < count; i++) wanted.bytes[offset + i] = bytes[i];
    __asm__ volatile("lock cmpxchg16b %1\n setz %0"
                     : "=q"(done), "+m"(*(unsigned __int128 *)pair), "+a"(low), "+d"(high)
                     : "b"(wanted.halves[0]), "c"(wanted.halves[1])
                     : "memory", "cc");
  }
}

/* A thread that was waiting in a system call may come back at any time, and meets whole instructions:
 * the old or the new one, or, where one store cannot do it, a jump to itself meanwhile. Where not
 * even that fits one store (one place in 16), it must not come just then. */
static void write_code(u8 *at, const u8 *bytes) {
  const u8 wait[2] = {0xeb, 0xfe};
  u64 offset = (u64)at & 15;
  if (offset <= 16 - JUMP_BYTES) {
    write_at_once(at, bytes, JUMP_BYTES);
    return;
  }
  if (offset < 15) write_at_once(at, wait, sizeof wait);
  for (u32 i = offset < 15 ? sizeof wait : 0; i < JUMP_BYTES; i++) ((volatile u8 *)at)[i] = bytes[i];
  if (offset < 15) write_at_once(at, bytes, sizeof wait);
}

struct batch {
  struct change *changes;
  u32 count;
};

static void write_batch(void *argument) {
  struct batch *batch = argument;
  for (u32 i = 0; i < batch->count; i++)
    if (!batch->changes[i].is_refused) write_code((u8 *)batch->changes[i].address, batch->changes[i].bytes);
}

static long protect(const struct mapping *row, u32 protection) {
  return raw3(__NR_mprotect, row->start, row->end - row->start, protection);
}

/* Five bytes can lie in two mappings. */
static struct mapping *touched(const struct map_table *maps, const struct change *change, int last) {
  return maps_find(maps, change->address + (last ? JUMP_BYTES - 1 : 0));
}

u32 patch_apply(const struct map_table *maps, struct change *changes, u32 count) {
  if (count == 0) return 0;
  u8 *state = map_memory(maps->count);
  if (!state) {
    for (u32 i = 0; i < count; i++) changes[i].is_refused = 1;
    return 0;
  }
  for (u32 i = 0; i < count; i++) {
    for (int last = 0; last < 2; last++) {
      struct mapping *row = touched(maps, &changes[i], last);
      u8 *known = row ? &state[row - maps->rows] : 0;
      if (known && !*known) *known = protect(row, row->protection | PROT_WRITE) == 0 ? WRITABLE : REFUSED;
      if (!known || *known == REFUSED) changes[i].is_refused = 1;
    }
  }
  struct batch batch = {changes, count};
  struct stop_work work = {write_batch, &batch, sites_move};
  u32 stopped = stop_threads(&work);
  for (u32 i = 0; i < maps->count; i++)
    if (state[i] == WRITABLE) protect(&maps->rows[i], maps->rows[i].protection);
  unmap_memory(state, maps->count);
  return stopped;
}
