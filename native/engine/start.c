/* Start of the engine in a process: the ring file and the switches. */
#include "cpu.h"
#include "crash.h"
#include "definitions.h"
#include "family.h"
#include "forked.h"
#include "maps.h"
#include "process.h"
#include "raw.h"
#include "reads.h"
#include "ringFile.h"
#include "rings.h"
#include "sentSignals.h"
#include "tables.h"
#include "text.h"
#include "thread.h"

#define ENGINE_VERSION 1
#define MADV_WIPE_ON_FORK 18

EXPORT u32 engine_version(void) { return ENGINE_VERSION; }

/* Of the ring file in use. */
EXPORT const char *engine_ring_path(void) { return engine_file.path; }

static long map_fixed(void *at, u64 bytes, int sharing) {
  long got = raw6(__NR_mmap, at, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS | MAP_FIXED,
                  -1, 0);
  return got == (long)at ? 0 : got;
}

/* The flags are shared with forked children, so that a removed hook is off in them too; what is
 * true of one process alone lies in a page that a child finds zeroed. */
static long make_switches(void) {
  u64 switches = (u64)((u8 *)&engine_recording - engine_flags) + PAGE;
  long failed = map_fixed(engine_flags, switches, MAP_SHARED);
  if (!failed) failed = map_fixed(&engine_process, PAGE, MAP_PRIVATE);
  return failed ? failed : raw3(__NR_madvise, &engine_process, PAGE, MADV_WIPE_ON_FORK);
}

static int is_ring_size(u32 bytes) {
  return bytes >= 16384 && bytes <= 1u << 30 && !(bytes & (bytes - 1));
}

/* Creates and maps the ring file. `ring_bytes`, of a thread's first ring, and `most_bytes`, of its
 * largest one: powers of two, at least 16384; `grow_bytes`: what all rings together may take more.
 * `key_create`, `set_specific` and `at_fork` are pthread_key_create, pthread_setspecific and
 * pthread_atfork (with or without the library's handle), or null. Returns 0 or a negative error
 * number; -EEXIST while it is started already. */
EXPORT int engine_start(const char *path, u32 slot_count, u32 ring_bytes, u32 most_bytes,
                        u64 grow_bytes, int (*key_create)(u32 *, void (*)(void *)),
                        int (*set_specific)(u32, const void *),
                        int (*at_fork)(void (*)(void), void (*)(void), void (*)(void), void *)) {
  static int is_registered;
  if (engine_process.epoch) return -ERR_EXIST;
  if (slot_count == 0 || !is_ring_size(ring_bytes) || !is_ring_size(most_bytes) ||
      most_bytes < ring_bytes)
    return -ERR_INVALID;
  u32 length = 0;
  while (path[length]) length++;
  if (length >= PATH_BYTES - FORKED_NAME_BYTES) return -ERR_INVALID;
  put_text(engine_file.path, 0, path);
  engine_pid = (u32)raw0(__NR_getpid);
  engine_file.slot_count = slot_count;
  engine_file.ring_bytes = ring_bytes;
  engine_file.most_bytes = most_bytes;
  engine_file.grow_bytes = grow_bytes;
  engine_file.rows = RECORD_MAX_FUNCTIONS;
  long failed = make_switches();
  if (!failed)
    failed =
        ring_file_make(&engine_file, OPEN_READ_WRITE | OPEN_CREATE | OPEN_NO_LINK, engine_pid, 0);
  if (!failed) failed = family_open(path);
  if (failed) return (int)failed;
  crash_open(path);
  reads_start();
  thread_start(key_create, set_specific);
  if (at_fork && !is_registered)
    is_registered = at_fork(signals_before_fork, 0, engine_forked_child, 0) == 0;
  forked_start();
  definitions_start();
  return 0;
}
