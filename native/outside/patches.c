/* See patches.h. Each write of the program's memory takes microseconds, however little it is: what
 * lies close together is read, changed and written as one piece. */
#include "patches.h"
#include "../stopper/memory.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PIECE 65536u
#define NEAR 2048u

struct patch {
  u64 address;
  const u8 *bytes;
  u32 count;
};

static struct patch *patches;
static u32 used, room;
static int has_failed;

void patches_add(u64 address, const u8 *bytes, u32 count) {
  if (used == room) {
    u32 more = room ? room * 2 : 4096;
    struct patch *bigger = realloc(patches, more * sizeof *patches);
    if (!bigger) {
      if (memory_write(address, bytes, count)) has_failed = 1;
      return;
    }
    patches = bigger;
    room = more;
  }
  patches[used++] = (struct patch){address, bytes, count};
}

void patches_drop(const u8 *bytes) {
  u32 kept = 0;
  for (u32 i = 0; i < used; i++)
    if (patches[i].bytes != bytes) patches[kept++] = patches[i];
  used = kept;
}

static int in_order(const void *a, const void *b) {
  u64 one = ((const struct patch *)a)->address, other = ((const struct patch *)b)->address;
  return one < other ? -1 : one > other;
}

/* Returns how many are within one piece, from the first on. */
static u32 together(const struct patch *first, u32 count) {
  u32 taken = 1;
  while (taken < count && first[taken].address - first[taken - 1].address < NEAR &&
         first[taken].address + first[taken].count - first->address <= PIECE)
    taken++;
  return taken;
}

static int write_piece(const struct patch *first, u32 count) {
  static u8 piece[PIECE];
  const struct patch *last = &first[count - 1];
  u32 bytes = (u32)(last->address + last->count - first->address);
  if (count == 1) return memory_write(first->address, first->bytes, first->count);
  if (memory_read(first->address, piece, bytes) != bytes) return EFAULT;
  for (u32 i = 0; i < count; i++)
    memcpy(piece + (first[i].address - first->address), first[i].bytes, first[i].count);
  return memory_write(first->address, piece, bytes);
}

int patches_write(void) {
  int failed = has_failed ? EFAULT : 0;
  qsort(patches, used, sizeof *patches, in_order);
  for (u32 i = 0, count; i < used; i += count) {
    count = together(&patches[i], used - i);
    if (write_piece(&patches[i], count)) failed = EFAULT;
  }
  used = 0;
  has_failed = 0;
  return failed;
}
