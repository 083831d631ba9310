/* See ahead.h. What lies in a page that another has taken already stays as it is. */
#define _GNU_SOURCE
#include "ahead.h"
#include "target/write.h"
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AHEAD_BYTES (4ul << 20)

static u8 *file;
static u64 stride;
static u32 ring_size;
/* By slot: so much of its ring has memory, or will have by its thread. */
static u64 *taken;

/* Takes the next part of a slot's ring, if its thread comes near. Returns whether it did. A thread
 * that records little has no more than its first part. */
static int take_next(u32 number) {
  u8 *slot = file + FILE_BYTES + stride * number;
  u64 its_own = (RELAXED(*(u64 *)(slot + SLOT_POSITION)) + WRITE_MOST_BYTES) & ~(PART_BYTES - 1);
  u64 from = its_own + PART_BYTES;
  if (!its_own) return 0;
  if (taken[number] < from) taken[number] = from;
  if (taken[number] >= from + AHEAD_BYTES || taken[number] >= ring_size) return 0;
  struct filled *filled = (struct filled *)(slot + SLOT_FILLED);
  struct filled now = *filled;
  u32 at = (u32)taken[number];
  taken[number] += PART_BYTES;
  if (madvise(slot + SLOT_BYTES + at, PART_BYTES, MADV_POPULATE_WRITE)) return 0;
  madvise(slot + SLOT_BYTES + at, PART_BYTES, MADV_DONTNEED); /* it stays in the file */
  if (now.from + now.bytes != at) now = (struct filled){.from = at};
  now.bytes += PART_BYTES;
  __atomic_store(filled, &now, __ATOMIC_RELEASE);
  return 1;
}

static void *take_ahead(void *none) {
  u32 *parts = (u32 *)(file + FILE_PARTS);
  for (;;) {
    u32 seen = __atomic_load_n(parts, __ATOMIC_ACQUIRE), count, any;
    do {
      any = 0;
      count = RELAXED(*(u32 *)(file + FILE_USED_SLOTS));
      for (u32 number = 0; number < count; number++) any += (u32)take_next(number);
    } while (any);
    syscall(__NR_futex, parts, FUTEX_WAIT, seen, 0, 0, 0);
  }
  return none;
}

void ahead_begin(int ring_file, u64 slot_stride, u32 slot_count, u32 ring_bytes) {
  pthread_t thread;
  sigset_t all, before;
  u64 bytes = FILE_BYTES + slot_stride * slot_count;
  void *at = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring_file, 0);
  taken = calloc(slot_count, sizeof *taken);
  if (at == MAP_FAILED || !taken) return;
  file = at;
  stride = slot_stride;
  ring_size = ring_bytes;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (pthread_create(&thread, 0, take_ahead, 0) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, 0);
}
