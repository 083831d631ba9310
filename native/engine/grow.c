/* Rings that grow. A thread begins in a small ring. When more than three quarters of the one it has
 * are not stored yet (of a small one a quarter) it continues in a larger one of its slot; what it
 * leaves behind stays as it is until it was stored. A fresh page costs as much as several calls, so
 * that it neither grows early nor goes back while a burst comes now and then. So the target holds
 * what its reader is too slow for, however long that one waits for a processor.
 *
 *   level 0       the first ring: [0, F) behind the slot's header and rows, backed with memory all
 *                 the time
 *   level n       S = F * 4^n bytes, at most `most_bytes`, at [S - F, 2S - F) there: backed as its
 *                 thread comes near, and given back when all that is in it was stored
 *   no memory     the thread goes round in what lies backed before it, and later again in its first
 *                 ring
 *
 * Only the thread that writes a slot is here, or who claims it: also in the handler of a signal
 * that came between taking a position and writing there. Then it stays where it is for now. */
#include "grow.h"
#include "clock.h"
#include "cpu.h"
#include "family.h"
#include "raw.h"
#include "ringFile.h"
#include "ringSpace.h"
#include "rings.h"
#include "signals.h"

#define GROWTH 4
#define PART_BYTES (1u << 20)
#define WHOLE_BYTES (4u << 20) /* a ring of up to so many is backed at once */
#define LEAST_BYTES 16384u
#define LOOKED_AT 65536
#define PARTS_AT_ONCE 4
#define FREE_SHARE 4 /* of the file system, that rings leave to others */

struct place {
  u64 start;        /* position | log2 of the bytes */
  u32 base, unused; /* behind the slot's header */
};
_Static_assert(sizeof(struct place) == PLACE_BYTES, "the row is the contract's");

struct filled {
  u32 from, bytes; /* `bytes` from offset `from` on, around the end */
};

static u64 failed_at; /* coarse clock: there was no memory */

static struct place *places(u8 *slot) { return (struct place *)(slot + SLOT_PLACES); }

static struct filled *filled(u8 *slot, u32 level) {
  return (struct filled *)(slot + SLOT_FILLED) + level;
}

static u64 start_of(const struct place *place) { return place->start & ~(u64)PLACE_LOG2_MASK; }

static u32 bytes_at(u32 level) {
  u64 bytes = engine_file.ring_bytes;
  while (level-- && bytes < engine_file.most_bytes) bytes *= GROWTH;
  return bytes < engine_file.most_bytes ? (u32)bytes : engine_file.most_bytes;
}

static u32 base_at(u32 level) {
  return rows_beyond(&engine_file) + bytes_at(level) - engine_file.ring_bytes;
}

static u32 part_of(u32 bytes) { return bytes <= WHOLE_BYTES ? bytes : PART_BYTES; }

static u32 level_of(const struct place *place) {
  u32 level = 0;
  while (level + 1 < SLOT_FILLED_COUNT && bytes_at(level) < engine_file.most_bytes &&
         base_at(level + 1) <= place->base)
    level++;
  return level;
}

static struct place *latest(u8 *slot) {
  struct place *found = places(slot);
  for (u32 i = 1; i < SLOT_PLACE_COUNT; i++)
    if (places(slot)[i].start > found->start) found = &places(slot)[i];
  return found;
}

/* All that was written there is stored. */
static int is_over(u8 *slot, const struct place *place, u64 consumed) {
  if (!place->start) return 1;
  for (u32 i = 0; i < SLOT_PLACE_COUNT; i++) {
    const struct place *later = &places(slot)[i];
    if (start_of(later) > start_of(place) && start_of(later) <= consumed) return 1;
  }
  return 0;
}

static int is_needed(u8 *slot, u32 level, u64 consumed) {
  for (u32 i = 0; i < SLOT_PLACE_COUNT; i++) {
    const struct place *place = &places(slot)[i];
    if (!is_over(slot, place, consumed) && level_of(place) == level) return 1;
  }
  return 0;
}

static int is_room_left(u64 bytes) {
  u64 words[15]; /* struct statfs: type, block size, blocks, free, free for us */
  if (raw2(__NR_statfs, engine_file.path, words) != 0) return 0;
  return !words[2] || words[4] * words[1] >= bytes + words[2] * words[1] / FREE_SHARE;
}

static void give(u64 bytes) {
  if (engine_file.is_forked) family_give(bytes);
  else __atomic_fetch_sub(&engine_file.grown, bytes, __ATOMIC_RELAXED);
}

