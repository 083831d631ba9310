/* Making a ring file and taking memory for it, with raw system calls only: a forked child does so
 * inside a traced function. */
#include "ringFile.h"
#include "clock.h"
#include "cpu.h"
#include "family.h"
#include "maps.h"
#include "plan.h"
#include "process.h"
#include "raw.h"
#include "ringSpace.h"
#include "rings.h"
#include "signals.h"
#include "tables.h"
#include "wake.h"

#define PART_ROWS_BYTES ((u64)COUNTED_COUNT * COUNTED_BYTES)

#define LEAST_RING_BYTES 16384u
#define RESOURCE_FILE_SIZE 1
#define ANCHOR_TRIES 4
#define MADV_REMOVE 9
#define MADV_POPULATE_WRITE 23

static u32 used_rows = 1;               /* the first is nobody's */
static u32 backed_rows = COUNTED_COUNT; /* of each slot's table */
static u32 has_no_rows;                 /* there was no memory for more */

static u64 backed_beyond(void) { return (u64)(backed_rows - COUNTED_COUNT) * COUNTED_BYTES; }

/* Cycle counter and clock, read together as closely as a few tries allow: between the two reads
 * the process may lose its processor. */
static void write_anchor(u8 *base) {
  u64 best = ~0ul;
  for (int i = 0; i < ANCHOR_TRIES; i++) {
    u64 before = timestamp(), now = clock_now(), after = timestamp();
    if (after - before >= best) continue;
    best = after - before;
    *(u64 *)(base + FILE_ANCHOR_TSC) = before + best / 2;
    *(u64 *)(base + FILE_ANCHOR_MONOTONIC_NS) = now;
  }
}

static void write_header(const struct ring_file *file, u32 pid, u32 parent) {
  u8 *base = file->base;
  *(u32 *)(base + FILE_VERSION) = RECORD_VERSION;
  *(u32 *)(base + FILE_PID) = pid;
  *(u32 *)(base + FILE_PARENT) = parent;
  *(u32 *)(base + FILE_SLOT_COUNT) = file->slot_count;
  *(u32 *)(base + FILE_RING_BYTES) = file->ring_bytes;
  *(u64 *)(base + FILE_SLOT_STRIDE) = file->stride;
  *(u32 *)(base + FILE_COUNTED_ROWS) = used_rows;
  *(u32 *)(base + FILE_WAKES) = 1;
  *(u32 *)(base + FILE_FUNCTION_BASE) = RELAXED(engine_next_local);
  write_anchor(base);
  __atomic_store_n((u64 *)(base + FILE_MAGIC), RECORD_MAGIC, __ATOMIC_RELEASE);
}

COLD void ring_file_wake(u8 *slot) {
  *(volatile u32 *)(slot + SLOT_ASLEEP) = 0;
  u8 *base = engine_file.base;
  wake_reader((u32 *)(base + FILE_ASLEEP), (u32 *)(base + FILE_WAKES), engine_file.path);
}

u64 file_limit(void) {
  u64 limit[2] = {~0ul, ~0ul};
  raw4(__NR_prlimit64, 0, RESOURCE_FILE_SIZE, 0, limit);
  return limit[0];
}

static u64 measure(struct ring_file *file) {
  /* see grow.c */
  file->stride = SLOT_BYTES + rows_beyond(file) + 2 * (u64)file->most_bytes - file->ring_bytes;
  return FILE_BYTES + file->stride * file->slot_count;
}

/* Makes the file small enough for the process. */
static u64 fit(struct ring_file *file) {
  u64 limit = file_limit(), bytes;
  while ((bytes = measure(file)) > limit) {
    if (file->rows > backed_rows) file->rows = backed_rows;
    else if (file->most_bytes > file->ring_bytes) file->most_bytes /= 2;
    else if (file->ring_bytes > LEAST_RING_BYTES) file->most_bytes = file->ring_bytes /= 2;
    else {
      u64 slots = limit < FILE_BYTES ? 0 : (limit - FILE_BYTES) / file->stride;
      if (slots == 0) return 0;
      file->slot_count = (u32)slots;
    }
  }
  return bytes;
}

static long map(const struct ring_file *file, long fd, u64 bytes) {
  long failed = raw2(__NR_ftruncate, fd, bytes);
  return failed ? failed : ring_space_map(file, fd, bytes);
}

