/* See ringSpace.h. A file is reserved for as many threads and as large rings as there may ever be,
 * and most of it is never used. A program that locks its memory (mlockall), or walks over what it
 * has mapped, must not find that: only what has been used can be reached. */
#include "ringSpace.h"
#include "clock.h"
#include "maps.h"
#include "raw.h"
#include "tables.h"

#define PROT_NONE 0
#define REMAP_TO 3 /* MREMAP_MAYMOVE | MREMAP_FIXED */
#define READ_WRITE (PROT_READ | PROT_WRITE)
/* A slot's head, its first ring, and where its records are. */
#define MOST_SPANS (2 + SLOT_PLACE_COUNT)

struct span {
  u64 from, to;
};
_Static_assert(SLOT_RING_BASE < PAGE && SLOT_RING_MASK < PAGE, "they lie in a slot's first page");

static long map_part(u8 *base, u64 from, u64 to, int protection, long opened) {
  if (from >= to) return 0;
  long at = raw6(__NR_mmap, base + from, to - from, protection,
                 MAP_SHARED | MAP_NORESERVE | MAP_FIXED, opened, from);
  return at == (long)(base + from) ? 0 : at;
}

/* The file says where the rings of slots between `from` and `to` lie, as their memory does. */
static void keep_heads(const struct ring_file *file, u64 from, u64 to, long opened) {
  static const u32 words[] = {SLOT_RING_MASK, SLOT_RING_BASE};
  u64 index = from > FILE_BYTES ? (from - FILE_BYTES + file->stride - 1) / file->stride : 0;
  for (u64 at; (at = FILE_BYTES + file->stride * index) < to && index < file->slot_count; index++)
    for (u32 i = 0; i < sizeof words / sizeof *words; i++)
      raw4(__NR_pwrite64, opened, file->base + at + words[i], sizeof(u32), at + words[i]);
}

/* A thread of an earlier time may be in the middle of a record: what it can reach stays so. */
static long map_again(const struct ring_file *file, u64 bytes, long opened) {
  u8 *base = file->base;
  struct map_table maps;
  u64 done = 0;
  long failed = 0;
  if (!maps_open(&maps)) return -ERR_NO_MEMORY;
  for (u32 i = 0; i < maps.count && !failed; i++) {
    const struct mapping *row = &maps.rows[i];
    if (!(row->protection & PROT_WRITE) || row->start < (u64)base || row->end > (u64)base + bytes)
      continue;
    u64 from = row->start - (u64)base, to = row->end - (u64)base;
    keep_heads(file, from, to, opened);
    failed = map_part(base, done, from, PROT_NONE, opened);
    if (!failed) failed = map_part(base, from, to, READ_WRITE, opened);
    done = to;
  }
  maps_close(&maps);
  if (!failed) failed = map_part(base, done, bytes, PROT_NONE, opened);
  return failed ? failed : (long)base;
}

long ring_space_map(const struct ring_file *file, long opened, u64 bytes) {
  long at = file->left_bytes == bytes
                ? map_again(file, bytes, opened)
                : raw6(__NR_mmap, 0, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, opened, 0);
  if (at < 0 && at > -4096) return at;
  /* A program that locks what it will map (MCL_FUTURE) does not mean this. */
  raw2(__NR_munlock, at, bytes);
  if (ring_space_open((u8 *)at, FILE_BYTES)) return at;
  raw2(__NR_munmap, at, bytes);
  return -ERR_NO_MEMORY;
}

int ring_space_begin(void) {
  __atomic_add_fetch(&engine_process.openers, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&engine_process.epoch, __ATOMIC_SEQ_CST)) return 1;
  ring_space_end();
  return 0;
}

void ring_space_end(void) { __atomic_sub_fetch(&engine_process.openers, 1, __ATOMIC_SEQ_CST); }

void ring_space_settle(void) {
  for (u64 end = clock_now() + SECOND;
       __atomic_load_n(&engine_process.openers, __ATOMIC_SEQ_CST) && clock_now() < end;)
    raw0(__NR_sched_yield);
}

int ring_space_open(u8 *at, u64 bytes) { return raw3(__NR_mprotect, at, bytes, READ_WRITE) == 0; }

static void replace(u64 from, u64 to, int protection) {
  if (from < to)
    raw6(__NR_mmap, engine_file.base + from, to - from, protection,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* A thread that is writing reads there where its ring lies: it never finds another place. */
static void replace_head(u64 from) {
  u8 *slot = engine_file.base + from, *fresh = map_memory(PAGE);
  if (!fresh) {
    replace(from, from + PAGE, READ_WRITE);
    return;
  }
  *(u32 *)(fresh + SLOT_RING_BASE) = *(u32 *)(slot + SLOT_RING_BASE);
  *(u32 *)(fresh + SLOT_RING_MASK) = *(u32 *)(slot + SLOT_RING_MASK);
  raw6(__NR_mremap, fresh, PAGE, PAGE, REMAP_TO, slot, 0);
}

/* Keeps them ascending. */
static u32 add_span(struct span *spans, u32 count, u64 from, u64 bytes) {
  u32 at = count;
  for (; at > 0 && spans[at - 1].from > from; at--) spans[at] = spans[at - 1];
  spans[at] = (struct span){from, (from + bytes + PAGE - 1) & ~(PAGE - 1)};
  return count + 1;
}

/* Offsets in the file of what the thread of a slot may write to. */
static u32 spans_of(const u8 *slot, u64 head_bytes, struct span spans[MOST_SPANS]) {
  u64 offset = (u64)(slot - engine_file.base), rings = offset + SLOT_BYTES;
  u32 count = add_span(spans, 0, offset, head_bytes);
  count = add_span(spans, count, rings + rows_beyond(&engine_file), engine_file.ring_bytes);
  for (u32 i = 0; i < SLOT_PLACE_COUNT; i++) {
    const u8 *place = slot + SLOT_PLACES + (u64)i * PLACE_BYTES;
    u64 start = *(const u64 *)(place + PLACE_START);
    u64 from = rings + (*(const u32 *)(place + PLACE_BASE) & ~(PAGE - 1));
    if (start) count = add_span(spans, count, from, 1ul << (start & PLACE_LOG2_MASK));
  }
  return count;
}

void ring_space_leave(u64 head_bytes, const u8 *only) {
  u32 used = __atomic_load_n((u32 *)(engine_file.base + FILE_USED_SLOTS), __ATOMIC_ACQUIRE);
  u64 done = FILE_BYTES;
  replace(0, done, READ_WRITE);
  for (u32 i = 0; i < used && i < engine_file.slot_count; i++) {
    const u8 *slot = engine_file.base + FILE_BYTES + engine_file.stride * i;
    struct span spans[MOST_SPANS];
    if (only && slot != only) continue;
    u32 count = spans_of(slot, head_bytes, spans);
    for (u32 k = 0; k < count; k++) {
      replace(done, spans[k].from, PROT_NONE);
      if (spans[k].from > done) done = spans[k].from;
      u64 head = (u64)(slot - engine_file.base);
      if (done == head) {
        replace_head(head);
        done += PAGE;
      }
      replace(done, spans[k].to, READ_WRITE);
      if (spans[k].to > done) done = spans[k].to;
    }
  }
  replace(done, FILE_BYTES + engine_file.stride * engine_file.slot_count, PROT_NONE);
}
