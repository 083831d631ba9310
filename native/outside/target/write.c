/* See write.h. It knows no libc, and must not fault: what it reads of the program is read by the
 * kernel, but for what is sure to be there. */
#include "write.h"
#include "../../engine/raw.h"
#include "../../engine/reads.h"
#include "counted.h"

#define PR_GET_NAME 16
#define MADV_POPULATE_WRITE 23
#define MAPPED_AROUND 65536
#define FUTEX_WAKE 1

static int is_within(u64 from, u64 length, u64 begin, u64 end) {
  return from >= begin && from + length <= end && from + length >= from;
}

/* Of code of Go, which records on its thread's area: within the stack of its goroutine. */
static int is_in_stack(u64 from, u64 length) {
  u64 here = (u64)__builtin_frame_address(0);
  const struct area *area = (const struct area *)(here & ~(AREA_BYTES - 1ul));
  return is_within(from, length, area->rsp, ((const u64 *)area->r14)[1]);
}

/* Of code of C, which records on the program's own stack: from here to the end of the page where it
 * was when that began. */
static int is_in_stack_of_c(u64 from, u64 length) {
  const struct area *area;
  __asm__("mov %%fs:%c1, %0" : "=r"(area) : "i"(THREAD_WORD));
  if (!area || !area->records_at) return 0;
  return is_within(from, length, (u64)__builtin_frame_address(0), (area->records_at | 4095) + 1);
}

/* What is always there: the program's constants, registers that are kept in a thread's area, and
 * the stack that is in use. */
