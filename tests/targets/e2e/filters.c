// Sets a filter of its own system calls, then works on. Arguments: how (prctl, syscall, strict, sync or all), what a
// forbidden call does (kill, errno or trap), whether it works on a new thread, too, and whether it waits
// for a line before the filter and before its end.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))

static const char *how, *does;

static unsigned otherwise(void) {
  if (strcmp(does, "kill") == 0) return SECCOMP_RET_KILL_PROCESS;
  return strcmp(does, "trap") == 0 ? SECCOMP_RET_TRAP : SECCOMP_RET_ERRNO | EPERM;
}

static int set_filter(void) {
  struct sock_filter few[] = {
    LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xc000003e, 1, 0), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
    LOAD(nr), ALLOW(read), ALLOW(write), ALLOW(exit), ALLOW(exit_group), ALLOW(rt_sigreturn), ALLOW(rt_sigprocmask), ALLOW(rt_sigaction),
    ALLOW(clone), ALLOW(clone3), ALLOW(mmap), ALLOW(mprotect), ALLOW(munmap), ALLOW(set_robust_list), ALLOW(rseq),
    ALLOW(futex), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3), LOAD(args[2]),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 4, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_RET | BPF_K, otherwise()),
  };
  struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {sizeof few / sizeof *few, few};
  if (strcmp(how, "all") == 0) program = (struct sock_fprog){1, all};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (strcmp(how, "strict") == 0) return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  if (strcmp(how, "prctl") == 0) return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  unsigned flags = strcmp(how, "sync") == 0 ? SECCOMP_FILTER_FLAG_TSYNC : 0;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

__attribute__((noinline)) size_t measure(const char *text) { volatile size_t length = strlen(text); return length; }

static size_t sum;
static char text[32] = "kept in data";

static void *work(void *unused) {
  for (int i = 0; i < 1000; i++) sum += measure(text);
  return unused;
}

static _Atomic int goes_on = 1, turns;
static void *work_beside(void *unused) {
  static char own[] = "worked beside";
  for (; goes_on; turns++) if (measure(own) != 13) abort();
  return unused;
}

int main(int count, char **words) {
  pthread_t thread, beside;
  how = count > 1 ? words[1] : "prctl";
  does = count > 2 ? words[2] : "kill";
  char line[64];
  int waits = count > 4;
  if (waits && (write(1, "ready\n", 6) != 6 || read(0, line, sizeof line) < 1)) return 8;
  work(NULL);
  int has_sync = strcmp(how, "sync") == 0;
  if (has_sync) pthread_create(&beside, NULL, work_beside, NULL);
  while (has_sync && turns < 10) {}
  int failed = set_filter();
  work(NULL);
  if (count > 3 && pthread_create(&thread, NULL, work, NULL) == 0) pthread_join(thread, NULL);
  for (int seen = turns; has_sync && turns < seen + 1000;) {}
  goes_on = 0;
  if (has_sync) pthread_join(beside, NULL);
  int bytes = snprintf(line, sizeof line, "filter %d, sum %zu\n", failed, sum);
  if (write(1, line, (size_t)bytes) != bytes) return 9;
  if (waits && read(0, line, sizeof line) < 1) return 8;
  syscall(strcmp(how, "strict") == 0 ? SYS_exit : SYS_exit_group, 13);
}
