/* See oneThread.h. */
#include "oneThread.h"
#include "raw.h"
#include "tasks.h"

/* Of unshare: CLONE_NEWUSER, CLONE_THREAD, CLONE_SIGHAND, CLONE_VM. */
#define FOR_ONE_THREAD 0x10010900
#define MEMORY \
  0x100 /* CLONE_VM: unshare(2) of it changes nothing, and is refused to one of several */
#define LOOK_NS 2000000
#define LOOKS 5000
/* A thread of ours that ends is listed for a while after it is no more known as ours: one that is
 * taken for the program's own may be gone at the next look. */
#define LOOKS_AT_OTHERS 25
/* The kernel counts a thread for some microseconds after it lists it no more (__exit_signal, then
 * __cleanup_sighand). */
#define LOOKS_AT_COUNT 50

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

static void pause_once(void) {
  const long pause[2] = {0, LOOK_NS};
  raw2(__NR_nanosleep, pause, 0);
}

/* Whether the caller is the only one that is listed, in the end. */
static int becomes_alone(u32 (*leave)(void)) {
  u32 has_left = 0;
  for (u32 i = 0; i < (has_left ? LOOKS : LOOKS_AT_OTHERS); i++) {
    if (is_alone()) return 1;
    if (!has_left) has_left = leave();
    pause_once();
  }
  return is_alone();
}

static void wait_for_count(void) {
  for (u32 i = 0; i < LOOKS_AT_COUNT && raw2(__NR_unshare, MEMORY, 0) < 0; i++) pause_once();
}

static int is_forbidden(long answer) { return answer == -ERR_INVALID || answer == -ERR_USERS; }

long one_thread_call(long number, long a, long b, u32 (*leave)(void), int *errno_place) {
  long answer = raw2(number, a, b);
  /* One that is alone by now may not have been when it was refused. */
  if (is_forbidden(answer) && one_thread_needed(number, a) && becomes_alone(leave)) {
    if (number == __NR_unshare) wait_for_count();
    answer = raw2(number, a, b);
  }
  if (answer >= 0) return answer;
  *errno_place = (int)-answer;
  return -1;
}
