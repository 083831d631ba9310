/* See oneThread.h. */
#include "oneThread.h"
#include "raw.h"
#include "tasks.h"

/* Of unshare: CLONE_NEWUSER, CLONE_THREAD, CLONE_SIGHAND, CLONE_VM. */
#define FOR_ONE_THREAD 0x10010900
#define LOOKS 5000
#define LOOK_NS 2000000
/* The kernel counts a thread for some microseconds after it lists it no more (__exit_signal, then
 * __cleanup_sighand). */
#define CALLS 50

int one_thread_needed(long number, long flags) {
  return number == __NR_setns || (number == __NR_unshare && flags & FOR_ONE_THREAD);
}

static void count_task(u32 tid, void *count) {
  (void)tid;
  ++*(u32 *)count;
}

static int is_alone(void) {
  u32 count = 0;
  tasks_each(count_task, &count);
  return count <= 1;
}

static int is_forbidden(long answer) { return answer == -ERR_INVALID || answer == -ERR_USERS; }

long one_thread_call(long number, long a, long b, u32 (*leave)(void), int *errno_place) {
  long answer = raw2(number, a, b);
  if (is_forbidden(answer) && one_thread_needed(number, a) && !is_alone() && leave()) {
    const long pause[2] = {0, LOOK_NS};
    for (u32 i = 0; i < LOOKS && !is_alone(); i++) raw2(__NR_nanosleep, pause, 0);
    for (u32 i = 0; i < CALLS && is_forbidden(answer); i++) {
      if (i > 0) raw2(__NR_nanosleep, pause, 0);
      answer = raw2(number, a, b);
    }
  }
  if (answer >= 0) return answer;
  *errno_place = (int)-answer;
  return -1;
}
