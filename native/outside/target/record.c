/* Records of calls, written by code that was put into the program from outside. It runs on the
 * thread's area, knows no libc, and must not fault: what it reads of the program is read by the
 * kernel, but for what is sure to be there. */
#include "../../engine/raw.h"
#include "../../engine/reads.h"
#include "../../engine/walk.h"
#include "area.h"
#include "counted.h"

#define PR_GET_NAME 16
#define MADV_POPULATE_WRITE 23
/* Of the frame's place, in words: a stack of Go is smaller than 1 GB. */
#define FRAME_BITS 27
#define NUMBER_BITS 26

struct goroutine {
  u64 stack_low, stack_high;
};

static int is_sure(u64 from, u64 length) {
  return from >= outside_settings.image_begin && from + length <= outside_settings.image_end &&
         from + length >= from;
}

u64 read_quickly(void *to, u64 from, u64 length) {
  if (is_sure(from, length)) {
    copy_bytes(to, (const void *)from, length);
    return length;
  }
  const struct memory_range own = {to, length}, other = {(const void *)from, length};
  long got = raw6(__NR_process_vm_readv, outside_settings.pid, &own, 1, &other, 1, 0);
  return got < 0 ? 0 : (u64)got;
}

u32 read_text_quickly(u8 *to, u64 from, u32 most) {
  u32 got = (u32)read_quickly(to, from, most);
  for (u32 at = 0; at < got; at++)
    if (!to[at]) return at + 1;
  return got;
}

static u32 *word_of(u8 *slot, u32 offset) { return (u32 *)(slot + offset); }

