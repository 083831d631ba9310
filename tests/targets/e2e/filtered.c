// Forbids itself what changes memory, waits for a line, then works on. Argument: wait, violate or kill.
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FORBID(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

static int filter(void) {
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    FORBID(open), FORBID(mmap), FORBID(mprotect), FORBID(memfd_create),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

__attribute__((noinline)) int early(int step) { volatile int x = step; for (int i = 0; i < 3; i++) x += i; return x - 2; }
__attribute__((noinline)) int work(int step) { volatile int x = step; for (int i = 0; i < 3; i++) x += i; return x - 2; }

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "wait";
  char line[16];
  if (early(1) != 2 || filter() != 0) return 9;
  if (write(1, "ready\n", 6) != 6 || read(0, line, sizeof line) < 0) return 8;
  if (strcmp(what, "violate") == 0) syscall(SYS_memfd_create, "", 0);
  if (strcmp(what, "kill") == 0) raise(SIGKILL);
  return work(5) == 6 ? 3 : 7; /* last */
}
