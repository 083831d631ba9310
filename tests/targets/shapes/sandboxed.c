// Filters its own system calls, then works on: what is not on its list ends it. Argument: strict, filter, violation, sync, threads or errno.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) int work(int step) { volatile int x = step; for (int i = 0; i < 3; i++) x += i; return x - 2; }
__attribute__((noinline)) int late(int step) { volatile int x = step; for (int i = 0; i < 3; i++) x += i; return x - 2; }

#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int filter(unsigned otherwise, unsigned flags) {
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    ALLOW(write), ALLOW(exit), ALLOW(exit_group), ALLOW(rt_sigreturn),
    BPF_STMT(BPF_RET | BPF_K, otherwise),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static _Atomic int waits;
static void *wait_here(void *unused) {
  for (waits = 1;;) pause();
  return unused;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "strict";
  pthread_t thread;
  int sum = work(0), failed = 0;
  if (strcmp(what, "threads") == 0) {
    pthread_create(&thread, NULL, wait_here, NULL);
    while (!waits) {} /* its beginning makes calls that the filter forbids */
    failed = filter(SECCOMP_RET_ERRNO | EPERM, SECCOMP_FILTER_FLAG_TSYNC);
  } else if (strcmp(what, "strict") == 0) failed = prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  else if (strcmp(what, "errno") == 0) failed = filter(SECCOMP_RET_ERRNO | EPERM, 0);
  else if (strcmp(what, "sync") == 0) failed = filter(SECCOMP_RET_KILL_PROCESS, SECCOMP_FILTER_FLAG_TSYNC);
  else failed = filter(SECCOMP_RET_KILL_PROCESS, 0);
  for (int step = 0; step < 100000; step++) sum += work(step) - step + late(step) - step;
  if (strcmp(what, "violation") == 0) getpid();
  char line[64];
  int bytes = snprintf(line, sizeof line, "filter %d, sum %d\n", failed, sum);
  if (write(1, line, (size_t)bytes) != bytes) return 9;
  syscall(strcmp(what, "threads") == 0 ? SYS_exit_group : SYS_exit, 13);
}
