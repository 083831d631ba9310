/* See plants.h. */
#define _GNU_SOURCE
#include "plants.h"
#include "../engine/traps.h"
#include "copies.h"
#include "memory.h"
#include "table.h"
#include <errno.h>

#define MOST TRAPS_MOST

struct planted {
  u64 address;
  u32 uses;
  u8 original;
};

static struct planted all[MOST];
static u32 count;

static struct planted *at(u64 address) {
  for (u32 i = 0; i < count; i++)
    if (all[i].address == address) return &all[i];
  return 0;
}

int is_planted(u64 address) { return at(address) != 0; }

int plant(u64 address) {
  static const u8 byte = BREAKPOINT_BYTE;
  struct planted *known = at(address), fresh = {.address = address, .uses = 1};
  if (known) {
    known->uses++;
    return 0;
  }
  if (count == MOST) return ENOSPC;
  if (memory_read(address, &fresh.original, 1) != 1) return EFAULT;
  if (fresh.original == BREAKPOINT_BYTE) return EEXIST;
  int failed = table_note(address, fresh.original);
  if (failed) return failed;
  all[count++] = fresh;
  failed = memory_write(address, &byte, 1);
  if (!failed) return 0;
  table_forget(address);
  count--;
  return failed;
}

/* Another may have put its own code there since. */
static void restore(const struct planted *one) {
  u8 now = 0;
  if (memory_read(one->address, &now, 1) == 1 && now == BREAKPOINT_BYTE)
    memory_write(one->address, &one->original, 1);
}

static void take_out(struct planted *one) {
  restore(one);
  table_forget(one->address);
  copy_forget(one->address);
  *one = all[--count];
}

void unplant(u64 address) {
  struct planted *known = at(address);
  if (!known || --known->uses) return;
  take_out(known);
}

u32 code_read(u64 address, u8 *to, u32 bytes) {
  u32 got = memory_read(address, to, bytes);
  for (u32 i = 0; i < count; i++)
    if (all[i].address - address < got) to[all[i].address - address] = all[i].original;
  return got;
}

void plant_lift(u64 address) {
  struct planted *known = at(address);
  if (known) restore(known);
}

void plant_return(u64 address) {
  static const u8 byte = BREAKPOINT_BYTE;
  if (at(address)) memory_write(address, &byte, 1);
}

static int is_in(pid_t pid, const struct planted *one) {
  u8 now = 0;
  return memory_read_in(pid, one->address, &now, 1) == 1 && now == BREAKPOINT_BYTE;
}

u32 plants_lift_in(pid_t pid, int (*stays)(u64 address)) {
  u32 found = 0;
  for (u32 i = 0; i < count; i++) {
    if (!is_in(pid, &all[i])) continue;
    if (stays(all[i].address)) found++;
    else memory_write_in(pid, all[i].address, &all[i].original, 1);
  }
  return found;
}

void plant_lift_in(pid_t pid, u64 address) {
  const struct planted *known = at(address);
  if (known && is_in(pid, known)) memory_write_in(pid, address, &known->original, 1);
}

void plants_lift_all(void) {
  while (count) take_out(&all[count - 1]);
}
