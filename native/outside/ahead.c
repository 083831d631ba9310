/* See ahead.h. What lies in a page that another has taken already stays as it is. */
#define _GNU_SOURCE
#include "ahead.h"
#include "forbidden.h"
#include "target/write.h"
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PARTS_AHEAD 4
#define LOOKED_AGAIN_NS 20000000

static u8 *file;
static u64 stride;
/* By slot, bits: parts of its rings that have memory, or will have by its thread. */
static u64 *taken;

/* Takes a part of a slot's ring that its thread comes near. Returns whether it did. A thread that
 * records little has no more than its first part, where it may take more itself. */
static int take_next(u32 number, int is_forbidden) {
  u8 *slot = file + FILE_BYTES + stride * number;
  u64 next = RELAXED(*(u64 *)(slot + SLOT_POSITION)) + WRITE_MOST_BYTES;
  if (next < PART_BYTES && !is_forbidden) return 0;
  taken[number] |= 1ul << write_part(slot, next);
  for (u32 ahead = 1; ahead <= PARTS_AHEAD; ahead++) {
    u32 part = write_part(slot, next + ahead * PART_BYTES);
    u8 *at = slot + SLOT_BYTES + part * PART_BYTES;
    if (taken[number] >> part & 1) continue;
    taken[number] |= 1ul << part;
    if (madvise(at, PART_BYTES, MADV_POPULATE_WRITE)) return 0;
    madvise(at, PART_BYTES, MADV_DONTNEED); /* it stays in the file */
    __atomic_fetch_or((u64 *)(slot + SLOT_FILLED), 1ul << part, __ATOMIC_RELEASE);
    return 1;
  }
  return 0;
}

static void *take_ahead(void *none) {
  u32 *parts = (u32 *)(file + FILE_PARTS);
  for (;;) {
    u32 seen = __atomic_load_n(parts, __ATOMIC_ACQUIRE), count, any;
    int is_forbidden = forbidden_read() != 0;
    do {
      any = 0;
      count = RELAXED(*(u32 *)(file + FILE_USED_SLOTS));
      for (u32 number = 0; number < count; number++) any += (u32)take_next(number, is_forbidden);
    } while (any);
    forbidden_say();
    /* The program may not be able to wake us. */
    const struct timespec soon = {.tv_nsec = LOOKED_AGAIN_NS};
    syscall(__NR_futex, parts, FUTEX_WAIT, seen, is_forbidden ? &soon : 0, 0, 0);
  }
  return none;
}

void ahead_begin(int ring_file, u64 slot_stride, u32 slot_count) {
  pthread_t thread;
  sigset_t all, before;
  u64 bytes = FILE_BYTES + slot_stride * slot_count;
  void *at = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring_file, 0);
  taken = calloc(slot_count, sizeof *taken);
  if (at == MAP_FAILED || !taken) return;
  file = at;
  stride = slot_stride;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (pthread_create(&thread, 0, take_ahead, 0) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, 0);
}
