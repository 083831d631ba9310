/* See table.h. */
#define _GNU_SOURCE
#include "table.h"
#include "../engine/traps.h"
#include "memory.h"
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define PAGE 4096

static u64 table;
static struct trap traps[TRAPS_MOST];

static u64 table_in(u64 start, u64 end) {
  for (u64 mark = 0; start < end; start += PAGE)
    if (memory_read(start, &mark, sizeof mark) == sizeof mark && mark == TRAPS_MARK) return start;
  return 0;
}

static u64 find(pid_t pid, const char *engine_path) {
  char path[32], line[4352], protection[8];
  unsigned long start, end;
  u64 found = 0;
  int at = 0;
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen(path, "re");
  if (!maps) return 0;
  while (!found && fgets(line, sizeof line, maps))
    if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %n", &start, &end, protection, &at) >= 3 &&
        protection[1] == 'w' && strncmp(line + at, engine_path, strlen(engine_path)) == 0)
      found = table_in(start, end);
  fclose(maps);
  return found;
}

static void write_trap(u32 i) {
  memory_write(table + offsetof(struct trap_table, traps) + i * sizeof *traps, &traps[i],
               sizeof *traps);
}

static void take_out(const struct trap *left) {
  u8 now = 0;
  if (left->address && memory_read(left->address, &now, 1) == 1 && now == BREAKPOINT_BYTE)
    memory_write(left->address, &left->original, 1);
}

int table_open(pid_t pid, const char *engine_path) {
  const u64 is_used = 1;
  table = find(pid, engine_path);
  if (!table) return 0;
  memory_read(table + offsetof(struct trap_table, traps), traps, sizeof traps);
  for (u32 i = 0; i < TRAPS_MOST; i++) take_out(&traps[i]);
  memset(traps, 0, sizeof traps);
  memory_write(table + offsetof(struct trap_table, traps), traps, sizeof traps);
  memory_write(table + offsetof(struct trap_table, is_used), &is_used, sizeof is_used);
  return 1;
}

void table_expect(u64 ns) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  u64 until = ns ? (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec + ns : 0;
  if (table) memory_write(table + offsetof(struct trap_table, expects_until), &until, sizeof until);
}

int table_note(u64 address, u8 original) {
  u32 i = 0;
  while (i < TRAPS_MOST && traps[i].address) i++;
  if (i == TRAPS_MOST) return ENOSPC;
  traps[i] = (struct trap){address, original};
  if (table) write_trap(i);
  return 0;
}

void table_forget(u64 address) {
  for (u32 i = 0; i < TRAPS_MOST; i++) {
    if (traps[i].address != address) continue;
    traps[i].address = 0;
    if (table) write_trap(i);
  }
}