static int take(u64 bytes) {
  if (engine_file.is_forked ? !family_grow(bytes)
                            : __atomic_add_fetch(&engine_file.grown, bytes, __ATOMIC_RELAXED) >
                                  engine_file.grow_bytes) {
    if (!engine_file.is_forked) give(bytes);
    return 0;
  }
  if (is_room_left(bytes)) return 1;
  give(bytes);
  return 0;
}

/* Gives back what larger rings took that are not needed any more, a few parts at a time. */
static void empty(u8 *slot, u64 consumed) {
  u32 parts = 0;
  for (u32 level = 1; level < SLOT_FILLED_COUNT && parts < PARTS_AT_ONCE; level++) {
    struct filled *has = filled(slot, level);
    if (!has->bytes || is_needed(slot, level, consumed)) continue;
    u32 bytes = bytes_at(level), part = part_of(bytes);
    for (; has->bytes && parts < PARTS_AT_ONCE; parts++) {
      has->bytes -= part;
      ring_file_empty(slot + SLOT_BYTES + base_at(level) + ((has->from + has->bytes) & (bytes - 1)),
                      part);
      give(part);
    }
  }
}

/* Backs the ring of a level, written from `start` on, a little beyond `position`. */
static int fill(u8 *slot, u32 level, u64 start, u64 position) {
  struct filled *has = filled(slot, level);
  u32 bytes = bytes_at(level), part = part_of(bytes);
  /* One part before its start, for a record that is being written. */
  u64 from = (start & ~(u64)(part - 1)) - part, wanted = position + PART_BYTES - from;
  if (!has->bytes) has->from = (u32)from & (bytes - 1);
  while (has->bytes < bytes && has->bytes < wanted) {
    u8 *at = slot + SLOT_BYTES + base_at(level) + ((has->from + has->bytes) & (bytes - 1));
    if (!take(part)) return 0;
    if (!ring_file_fill(at, part)) {
      ring_file_empty(at, part);
      give(part);
      return 0;
    }
    has->bytes += part;
  }
  return 1;
}

/* Whether one of the latest records is not complete. */
static int is_amid_record(u8 *slot, u64 start, u64 position) {
  u64 at = position - start > LOOKED_AT ? position - LOOKED_AT : start;
  for (; at < position; at += RECORD_BYTES) {
    u32 mark = ((const u32 *)ring_place(slot, at))[7];
    if ((mark & ~(u32)RECORD_KIND_MASK) != (u32)at || !(mark & RECORD_KIND_MASK)) return 1;
  }
  return 0;
}

/* From the next record on the thread writes there; signals are blocked. Not so where it cannot yet.
 */
static void go_on_at(u8 *slot, u32 base, u32 bytes) {
  u64 position = *(u64 *)(slot + SLOT_POSITION), consumed = *(volatile u64 *)(slot + SLOT_CONSUMED);
  struct place *place = 0, *now = latest(slot);
  if (now->start && is_amid_record(slot, start_of(now), position)) return;
  if (now->start && start_of(now) == position) place = now;
  for (u32 i = 0; i < SLOT_PLACE_COUNT && !place; i++)
    if (is_over(slot, &places(slot)[i], consumed)) place = &places(slot)[i];
  if (!place) return;
  __atomic_store_n(&place->base, base, __ATOMIC_RELEASE);
  __atomic_store_n(&place->start, position | (u32)__builtin_ctz(bytes), __ATOMIC_RELEASE);
  *(u32 *)(slot + SLOT_RING_BASE) = base;
  *(u32 *)(slot + SLOT_RING_MASK) = bytes - 1;
  *(u64 *)(slot + SLOT_GROWN_AT) = clock_coarse();
}

/* Back to the first ring. What it held was stored, and might look new: marks say the low half of a
 * position. */
static void go_back(u8 *slot) {
  clear_bytes(slot + SLOT_BYTES + base_at(0), engine_file.ring_bytes);
  go_on_at(slot, base_at(0), bytes_at(0));
}

static void grow(u8 *slot, u32 level, u64 consumed) {
  u64 position = *(u64 *)(slot + SLOT_POSITION);
  if (clock_coarse() - RELAXED(failed_at) < SECOND) return;
  if (filled(slot, level)->bytes || is_needed(slot, level, consumed)) return;
  /* What was backed in vain is given back at the next check. */
  if (!fill(slot, level, position, position)) SET_RELAXED(failed_at, clock_coarse());
  else go_on_at(slot, base_at(level), bytes_at(level));
}

