/* See tables.h. */
#include "tables.h"
#include "../stopper/memory.h"
#include "block.h"
#include "target/area.h"
#include <errno.h>

int tables_way(u32 fn, u8 way) {
  return memory_write(block_address() + block_head()->ways + fn, &way, 1);
}

int tables_policy(u32 number, const u8 *row) {
  return memory_write(block_address() + block_head()->policies + (u64)number * POLICY_BYTES, row,
                      POLICY_BYTES);
}

int tables_probe(u32 index, const struct probe *probe) {
  if (!block_is_there() || index >= MOST_PROBES) return EINVAL;
  return memory_write(block_address() + block_head()->probes + (u64)index * sizeof *probe, probe,
                      sizeof *probe);
}

int tables_watches(const struct watch *watches, u32 count, const struct watch_set *sets,
                   u32 set_count, const u16 *by_function) {
  u32 bytes = RECORD_MAX_FUNCTIONS * sizeof *by_function;
  int failed = memory_write(block_address() + block_head()->watches, (const u8 *)watches,
                            count * (u32)sizeof *watches);
  if (!failed)
    failed = memory_write(block_address() + block_head()->watch_sets, (const u8 *)sets,
                          set_count * (u32)sizeof *sets);
  return failed ? failed
                : memory_write(block_address() + block_head()->watched, (const u8 *)by_function,
                               bytes);
}
