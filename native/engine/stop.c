/* Which threads run, see stop.h. /proc is asked by the process's number: the helper that traces
 * is a process of its own. */
#include "stop.h"
#include "text.h"

#define OPEN_CLOSE_ON_EXEC 02000000
#define OPEN_DIRECTORY 0200000

u64 stop_now(void) {
  struct {
    u64 seconds, nanoseconds;
  } time = {0, 0};
  raw2(__NR_clock_gettime, 1, &time);
  return time.seconds * 1000000000ul + time.nanoseconds;
}

static u32 put_task_folder(char *path) {
  u32 length = put_number(path, put_text(path, 0, "/proc/"), engine_pid);
  return put_text(path, length, "/task");
}

/* /proc says "running" where it would show a system call's number. */
int stop_is_running(u32 tid) {
  char path[64], word[8];
  u32 length = put_text(path, put_task_folder(path), "/");
  put_text(path, put_number(path, length, tid), "/syscall");
  long file = raw3(__NR_open, path, OPEN_CLOSE_ON_EXEC, 0);
  if (file < 0) return 0;
  long got = raw3(__NR_read, file, word, 8);
  raw1(__NR_close, file);
  return got >= 7 && word[0] == 'r' && word[1] == 'u' && word[2] == 'n';
}

void stop_each_thread(void (*visit)(u32, void *), void *argument) {
  u8 entries[4096] __attribute__((aligned(8)));
  char path[64];
  put_task_folder(path);
  long directory = raw3(__NR_open, path, OPEN_CLOSE_ON_EXEC | OPEN_DIRECTORY, 0);
  if (directory < 0) return;
  for (;;) {
    long got = raw3(__NR_getdents64, directory, entries, sizeof entries);
    if (got <= 0) break;
    for (long at = 0; at < got; at += *(u16 *)(entries + at + 16)) {
      const u8 *name = entries + at + 19;
      u32 tid = 0;
      for (; *name >= '0' && *name <= '9'; name++) tid = tid * 10 + (u32)(*name - '0');
      if (tid) visit(tid, argument);
    }
  }
  raw1(__NR_close, directory);
}

u32 stop_threads(const struct stop_work *work) {
  int stopped = stop_by_trace(work);
  return stopped >= 0 ? (u32)stopped : stop_by_signal(work);
}
