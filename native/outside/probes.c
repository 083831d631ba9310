/* See probes.h. */
#include "probes.h"
#include "../stopper/memory.h"
#include "block.h"
#include "tables.h"
#include "target/area.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LAST_SWITCH 65535u

struct own {
  u32 fn;
  u8 is_on, has_vectors;
  struct guest guest;
  struct jump *by; /* null: it has not been prepared */
};

static struct own all[MOST_PROBES];
static u32 used, on;
/* By function: where its probe is, plus 1. */
static u16 places[RECORD_MAX_FUNCTIONS];

u32 probes_count(void) { return on; }

static struct own *known(u32 fn) {
  u32 place = fn < RECORD_MAX_FUNCTIONS ? places[fn] : 0;
  return place ? &all[place - 1] : 0;
}

u32 probes_row(u32 fn) {
  const struct own *own = known(fn);
  return own ? (u32)(own - all) : MOST_PROBES;
}

/* Those that are asked where calls end have no address, and stay. Null: too many are set. */
static struct own *take(u32 fn) {
  struct own *own = known(fn);
  if (own || fn >= RECORD_MAX_FUNCTIONS) return own;
  if (used < MOST_PROBES) own = &all[used++];
  for (u32 i = 0; i < used && !own; i++)
    if (!all[i].is_on && all[i].guest.address) own = &all[i];
  if (!own) return 0;
  if (own->guest.address) places[own->fn] = 0;
  *own = (struct own){.fn = fn};
  places[fn] = (u16)(own - all + 1);
  return own;
}

static int has_vectors(const struct probe_row *row) {
  int has = row->has_vectors != 0;
  for (u32 i = 0; i < PROBE_MAX_GATHERED; i++) has |= (u8)row->gathered[i] > 15;
  return has;
}

int probes_set(const u8 *rows, u32 count) {
  static struct probe probe;
  int failed = 0;
  for (u32 i = 0; i < count && !failed; i++) {
    if (!probe_fill(&probe, rows + (u64)i * PROBE_BYTES)) return EINVAL;
    struct own *own = take(probe.row.fn);
    if (!own) return ENOMEM;
    own->has_vectors = (u8)has_vectors(&probe.row);
    failed = tables_probe((u32)(own - all), &probe);
  }
  return failed;
}

/* The instructions that a jump displaces, as they are without it. Null: they cannot be read. */
static u8 *code_of(const struct jump *jump) {
  static u8 code[256];
  u64 from = jump->site.address, bytes = jump_end(jump) - from + LONGEST_INSTRUCTION;
  if (memory_read(from, code, (u32)bytes) != bytes) return 0;
  jumps_undo(from, code, bytes);
  return code;
}

static u32 admit(struct jump *jump, struct own *own) {
  const u8 *code = code_of(jump);
  u32 verdict = code ? jump_admit(jump, &own->guest, code) : VERDICT_NOT_EXECUTABLE;
  if (verdict == VERDICT_HOOKED) own->by = jump;
  return verdict;
}

static u32 make_own(const struct image *image, struct own *own, const u8 *row) {
  struct function function;
  struct site site;
  u64 address = own->guest.address, place = *(const u64 *)(row + ARM_RETURN_OP);
  u64 start = address - (u32)place;
  u32 size = (u32)place + *(const u32 *)(row + ARM_SIZE);
  const struct statement statement = {
      .address = address,
      .pads = image->is_go ? 0 : place >> 32 & 0xff,
      .rows = image->is_go ? 0 : place >> 40 & 0xff,
  };
  struct recorder by = {.guests = &own->guest, .guest_count = 1};
  if (!image_function(image, start, size, &function)) return VERDICT_NOT_EXECUTABLE;
  u64 bytes = function.end - start;
  u8 *code = malloc(bytes + MOST_PATCHED);
  struct jump *jump = malloc(sizeof *jump);
  u32 verdict = code && jump ? VERDICT_HOOKED : VERDICT_POOL_FULL;
  if (verdict == VERDICT_HOOKED && memory_read(start, code, (u32)bytes + MOST_PATCHED) < bytes)
    verdict = VERDICT_NOT_EXECUTABLE;
  if (verdict == VERDICT_HOOKED) {
    jumps_undo(start, code, bytes);
    verdict = sites_statement(code, start, &function, &statement, &site);
  }
  if (verdict == VERDICT_HOOKED) verdict = jump_make(jump, &site, code + (address - start), &by);
  if (verdict == VERDICT_HOOKED) own->by = jump;
  else free(jump);
  free(code);
  return verdict;
}