/* A slot for the thread, whose memory is taken before it is used. */
static COLD u8 *claim(struct area *area) {
  struct settings *own = &outside_settings;
  u32 number = (u32)((u8 *)area - own->areas) / AREA_BYTES, used;
  u8 *slot = own->file + FILE_BYTES + own->slot_stride * number;
  own->pid = (u32)raw0(__NR_getpid);
  area->is_refused = number >= own->slot_count ||
                     raw3(__NR_madvise, slot, own->slot_stride, MADV_POPULATE_WRITE) != 0;
  if (area->is_refused) return 0;
  *word_of(slot, SLOT_TID) = (u32)raw0(__NR_gettid);
  *word_of(slot, SLOT_GENERATION) = 1;
  *word_of(slot, SLOT_RING_MASK) = own->ring_bytes - 1;
  *(u64 *)(slot + SLOT_PLACES + PLACE_START) = (u64)__builtin_ctz(own->ring_bytes);
  raw2(__NR_prctl, PR_GET_NAME, slot + SLOT_NAME);
  __atomic_store_n(word_of(slot, SLOT_STATE), SLOT_STATE_LIVE, __ATOMIC_RELEASE);
  u32 *all = (u32 *)(own->file + FILE_USED_SLOTS);
  while ((used = RELAXED(*all)) <= number)
    __atomic_compare_exchange_n(all, &used, number + 1, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
  return area->slot = slot;
}

static u8 *slot_of(struct area *area) {
  if (area->slot) return area->slot;
  u8 *slot = area->is_refused ? 0 : claim(area);
  if (!slot)
    __atomic_fetch_add((u64 *)(outside_settings.file + FILE_LOST_NO_MEMORY), 1, __ATOMIC_RELAXED);
  return slot;
}

/* The time is taken behind the reservation: who has seen a position has seen all that came before
 * it in other rings, too. */
static void put(u8 *slot, u32 kind, u32 fn, u64 sp, const u64 *words, u32 count) {
  u32 more = count <= 1 ? 0 : (count + 1) / 3, next = 1;
  u64 position = add_locally((u64 *)(slot + SLOT_POSITION), (u64)RECORD_BYTES * (1 + more));
  count_locally((u64 *)(slot + SLOT_EVENTS));
  __atomic_thread_fence(__ATOMIC_RELEASE);
  u32 at = (u32)position, mask = *word_of(slot, SLOT_RING_MASK);
  u8 *ring = slot + SLOT_BYTES;
  volatile u64 *head = (volatile u64 *)(ring + (at & mask));
  head[0] = timestamp();
  head[1] = sp;
  head[2] = count ? words[0] : 0;
  ((volatile u32 *)head)[6] = fn | more << RECORD_FUNCTION_BITS;
  for (; next < count; next += 3) {
    volatile u64 *row = (volatile u64 *)(ring + ((at += RECORD_BYTES) & mask));
    row[0] = words[next];
    row[1] = next + 1 < count ? words[next + 1] : 0;
    row[2] = next + 2 < count ? words[next + 2] : 0;
    __atomic_store_n((u32 *)row + 7, at | EVENT_MORE, __ATOMIC_RELEASE);
  }
  __atomic_store_n((u32 *)head + 7, (u32)position | kind, __ATOMIC_RELEASE);
}

static u64 word_of_goroutine(const struct area *area, u32 offset) {
  return *(const u64 *)((const u8 *)area->r14 + offset);
}

/* Which goroutine it is, and where in its stack: the same number at a call's entry and at its
 * return, also when the stack was copied in between. Calls further in have smaller ones. */
static u64 place_of(const struct area *area) {
  const struct goroutine *stack = (const struct goroutine *)area->r14;
  u64 number = word_of_goroutine(area, outside_settings.goroutine_number);
  u64 depth = (stack->stack_high - area->rsp) >> 3;
  return (number & ((1ul << NUMBER_BITS) - 1)) << FRAME_BITS | ((1ul << FRAME_BITS) - 1 - depth);
}

static u32 smaller(u32 a, u32 b) { return a < b ? a : b; }

/* One value as `op` says (record.ts, captureOp). Returns the new count of words. */
static u32 capture(struct area *area, u64 op, u32 used) {
  u32 index = (u8)(op >> 8), size = (u16)(op >> 16), where = (u32)(op >> 32);
  u32 program = where & 0xfffff, bytes = where >> 20;
  const u64 *stack = (const u64 *)area->rsp + 1;
  if (used + 1 >= AREA_WORDS) return used;
  u32 room = smaller(AREA_WORDS, used + size / 8);
  switch ((u8)op) {
  case CAPTURE_INTEGER: area->words[used] = area->integers[index]; return used + 1;
  case CAPTURE_FLOAT: area->words[used] = area->vectors[index * 2]; return used + 1;
  case CAPTURE_STACK: area->words[used] = stack[index]; return used + 1;
  case CAPTURE_WALK_WORDS:
    return walk_value(area->words, used, room, program, (const u8 *)&area->integers[index], 0,
                      bytes);
  case CAPTURE_WALK_STACK:
    return walk_value(area->words, used, room, program, (const u8 *)&stack[index], 0, bytes);
  default: area->words[used] = 0; return used + 1;
  }
}

/* Another goroutine runs on the thread: which one made it. */
static COLD void put_creator(struct area *area, u8 *slot) {
  u64 creator = word_of_goroutine(area, outside_settings.creator_number);
  area->goroutine = word_of_goroutine(area, outside_settings.goroutine_number);
  put(slot, EVENT_CONTEXT, 0, place_of(area), &creator, 1);
}

void outside_entered(struct area *area, const u8 *row) {
  u8 *slot = slot_of(area);
  u32 used = 0, count = row[ARM_OP_COUNT];
  u32 fn = *(const u32 *)(row + ARM_FN);
  u64 place = place_of(area);
  if (!slot || counted_enters(slot, fn, place)) return;
  if (area->goroutine != word_of_goroutine(area, outside_settings.goroutine_number))
    put_creator(area, slot);
  for (u32 i = 0; i < count; i++) used = capture(area, ((const u64 *)(row + ARM_OPS))[i], used);
  put(slot, EVENT_ENTER, fn, place, area->words, used);
}

void outside_left(struct area *area, const u8 *row) {
  u8 *slot = slot_of(area);
  u32 used = 0, fn = *(const u32 *)(row + ARM_FN);
  u64 place = place_of(area);
  if (!slot || counted_leaves(slot, fn, place)) return;
  switch (row[ARM_RETURN_KIND]) {
  case RETURN_INTEGER: area->words[used++] = area->integers[0]; break;
  case RETURN_FLOAT: area->words[used++] = area->vectors[0]; break;
  case RETURN_WALK: used = capture(area, *(const u64 *)(row + ARM_RETURN_OP), 0); break;
  default: break;
  }
  put(slot, EVENT_RETURN, fn, place, area->words, used);
}
