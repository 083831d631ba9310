/* See goroutines.h. */
#include "goroutines.h"
#include "../stopper/memory.h"
#include "process.h"
#include <stdlib.h>

#define MOST_STACK (1ul << 28)
#define SIGNAL_FRAMES 65536
#define PART 65536
/* runtime.g: its stack, and where it stands; see runtime.gobuf. */
#define G_STACK_LOW 0
#define G_STACK_HIGH 8
#define G_STANDS_AT 56
#define G_BYTES 64

static u64 *words;
static u32 count, room;

static void keep(u64 word) {
  if (count == room) {
    u32 more = room ? room * 2 : 65536;
    u64 *bigger = realloc(words, more * sizeof *words);
    if (!bigger) return;
    words = bigger;
    room = more;
  }
  words[count++] = word;
}

static void read_stack(const struct image *image, u64 from, u64 to) {
  static u64 part[PART / 8];
  while (from < to) {
    u64 wanted = to - from < PART ? to - from : PART;
    u32 got = memory_read(from, part, (u32)wanted) / 8;
    for (u32 i = 0; i < got; i++)
      if (part[i] >= image->text && part[i] < image->text_end) keep(part[i]);
    if (got * 8 < wanted) return;
    from += wanted;
  }
}

static int in_order(const void *a, const void *b) {
  u64 one = *(const u64 *)a, other = *(const u64 *)b;
  return one < other ? -1 : one > other;
}

void goroutines_read(const struct image *image) {
  u64 list[2] = {0, 0}, g[G_BYTES / 8];
  count = 0;
  for (struct thread *thread = thread_next(0); thread; thread = thread_next(thread))
    read_stack(image, thread->registers.rsp, thread->registers.rsp + SIGNAL_FRAMES);
  if (image->goroutines) memory_read(image->goroutines, list, sizeof list);
  for (u64 i = 0; i < list[1]; i++) {
    u64 at = 0;
    if (memory_read(list[0] + 8 * i, &at, 8) != 8 || memory_read(at, g, sizeof g) != sizeof g)
      continue;
    u64 low = g[G_STACK_LOW / 8], high = g[G_STACK_HIGH / 8], stands = g[G_STANDS_AT / 8];
    /* Of one that runs it is where it stood before. */
    u64 from = stands > low && stands < high && !g[6] ? stands : low;
    if (high && high - low < MOST_STACK) read_stack(image, from, high);
  }
  qsort(words, count, sizeof *words, in_order);
}

int goroutines_stand(u64 from, u64 to) {
  u32 low = 0, high = count;
  while (low < high) {
    u32 middle = (low + high) / 2;
    if (words[middle] < from) low = middle + 1;
    else high = middle;
  }
  return low < count && words[low] < to;
}