u32 probes_prepare(const struct image *image, const u8 *row) {
  struct own *own = known(*(const u32 *)(row + ARM_FN));
  u64 address = *(const u64 *)(row + ARM_ADDRESS);
  if (!own) return VERDICT_POOL_FULL;
  if (row[ARM_FLAGS] & ARM_BY_TRAP) return VERDICT_NO_PLACE;
  if (own->by && (own->by->is_written || jump_is_of_statements(own->by))) return VERDICT_HOOKED;
  own->guest = (struct guest){.address = address, .number = LAST_SWITCH - (u32)(own - all)};
  memcpy(own->guest.row, row, ARM_OPS);
  own->guest.row[ARM_FLAGS] = own->has_vectors ? ARM_HAS_FLOATS : 0;
  *(u32 *)(own->guest.row + PROBE_ROW_INDEX) = (u32)(own - all);
  struct jump *over = jumps_over(address, address + 1);
  if (over) return admit(over, own);
  over = jumps_over(address, address + JUMP_BYTES);
  if (over && !jump_is_of_statements(over)) return VERDICT_OVERLAPS;
  return make_own(image, own, row);
}

/* Those that this jump records are recorded by another one from now on. */
static u32 move_to(struct jump *jump, struct jump *from) {
  if (!jump_has_room(jump, from->by.guest_count)) return VERDICT_OVERLAPS;
  if (from->is_written) jump_take_back(from);
  for (u32 i = 0; i < used; i++) {
    if (all[i].by != from) continue;
    u32 verdict = admit(jump, &all[i]);
    if (verdict != VERDICT_HOOKED) return verdict;
  }
  jump_forget(from);
  return VERDICT_HOOKED;
}

u32 probes_make_room(struct jump *jump) {
  u64 from = jump->site.address, to = jump_end(jump);
  for (u32 i = 0; i < used; i++) {
    struct jump *other = all[i].by;
    if (!other || other == jump || !jump_is_of_statements(other)) continue;
    if (other->site.address >= to || jump_end(other) <= from) continue;
    if (other->site.address < from) {
      if (other->is_written) return VERDICT_OVERLAPS;
      /* A thread that is in its stub would go on within the bytes that are replaced now. */
      if (block_is_used()) return VERDICT_FRAME_ACTIVE;
      continue;
    }
    u32 verdict = move_to(jump, other);
    if (verdict != VERDICT_HOOKED) return verdict;
  }
  return VERDICT_HOOKED;
}

u32 probes_arm(u32 fn) {
  struct own *own = known(fn);
  struct jump *jump = own->by;
  if (own->is_on) return VERDICT_HOOKED;
  if (!jump->is_written) {
    u32 verdict = probes_make_room(jump);
    if (verdict != VERDICT_HOOKED) return verdict;
    if (!jump_is_alone(jump)) return VERDICT_OVERLAPS;
    if (!jump_is_free(jump)) return VERDICT_FRAME_ACTIVE;
  }
  block_switch(own->guest.number, 1);
  jump_write(jump);
  own->is_on = 1;
  on++;
  return VERDICT_HOOKED;
}

int probes_need(const struct jump *jump) {
  for (u32 i = 0; i < used; i++)
    if (all[i].is_on && all[i].by == jump) return 1;
  return 0;
}

static void disarm(struct own *own) {
  if (!own->is_on) return;
  block_switch(own->guest.number, 0);
  own->is_on = 0;
  on--;
  if (jump_is_of_statements(own->by) && !probes_need(own->by)) jump_restore(own->by);
}

void probes_disarm(u32 fn) {
  struct own *own = known(fn);
  if (own) disarm(own);
}

void probes_disarm_all(void) {
  for (u32 i = 0; i < used; i++) disarm(&all[i]);
}
