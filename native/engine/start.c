/* Start of the engine in a process: the ring file and the switches. */
#include "leave.h"
#include "maps.h"

#define MADV_WIPE_ON_FORK 18
#define OPEN_FLAGS (2 | 0100 | 02000000 | 0400000) /* read-write, create, close-on-exec, no link */

extern u8 engine_wiped_end[];

EXPORT u32 engine_version(void) {
  return ENGINE_VERSION;
}

/* Of the ring file in use. */
EXPORT const char *engine_ring_path(void) {
  return engine_file.path;
}

static void write_header(u8 *base, u32 slot_count, u32 ring_bytes) {
  struct {
    u64 seconds, nanoseconds;
  } time = {0, 0};
  *(u32 *)(base + FILE_VERSION) = RECORD_VERSION;
  *(u32 *)(base + FILE_PID) = engine_pid;
  *(u32 *)(base + FILE_SLOT_COUNT) = slot_count;
  *(u32 *)(base + FILE_RING_BYTES) = ring_bytes;
  *(u64 *)(base + FILE_SLOT_STRIDE) = engine_file.stride;
  raw2(__NR_clock_gettime, 1, &time);
  *(u64 *)(base + FILE_ANCHOR_TSC) = timestamp();
  *(u64 *)(base + FILE_ANCHOR_MONOTONIC_NS) = time.seconds * 1000000000ul + time.nanoseconds;
  __atomic_store_n((u64 *)(base + FILE_MAGIC), RECORD_MAGIC, __ATOMIC_RELEASE);
}

static long open_file(const char *path, u64 bytes) {
  long file = raw3(__NR_open, path, OPEN_FLAGS, 0600);
  if (file < 0) return file;
  u64 status[18];
  long failed = raw2(__NR_ftruncate, file, bytes);
  if (!failed) failed = raw4(__NR_fallocate, file, 0, 0, FILE_BYTES);
  if (!failed) failed = raw2(__NR_fstat, file, status);
  engine_file.device = status[0];
  engine_file.inode = status[1];
  long at = failed ? failed : leave_reuse(bytes, file);
  raw1(__NR_close, file);
  return at;
}

/* Flags and `engine_live` move to pages a forked child finds zeroed. */
static long make_switches(void) {
  u64 bytes = (u64)(engine_wiped_end - engine_flags);
  long at = raw6(__NR_mmap, engine_flags, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (at != (long)engine_flags) return at;
  return raw3(__NR_madvise, engine_flags, bytes, MADV_WIPE_ON_FORK);
}

/* Creates and maps the ring file. `ring_bytes`: power of two, at least 16384. `key_create` and
 * `set_specific` are pthread_key_create and pthread_setspecific, or null. Returns 0 or a negative
 * error number; -EEXIST while it is started already. */
EXPORT int engine_start(const char *path, u32 slot_count, u32 ring_bytes, int (*key_create)(u32 *, void (*)(void *)),
                        int (*set_specific)(u32, const void *)) {
  if (engine_live) return -ERR_EXIST;
  if (slot_count == 0 || ring_bytes < 16384 || (ring_bytes & (ring_bytes - 1))) return -ERR_INVALID;
  u32 length = 0;
  while (path[length] && length < sizeof engine_file.path - 1) {
    engine_file.path[length] = path[length];
    length++;
  }
  if (path[length]) return -ERR_INVALID;
  engine_file.path[length] = 0;
  engine_pid = (u32)raw0(__NR_getpid);
  engine_file.slot_count = slot_count;
  engine_file.ring_bytes = ring_bytes;
  engine_file.stride = SLOT_BYTES + (u64)ring_bytes;
  engine_mask = ring_bytes - 1;
  long failed = make_switches();
  if (failed) return (int)failed;
  long at = open_file(engine_file.path, FILE_BYTES + engine_file.stride * slot_count);
  if (at < 0 && at > -4096) return (int)at;
  engine_file.base = (u8 *)at;
  write_header(engine_file.base, slot_count, ring_bytes);
  thread_start(key_create, set_specific);
  __atomic_store_n(&engine_live, 1, __ATOMIC_SEQ_CST);
  return 0;
}
