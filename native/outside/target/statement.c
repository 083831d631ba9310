/* Statements of Go: what is recorded in the middle of a function (probeEntry). Runs on the thread's
 * area, from entry.S. */
#include "../../engine/probeValues.h"
#include "../../engine/quick.h"
#include "../../engine/raw.h"
#include "hit.h"
#include "record.h"
#include "write.h"

#define FIRST_VECTOR 17
#define REGISTERS 16
/* Of a part: it is read from memory; a value begins with it. */
#define PART_IS_IN_MEMORY 1
#define PART_IS_FIRST 2

/* One part of a value; what cannot be read is zero. */
static void gather_part(const struct area *area, u64 op, u8 *to) {
  u32 number = (u8)op, bytes = (u16)(op >> 16);
  u64 word = 0;
  if (number >= FIRST_VECTOR) word = area->vectors[(number - FIRST_VECTOR) * 2 % (AREA_FLOATS * 2)];
  else word = area->probed[number % REGISTERS];
  if (op >> 8 & PART_IS_IN_MEMORY) {
    if (read_quickly(to, word + (u64)(long)(int)(op >> 32), bytes) != bytes) clear_bytes(to, bytes);
    return;
  }
  copy_bytes(to, &word, bytes < sizeof word ? bytes : sizeof word);
}

static void gather(struct area *area, const struct probe_row *row) {
  u8 *to = (u8 *)&area->probed[REGISTERS], *end = to + sizeof(u64) * GATHERED_WORDS;
  for (u32 i = 0; i < PROBE_MAX_GATHERED && row->gathered[i]; i++) {
    u32 bytes = (u16)(row->gathered[i] >> 16);
    if (row->gathered[i] >> 8 & PART_IS_FIRST) to = (u8 *)(((u64)to + 7) & ~7ul);
    if (bytes > (u64)(end - to)) return;
    gather_part(area, row->gathered[i], to);
    to += bytes;
  }
}

static int is_of_goroutine(const struct area *area, const struct probe_row *row) {
  return !row->thread || row->thread == record_goroutine(area);
}

void outside_probed(struct area *area, const u8 *row) {
  struct probe *probe = &outside_probes[*(const u32 *)(row + PROBE_ROW_INDEX) % MOST_PROBES];
  u32 fn = *(const u32 *)(row + ARM_FN);
  u8 *slot = write_slot(area);
  struct registers r;
  if (!slot || probe->row.fn != fn) return;
  for (u32 i = 0; i < sizeof r.vector / sizeof *r.vector; i++) r.vector[i] = area->vectors[2 * i];
  gather(area, &probe->row);
  /* The code's stack words are the registers. */
  struct probe_place place = {&r, (u64)area->probed - STACK_ARGUMENTS, 0};
  int is_meant = is_of_goroutine(area, &probe->row);
  if (hit_is_wanted(slot, probe, &place, is_meant)) record_hit(area, slot, probe, &place);
}
