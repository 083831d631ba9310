/* Writing code of a running process, see patch.h. The mappings that hold a change are made
 * writable as a whole (pieces would split them), and get their protection back. No membarrier: a
 * stopped thread comes back by an exception return, one that waited was switched; registering for
 * it costs 15 ms. */
#include "patch.h"
#include "code.h"
#include "cpu.h"
#include "maps.h"
#include "raw.h"
#include "sites.h"
#include "stop.h"
#include "stopWork.h"

enum { WRITABLE = 1, REFUSED = 2 };

struct batch {
  struct change *changes;
  u32 count;
};

static int is_as_found(const struct change *change) {
  for (u32 i = 0; i < change->found_bytes; i++)
    if (((const u8 *)change->address)[i] != change->found[i]) return 0;
  return 1;
}

static void write_batch(void *argument) {
  struct batch *batch = argument;
  for (u32 i = 0; i < batch->count; i++) {
    struct change *change = &batch->changes[i];
    if (!change->refused && !is_as_found(change)) change->refused = VERDICT_MODULE_NOT_LOADED;
    if (!change->refused) code_write((u8 *)change->address, change->bytes);
  }
}

static long protect(const struct mapping *row, u32 protection) {
  return raw3(__NR_mprotect, row->start, row->end - row->start, protection);
}

/* What is replaced can lie in two mappings. */
static struct mapping *touched(const struct map_table *maps, const struct change *change,
                               int last) {
  return maps_find(maps, change->address + (last ? JUMP_BYTES - 1 : 0));
}

static void refuse_all(struct change *changes, u32 count, u8 verdict) {
  for (u32 i = 0; i < count; i++)
    if (!changes[i].refused) changes[i].refused = verdict;
}

u32 patch_apply(const struct map_table *maps, struct change *changes, u32 count) {
  if (count == 0) return 0;
  u8 *state = map_memory(maps->count);
  if (!state) {
    refuse_all(changes, count, VERDICT_PROTECTED);
    return 0;
  }
  for (u32 i = 0; i < count; i++) {
    for (int last = 0; last < 2; last++) {
      struct mapping *row = touched(maps, &changes[i], last);
      u8 *known = row ? &state[row - maps->rows] : 0;
      if (known && !*known)
        *known = protect(row, row->protection | PROT_WRITE) == 0 ? WRITABLE : REFUSED;
      if (!known || *known == REFUSED) changes[i].refused = VERDICT_PROTECTED;
    }
  }
  struct batch batch = {changes, count};
  struct stop_work work = {write_batch, &batch, sites_move};
  int stopped = stop_threads(&work);
  if (stopped < 0) refuse_all(changes, count, VERDICT_NOT_STOPPED);
  for (u32 i = 0; i < maps->count; i++)
    if (state[i] == WRITABLE) protect(&maps->rows[i], maps->rows[i].protection);
  unmap_memory(state, maps->count);
  return stopped < 0 ? 0 : (u32)stopped;
}
