/* Start of the engine in a process: the ring file and the switches. */
#include "crash.h"
#include "maps.h"
#include "text.h"

#define MADV_WIPE_ON_FORK 18
#define OPEN_FLAGS (2 | 0100 | 02000000 | 0400000) /* read-write, create, close-on-exec, no link */

EXPORT u32 engine_version(void) {
  return ENGINE_VERSION;
}

/* Of the ring file in use. */
EXPORT const char *engine_ring_path(void) {
  return engine_file.path;
}

static long map_fixed(void *at, u64 bytes, int sharing) {
  long got = raw6(__NR_mmap, at, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return got == (long)at ? 0 : got;
}

/* The flags are shared with forked children, so that a removed hook is off in them too; what is true
 * of one process alone lies in a page that a child finds zeroed. */
static long make_switches(void) {
  long failed = map_fixed(engine_flags, sizeof engine_flags, MAP_SHARED);
  if (!failed) failed = map_fixed(&engine_process, PAGE, MAP_PRIVATE);
  return failed ? failed : raw3(__NR_madvise, &engine_process, PAGE, MADV_WIPE_ON_FORK);
}

/* Creates and maps the ring file. `ring_bytes`: power of two, at least 16384. `key_create`,
 * `set_specific` and `at_fork` are pthread_key_create, pthread_setspecific and pthread_atfork (with or
 * without the library's handle), or null. Returns 0 or a negative error number; -EEXIST while it is
 * started already. */
EXPORT int engine_start(const char *path, u32 slot_count, u32 ring_bytes, int (*key_create)(u32 *, void (*)(void *)),
                        int (*set_specific)(u32, const void *),
                        int (*at_fork)(void (*)(void), void (*)(void), void (*)(void), void *)) {
  if (engine_process.epoch) return -ERR_EXIST;
  if (slot_count == 0 || ring_bytes < 16384 || (ring_bytes & (ring_bytes - 1))) return -ERR_INVALID;
  u32 length = 0;
  while (path[length]) length++;
  if (length >= PATH_BYTES - FORKED_NAME_BYTES) return -ERR_INVALID;
  put_text(engine_file.path, 0, path);
  engine_pid = (u32)raw0(__NR_getpid);
  engine_file.slot_count = slot_count;
  engine_file.ring_bytes = ring_bytes;
  long failed = make_switches();
  if (!failed) failed = ring_file_make(&engine_file, OPEN_FLAGS, engine_pid, 0);
  if (failed) return (int)failed;
  engine_mask = engine_file.ring_bytes - 1;
  crash_open(path);
  thread_start(key_create, set_specific);
  forked_start(at_fork);
  return 0;
}