/* There is no memory for what comes next: it goes round in what is backed before it. */
static void make_do(u8 *slot, u32 level, u64 position) {
  const struct filled *has = filled(slot, level);
  u32 bytes = bytes_at(level), offset = (u32)position & (bytes - 1),
      passed = (offset - has->from) & (bytes - 1);
  SET_RELAXED(failed_at, clock_coarse());
  if (passed >= has->bytes) return;
  u32 ahead = has->bytes - passed, to_end = bytes - offset;
  int is_split = ahead > to_end, is_behind = is_split && ahead - to_end > to_end;
  u32 base = is_behind ? 0 : (offset + 4095) & ~4095u;
  u32 room = (is_behind  ? ahead - to_end
              : is_split ? to_end
                         : ahead) -
             (base - (is_behind ? 0 : offset));
  u32 round = engine_file.ring_bytes;
  while (round > room && round > LEAST_BYTES) round /= 2;
  if (round <= room) go_on_at(slot, base_at(level) + base, round);
}

/* What rings of this process may still take, less what each thread may need to find out that this
 * was the last. */
static u64 left_to_take(void) {
  u64 grown = RELAXED(engine_file.grown), failed = RELAXED(failed_at);
  u64 kept = 2ul * PART_BYTES * RELAXED(*(u32 *)(engine_file.base + FILE_USED_SLOTS));
  if (failed && clock_coarse() - failed < SECOND) return 0;
  u64 left = engine_file.is_forked            ? family_room()
             : grown < engine_file.grow_bytes ? engine_file.grow_bytes - grown
                                              : 0;
  return left > kept ? left - kept : 0;
}

u64 grow_room(u8 *slot) {
  u64 position = *(u64 *)(slot + SLOT_POSITION), consumed = *(volatile u64 *)(slot + SLOT_CONSUMED);
  const struct place *now = latest(slot);
  u64 bytes = (u64) * (u32 *)(slot + SLOT_RING_MASK) + 1, start = start_of(now);
  u64 unread = position - (start > consumed ? start : consumed),
      room = unread < bytes ? bytes - unread : 0;
  u32 level = level_of(now);
  int is_whole = bytes == bytes_at(level) && now->base == base_at(level);
  if (!is_whole || engine_file.most_bytes == engine_file.ring_bytes) return room;
  const struct filled *has = filled(slot, level);
  /* What is not backed yet lies between what is and what was stored. */
  if (level && has->bytes < bytes) {
    u64 ahead = (start & ~(u64)(PART_BYTES - 1)) - PART_BYTES + has->bytes - position;
    if (ahead < room) room = ahead;
  }
  u64 most =
      engine_file.most_bytes - (unread < engine_file.most_bytes ? unread : engine_file.most_bytes);
  room += left_to_take();
  return room < most ? room : most;
}

/* A ring is large enough while so much of it is not stored. */
static u64 enough_of(u32 bytes) { return bytes / 4 * (bytes < WHOLE_BYTES ? 1 : 3); }

static void check(u8 *slot) {
  u64 position = *(u64 *)(slot + SLOT_POSITION), consumed = *(volatile u64 *)(slot + SLOT_CONSUMED);
  u64 unread = position - consumed;
  empty(slot, consumed);
  const struct place *now = latest(slot);
  u32 level = level_of(now), bytes = *(u32 *)(slot + SLOT_RING_MASK) + 1;
  int is_whole = bytes == bytes_at(level) && now->base == base_at(level);
  int may_return = level && !is_needed(slot, 0, consumed);
  /* A burst now and then is to find the pages of the last one. */
  if (level && unread > enough_of(engine_file.ring_bytes))
    *(u64 *)(slot + SLOT_GROWN_AT) = clock_coarse();
  if (!is_whole) {
    if (may_return) go_back(slot);
  } else if (level && !fill(slot, level, start_of(now), position)) make_do(slot, level, position);
  else if (unread > enough_of(bytes) && bytes < engine_file.most_bytes)
    grow(slot, level + 1, consumed);
  else if (may_return && unread < engine_file.ring_bytes / 4 &&
           clock_coarse() - *(u64 *)(slot + SLOT_GROWN_AT) > SECOND)
    go_back(slot);
}

void grow_check(u8 *slot) {
  u64 before;
  if (engine_file.most_bytes == engine_file.ring_bytes) return;
  if (signals_block(&before)) return;
  if (ring_space_begin()) {
    check(slot);
    ring_space_end();
  }
  signals_set(&before);
}

void grow_begin(u8 *slot, int is_fresh) {
  if (is_fresh) go_on_at(slot, base_at(0), bytes_at(0));
  else if (level_of(latest(slot))) go_back(slot);
}

void grow_leave(u8 *slot) {
  if (engine_file.most_bytes == engine_file.ring_bytes) return;
  grow_begin(slot, 0);
  empty(slot, *(u64 *)(slot + SLOT_CONSUMED));
}
