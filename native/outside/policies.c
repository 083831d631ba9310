/* See policies.h. */
#define _GNU_SOURCE
#include "policies.h"
#include "../engine/relocate.h"
#include "clock.h"
#include "tables.h"
#include "target/area.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define LEAST_MEASURED 2000000ul /* ns */
#define SECOND 1000000000ul
/* Of a row, in the place of its padding: how many of the first calls are left. */
#define POLICY_LEFT (POLICY_RETURN_WORDS + 4)

static u64 rate; /* cycles in a second */
/* By function: the row of counted calls that is also its policy's. */
static u16 places[RECORD_MAX_FUNCTIONS];
static u8 has_triggers[RECORD_MAX_FUNCTIONS];

void policies_measure(void) {
  while (clock_passed() < LEAST_MEASURED) usleep(1000);
  rate = clock_rate();
}

static u64 cycles_of(u64 ns) {
  u64 cycles = ns / SECOND * rate + ns % SECOND * rate / SECOND;
  return cycles ? cycles : 1;
}

static u32 word(const u8 *row, u32 at) { return *(const u32 *)(row + at); }

static int is_filter(const u8 *row) {
  return word(row, POLICY_EVERY) > 1 || word(row, POLICY_FIRST) || word(row, POLICY_WORDS) ||
         *(const u64 *)(row + POLICY_LEAST) || word(row, POLICY_DEPTH) ||
         word(row, POLICY_TRIGGERS) || word(row, POLICY_RETURN_WORDS);
}

static int set_one(const u8 *row, u32 *refused) {
  u32 fn = word(row, POLICY_FN);
  u8 copy[POLICY_BYTES], way = word(row, POLICY_EVERY) == 1 ? WAY_WHOLE : 0;
  u64 least = *(const u64 *)(row + POLICY_LEAST);
  int failed = 0;
  if (fn >= RECORD_MAX_FUNCTIONS) return EINVAL;
  has_triggers[fn] = word(row, POLICY_TRIGGERS) & POLICY_START_TRIGGER;
  if (is_filter(row)) {
    if (!places[fn]) failed = block_counted_row(fn, &places[fn]);
    if (failed) return failed;
    if (!places[fn]) (*refused)++;
    else way |= WAY_HAS_POLICY;
  }
  memcpy(copy, row, sizeof copy);
  *(u32 *)(copy + POLICY_LEFT) = word(row, POLICY_FIRST);
  if (least) *(u64 *)(copy + POLICY_LEAST) = cycles_of(least);
  if (way & WAY_HAS_POLICY) failed = tables_policy(places[fn], copy);
  return failed ? failed : tables_way(fn, way);
}

int policies_set(const u8 *table, u32 count, u32 *refused) {
  int failed = 0;
  *refused = 0;
  for (u32 i = 0; i < count && !failed; i++) failed = set_one(table + i * POLICY_BYTES, refused);
  return failed;
}

static int is_any_trigger(void) {
  for (u32 fn = 0; fn < RECORD_MAX_FUNCTIONS; fn++)
    if (has_triggers[fn]) return 1;
  return 0;
}

/* Without a function that could start it, recording is not stopped. */
int policies_record(int is_on) { return block_recording(is_on || !is_any_trigger()); }
