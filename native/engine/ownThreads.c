/* The instrumentation's own threads: see ownThreads.h. */
#include "ownThreads.h"
#include "cpu.h"
#include "raw.h"
#include "text.h"

#define MOST 64
#define STAT_BYTES 512u
#define BEGAN_FIELD 22 /* of proc_pid_stat(5) */

static struct {
  u32 tid;
  u64 began;
} own[MOST];
static u32 own_count;

/* Clock ticks since the machine began; 0 where that cannot be read. */
static u64 began_at(u32 tid) {
  char path[64];
  u8 stat[STAT_BYTES];
  put_text(path, put_number(path, put_text(path, 0, "/proc/self/task/"), tid), "/stat");
  long file = raw_open(path, OPEN_READ, 0);
  if (file < 0) return 0;
  long got = raw3(__NR_read, file, stat, sizeof stat);
  raw1(__NR_close, file);
  /* The name, which ends the second field, may hold anything. */
  long at = got;
  while (at > 0 && stat[at - 1] != ')') at--;
  for (u32 field = 2; at && at < got && field < BEGAN_FIELD; at++) field += stat[at] == ' ';
  u64 ticks = 0;
  for (; at && at < got && stat[at] >= '0' && stat[at] <= '9'; at++)
    ticks = ticks * 10 + (stat[at] - '0');
  return ticks;
}

u32 own_threads_set(const u32 *tids, u32 count) {
  own_count = 0;
  for (u32 i = 0; i < count && i < MOST; i++) {
    own[i].tid = tids[i];
    own[i].began = began_at(tids[i]);
    own_count = i + 1;
  }
  return own_count;
}

int thread_is_ignored(u32 tid) {
  for (u32 i = 0; i < own_count; i++) {
    if (own[i].tid != tid) continue;
    u64 began = own[i].began ? began_at(tid) : 0;
    return !began || began == own[i].began;
  }
  return 0;
}
