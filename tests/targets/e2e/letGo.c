/*
 * letGo FILE: prints "up", and once FILE.go exists does to itself what tracing guards against; writes to FILE how each
 * call ended, then "end".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) int worked(int number) { return number + 1; }

static void say(FILE *file, const char *what, long answer) {
  fprintf(file, "%s %ld %s\n", what, answer, answer < 0 ? strerror(errno) : "");
  fflush(file);
}

int main(int count, char **words) {
  char go[4096], name[16] = "";
  struct rlimit limit;
  struct stat status;
  FILE *file = count > 1 ? fopen(words[1], "we") : NULL;
  if (!file) return 1;
  snprintf(go, sizeof go, "%s.go", words[1]);
  puts("up");
  fflush(stdout);
  while (access(go, F_OK) < 0) usleep(1000 * (unsigned)worked(1));
  say(file, "prctl", prctl(PR_GET_NAME, name, 0, 0, 0));
  say(file, "wrong prctl", prctl(-1, 0, 0, 0, 0));
  int opened = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  say(file, "close_range", close_range((unsigned)opened, (unsigned)opened, 0));
  say(file, "closed", fcntl(opened, F_GETFD));
  say(file, "close", close(-1));
  say(file, "wrong close_range", close_range(9, 8, 0));
  say(file, "unshare", unshare(CLONE_FS));
  say(file, "setns", setns(-1, 0));
  say(file, "wrong mlockall", mlockall(-1));
  say(file, "mlockall", mlockall(MCL_CURRENT));
  say(file, "munlockall", munlockall());
  say(file, "syscall", syscall(SYS_close, -1));
  say(file, "getrlimit", getrlimit(RLIMIT_NOFILE, &limit));
  say(file, "setrlimit", setrlimit(RLIMIT_NOFILE, &limit));
  say(file, "prlimit", prlimit(0, RLIMIT_NOFILE, NULL, &limit));
  say(file, "stat", stat("/nowhere", &status));
  say(file, "links", stat("/proc/self/task", &status) == 0 ? (long)status.st_nlink : -1);
  say(file, "end", 0);
  return 0;
}
