/* The hooked places by address: open addressing, at most a quarter full. See sites.h. */
#include "sites.h"
#include "code.h"
#include "cpu.h"
#include "plan.h"

#define BUCKETS (RECORD_MAX_FUNCTIONS * 4)

struct site engine_sites[RECORD_MAX_FUNCTIONS];
static u32 buckets[BUCKETS]; /* function number + 1 */
static u64 lowest, highest;  /* addresses in the buckets */

static u32 bucket_of(u64 address) { return (u32)(address * 0x9e3779b97f4a7c15ul >> 40) % BUCKETS; }

int sites_at(u64 address) {
  for (u32 i = bucket_of(address); buckets[i]; i = (i + 1) % BUCKETS)
    if (engine_sites[buckets[i] - 1].address == address) return (int)buckets[i] - 1;
  return -1;
}

void sites_add(u32 fn) {
  u32 i = bucket_of(engine_sites[fn].address);
  while (buckets[i]) i = (i + 1) % BUCKETS;
  buckets[i] = fn + 1;
  u64 address = engine_sites[fn].address;
  if (address < lowest) lowest = address;
  if (address > highest) highest = address;
}

void sites_rebuild(void) {
  clear_bytes(buckets, sizeof buckets);
  lowest = ~0ul;
  highest = 0;
  for (u32 fn = 0; fn < engine_function_count; fn++)
    if (engine_sites[fn].state != SITE_FREE) sites_add(fn);
}

u64 sites_move(u64 pc) {
  if (pc <= lowest || pc >= highest + JUMP_BYTES) return pc;
  for (u64 back = 1; back < JUMP_BYTES; back++) {
    int fn = sites_at(pc - back);
    if (fn < 0) continue;
    const struct site *site = &engine_sites[fn];
    for (int i = 0; i < site->moves; i++)
      if (site->from[i] == back) return site->island + ISLAND_HEAD + site->to[i];
  }
  return pc;
}

static u64 first_island = ~0ul, last_island;

void sites_add_island(u64 island) {
  if (island < first_island) first_island = island;
  if (island > last_island) last_island = island;
}

u64 sites_original(u64 pc) {
  if (pc < first_island || pc >= last_island + ISLAND_BYTES) return pc;
  for (u32 fn = 0; fn < engine_function_count; fn++) {
    const struct site *site = &engine_sites[fn];
    if (!site->island || pc < site->island || pc >= site->island + ISLAND_BYTES) continue;
    if (pc < site->island + ISLAND_HEAD) return site->address;
    u64 back = code_goes_back(pc);
    if (back == site->address + site->consumed) return back;
    u64 original = site->address;
    for (int i = 0; i < site->moves; i++)
      if (site->to[i] <= pc - site->island - ISLAND_HEAD) original = site->address + site->from[i];
    return original;
  }
  return pc;
}
