/* See leftovers.h. */
#define _GNU_SOURCE
#include "leftovers.h"
#include "../stopper/memory.h"
#include "block.h"
#include "goroutines.h"
#include "process.h"
#include "returns.h"
#include "sites.h"
#include "target/area.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_JUMP 0xe9
#define SHORT_JUMP 0xeb

static struct {
  u64 begin, stubs, end;
  int is_used;
} blocks[MOST_BLOCKS];
static u32 block_count;

/* The program's code as it is and as its file has it. */
static u8 *now;
static const u8 *was;
static u64 text, bytes;
/* No jump leads to a block any more, and no thread was sent there. */
static int are_left;

static void look_for_block(u64 at) {
  struct head head;
  if (memory_read(at, &head, sizeof head) != sizeof head || head.magic != OUTSIDE_MAGIC) return;
  u64 stubs = block_stubs_of(at, &head);
  blocks[block_count].begin = at;
  blocks[block_count].stubs = stubs;
  blocks[block_count].end = stubs + STUB_BYTES;
  blocks[block_count++].is_used = 0;
}

static void look_for_blocks(pid_t pid) {
  char path[32], line[512], may[5], name;
  unsigned long from;
  block_count = 0;
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen(path, "re");
  while (maps && block_count < MOST_BLOCKS && fgets(line, sizeof line, maps))
    if (sscanf(line, "%lx-%*x %4s %*x %*s %*u %c", &from, may, &name) == 2 && may[2] == 'x')
      look_for_block(from);
  if (maps) fclose(maps);
}

int leftovers_are_used(pid_t pid) {
  int are = 0;
  look_for_blocks(pid);
  for (struct thread *thread = thread_next(0); thread; thread = thread_next(thread))
    for (u32 i = 0; i < block_count; i++)
      if (returns_into(thread, blocks[i].begin, blocks[i].end)) are = blocks[i].is_used = 1;
  return are;
}

/* Where a jump there leads to a stub; else 0. */
static u64 stub_from(u64 at) {
  int distance;
  if (at + JUMP_BYTES > bytes || now[at] != LONG_JUMP) return 0;
  memcpy(&distance, now + at + 1, sizeof distance);
  u64 target = text + at + JUMP_BYTES + (u64)(long)distance;
  for (u32 i = 0; i < block_count; i++)
    if (target >= blocks[i].stubs && target < blocks[i].end) return target;
  return 0;
}

static int leads_by_hole(u64 at) {
  if (at + SHORT_JUMP_BYTES > bytes || now[at] != SHORT_JUMP) return 0;
  return stub_from(at + SHORT_JUMP_BYTES + (u64)(long)(signed char)now[at + 1]) != 0;
}

/* The jump that a byte belongs to. Returns how many bytes were overwritten for it; 0: none. */
static u32 jump_over(u64 byte, u64 *at) {
  for (u64 back = 0; back < JUMP_BYTES && back <= byte; back++) {
    *at = byte - back;
    if (stub_from(*at)) return stub_from(*at + JUMP_BYTES) ? MOST_PATCHED : JUMP_BYTES;
    if (back < SHORT_JUMP_BYTES && leads_by_hole(*at)) return SHORT_JUMP_BYTES;
  }
  return 0;
}

/* A thread that is at the second of two jumps, which is no instruction of the program's, goes on in
 * its stub. Returns whether nothing else stands there. */
static int leave_hole(u64 at) {
  u64 hole = text + at + JUMP_BYTES;
  if (goroutines_stand(hole, hole + 1)) return 0;
  for (struct thread *thread = thread_next(0); thread; thread = thread_next(thread)) {
    if (thread->registers.rip != hole) continue;
    thread->registers.rip = stub_from(at + JUMP_BYTES);
    registers_write(thread);
    are_left = 0;
  }
  return 1;
}

void leftovers_take_back(const struct image *image) {
  if (!block_count || !image->code) return;
  text = image->text;
  bytes = image->text_end - text;
  was = image->code;
  now = malloc(bytes);
  if (now && memory_read(text, now, (u32)bytes) == bytes) {
    goroutines_read(image);
    are_left = 1;
    for (u64 i = 0, at; i < bytes; i++) {
      u32 patched = now[i] == was[i] ? 0 : jump_over(i, &at);
      if (!patched) continue;
      int may_go = patched != MOST_PATCHED || leave_hole(at);
      if (!may_go || memory_write(text + at, was + at, patched)) are_left = 0;
      if (may_go) i = at + patched - 1;
    }
  }
  free(now);
}

u32 leftovers_free(u64 *found) {
  u32 count = 0;
  for (u32 i = 0; i < block_count && are_left; i++)
    if (!blocks[i].is_used) found[count++] = blocks[i].begin;
  return count;
}