long ring_file_make(struct ring_file *file, u32 flags, u32 pid, u32 parent) {
  u64 status[18], bytes = fit(file);
  if (bytes == 0) return -ERR_TOO_BIG;
  long fd = raw_open(file->path, flags, 0600);
  if (fd < 0) return fd;
  long failed = raw4(__NR_fallocate, fd, 0, 0, FILE_BYTES);
  if (!failed) failed = raw2(__NR_fstat, fd, status);
  long at = failed ? failed : map(file, fd, bytes);
  /* A limit on the process's addresses: its rings do not grow. */
  if (at == -ERR_NO_MEMORY && file->most_bytes > file->ring_bytes) {
    file->most_bytes = file->ring_bytes;
    file->rows = backed_rows;
    bytes = measure(file);
    at = map(file, fd, bytes);
  }
  raw1(__NR_close, fd);
  if (at < 0 && at > -4096) {
    raw_unlink(file->path);
    return at;
  }
  file->device = status[0];
  file->inode = status[1];
  file->base = (u8 *)at;
  file->is_forked = parent != 0;
  file->left_bytes = 0;
  file->grown = 0;
  has_no_rows = 0;
  write_header(file, pid, parent);
  return 0;
}

/* Kernels before 5.14 lack MADV_POPULATE_WRITE: the file is opened again, if it is still ours. */
static COLD int allocate_by_path(u64 offset, u64 length) {
  long file = raw_open(engine_file.path, OPEN_READ_WRITE | OPEN_NO_LINK, 0);
  if (file < 0) return 0;
  u64 status[18];
  int same = raw2(__NR_fstat, file, status) == 0 && status[0] == engine_file.device &&
             status[1] == engine_file.inode;
  long failed = same ? raw4(__NR_fallocate, file, 0, offset, length) : -1;
  raw1(__NR_close, file);
  return failed == 0;
}

int ring_file_fill(u8 *at, u64 bytes) {
  if (!ring_space_open(at, bytes)) return 0;
  long failed = raw3(__NR_madvise, at, bytes, MADV_POPULATE_WRITE);
  if (failed == 0) return 1;
  if (failed == -ERR_INVALID && allocate_by_path((u64)(at - engine_file.base), bytes)) return 1;
  return 0;
}

void ring_file_empty(u8 *at, u64 bytes) { raw3(__NR_madvise, at, bytes, MADV_REMOVE); }

u64 ring_file_head_bytes(void) { return SLOT_BYTES + backed_beyond(); }

int ring_file_allocate(u8 *slot, int is_fresh) {
  u64 head = ring_file_head_bytes();
  u8 *ring = slot + SLOT_BYTES + rows_beyond(&engine_file);
  if (is_fresh && engine_file.is_forked && !family_take(head + engine_file.ring_bytes)) return 0;
  if (ring_file_fill(slot, head) && ring_file_fill(ring, engine_file.ring_bytes)) return 1;
  if (!is_fresh) return 0;
  /* What was got before it failed. */
  ring_file_empty(slot, head);
  ring_file_empty(ring, engine_file.ring_bytes);
  return 0;
}

/* With the lock held, so that no thread takes a slot meanwhile. */
static int add_rows(u32 row) {
  u32 used = *(u32 *)(engine_file.base + FILE_USED_SLOTS);
  u8 *first = engine_file.base + FILE_BYTES + SLOT_BYTES + backed_beyond();
  if (row < backed_rows) return 1;
  if (backed_rows >= engine_file.rows) return 0;
  if (engine_file.is_forked && !family_take(used * PART_ROWS_BYTES)) return 0;
  for (u32 slot = 0; slot < used; slot++) {
    if (ring_file_fill(first + engine_file.stride * slot, PART_ROWS_BYTES)) continue;
    for (u32 filled = 0; filled <= slot; filled++)
      ring_file_empty(first + engine_file.stride * filled, PART_ROWS_BYTES);
    if (engine_file.is_forked) family_give(used * PART_ROWS_BYTES);
    return 0;
  }
  SET_RELAXED(backed_rows, backed_rows + COUNTED_COUNT);
  return 1;
}

static int has_row(u32 row) {
  u64 before;
  if (row < RELAXED(backed_rows)) return 1;
  if (RELAXED(has_no_rows) || engine_sandboxed || signals_block(&before)) return 0;
  take_lock(&engine_process.claim_lock);
  int added = 0;
  if (ring_space_begin()) {
    added = add_rows(row);
    ring_space_end();
  }
  if (!added) SET_RELAXED(has_no_rows, 1);
  give_lock(&engine_process.claim_lock);
  signals_set(&before);
  return added;
}

static void raise(u32 *word, u32 value) {
  u32 now = RELAXED(*word);
  while (now < value &&
         !__atomic_compare_exchange_n(word, &now, value, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
}

/* Two threads may take one each for it: then
 * one of them stays empty. Nobody waits for a thread that does this, as it may have lost its
 * processor. */
int ring_file_take_row(u32 fn) {
  u32 row = RELAXED(used_rows), none = 0;
  if (RELAXED(engine_counted_rows[fn])) return 1;
  do {
    if (!has_row(row)) return 0;
  } while (!__atomic_compare_exchange_n(&used_rows, &row, row + 1, 1, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  raise((u32 *)(engine_file.base + FILE_COUNTED_ROWS), row + 1);
  __atomic_compare_exchange_n(&engine_counted_rows[fn], &none, SLOT_COUNTED + COUNTED_BYTES * row,
                              0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return 1;
}