static int is_sure(u64 from, u64 length) {
  const struct settings *own = &outside_settings;
  if (own->thread_number ? is_in_stack_of_c(from, length) : is_in_stack(from, length)) return 1;
  u64 areas = (u64)own->areas;
  return is_within(from, length, own->image_begin, own->image_end) ||
         is_within(from, length, areas, areas + (u64)own->area_count * AREA_BYTES);
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

u64 read_own(void *to, u64 from, u64 length) { return read_quickly(to, from, length); }

int read_own_word(u64 *word, u64 from, u64 length) {
  return read_quickly(word, from, length) == length;
}

u32 read_text_quickly(u8 *to, u64 from, u32 most) {
  u32 got = (u32)read_quickly(to, from, most);
  for (u32 at = 0; at < got; at++)
    if (!to[at]) return at + 1;
  return got;
}

static u32 *word_of(u8 *slot, u32 offset) { return (u32 *)(slot + offset); }

static int take_memory(u8 *from, u64 bytes) {
  return raw3(__NR_madvise, from, bytes, MADV_POPULATE_WRITE) == 0;
}

/* What is in the file already (ahead.c) is mapped by being read: the kernel maps pages around it,
 * too. */
static int map_filled(u8 *slot, u32 part) {
  if (!(__atomic_load_n((u64 *)(slot + SLOT_FILLED), __ATOMIC_ACQUIRE) >> part & 1)) return 0;
  const volatile u8 *at = slot + SLOT_BYTES + part * PART_BYTES;
  for (u64 next = 0; next < PART_BYTES; next += MAPPED_AROUND) (void)at[next];
  return 1;
}

static void ask_for_more(void) {
  u32 *parts = (u32 *)(outside_settings.file + FILE_PARTS);
  __atomic_fetch_add(parts, 1, __ATOMIC_RELEASE);
  raw3(__NR_futex, parts, FUTEX_WAKE, 1);
}

static int take_part(struct area *area, u32 part) {
  u64 bit = 1ul << part, bytes = outside_settings.first_bytes;
  if (area->parts & bit) return 1;
  u8 *from = area->slot + SLOT_BYTES + part * PART_BYTES;
  if (part) ask_for_more();
  if (!map_filled(area->slot, part) && !take_memory(from, bytes < PART_BYTES ? bytes : PART_BYTES))
    return 0;
  area->parts |= bit;
  return 1;
}

static void begin_ring(u8 *slot, u32 number, u32 base, u32 bytes) {
  u8 *place = slot + SLOT_PLACES + number * PLACE_BYTES;
  u64 start = number ? *(u64 *)(slot + SLOT_POSITION) : 0;
  *word_of(place, PLACE_BASE) = base;
  __atomic_store_n((u64 *)(place + PLACE_START), start | (u32)__builtin_ctz(bytes),
                   __ATOMIC_RELEASE);
  *word_of(slot, SLOT_RING_BASE) = base;
  *word_of(slot, SLOT_RING_MASK) = bytes - 1;
}

/* A thread whose reader is slow continues in the ring behind its first one, and stays there: fresh
 * pages cost more than calls, and it would not need them where the first one does. */
static void grow(u8 *slot) {
  const struct settings *own = &outside_settings;
  if (*word_of(slot, SLOT_RING_MASK) + 1 == own->ring_bytes) return;
  if (counted_unread(slot) > own->first_bytes / 2)
    begin_ring(slot, 1, own->first_bytes, own->ring_bytes);
}

static COLD int go_on(struct area *area) {
  u64 position = *(u64 *)(area->slot + SLOT_POSITION), next = position + WRITE_MOST_BYTES;
  grow(area->slot);
  if (!take_part(area, write_part(area->slot, position))) return 0;
  if (!take_part(area, write_part(area->slot, next))) return 0;
  area->checked = (next | (PART_BYTES - 1)) + 1;
  return 1;
}

static int has_room(struct area *area) {
  u64 next = *(u64 *)(area->slot + SLOT_POSITION) + WRITE_MOST_BYTES;
  return next <= area->checked || go_on(area);
}

/* A slot for the thread, whose memory is taken before it is used. */
static COLD u8 *claim(struct area *area) {
  struct settings *own = &outside_settings;
  u32 number = (u32)((u8 *)area - own->areas) / AREA_BYTES, used;
  u8 *slot = own->file + FILE_BYTES + own->slot_stride * number;
  long thread = raw0(__NR_gettid);
  area->is_refused = number >= own->slot_count || thread < 0 || !take_memory(slot, SLOT_BYTES);
  if (area->is_refused) return 0;
  *word_of(slot, SLOT_TID) = (u32)thread;
  *word_of(slot, SLOT_GENERATION) += 1;
  begin_ring(slot, 0, 0, own->first_bytes);
  if (raw2(__NR_prctl, PR_GET_NAME, slot + SLOT_NAME) < 0)
    clear_bytes(slot + SLOT_NAME, SLOT_NAME_BYTES);
  __atomic_store_n(word_of(slot, SLOT_STATE), SLOT_STATE_LIVE, __ATOMIC_RELEASE);
  u32 *all = (u32 *)(own->file + FILE_USED_SLOTS);
  while ((used = RELAXED(*all)) <= number)
    __atomic_compare_exchange_n(all, &used, number + 1, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
  return area->slot = slot;
}

u8 *write_slot_with_room(struct area *area) {
  u8 *slot = area->slot || area->is_refused ? area->slot : claim(area);
  if (slot && !has_room(area)) slot = 0;
  u32 cause = outside_settings.forbidden ? FILE_LOST_FORBIDDEN : FILE_LOST_NO_MEMORY;
  if (__builtin_expect(!slot, 0))
    __atomic_fetch_add((u64 *)(outside_settings.file + cause), 1, __ATOMIC_RELAXED);
  return slot;
}

void write_record(u8 *slot, u32 kind, u32 fn, u64 sp, const u64 *words, u32 count) {
  write_words(slot, kind, fn, 0, sp, words, count);
}

void write_record_of(u8 *slot, u32 kind, u32 fn, u64 time, u64 sp, const u64 *words, u32 count) {
  write_words(slot, kind, fn, time, sp, words, count);
}
