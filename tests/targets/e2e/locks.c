// Locks its memory, as it may: `all`, `future`, `raw` (by libc's syscall), `limited` (unprivileged, 8 MB), `none`
// (unprivileged, nothing), `child` (in a forked one), `hold` (and calls until its input ends). Says what came of it,
// and whether it is no more than its own.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int work(int number)
{
  volatile int next = number + 1;
  return next;
}

static long lockedKilobytes(void)
{
  char line[256];
  long found = -1;
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (strncmp(line, "VmLck:", 6) == 0) found = atol(line + 6);
  if (status) fclose(status);
  return found;
}

static void limit(rlim_t bytes)
{
  struct rlimit both = {bytes, bytes};
  setrlimit(RLIMIT_MEMLOCK, &both);
  if (geteuid() == 0 && setuid(65534) != 0) _exit(9);
}

static int lock(const char *way)
{
  int flags = strcmp(way, "all") == 0 ? MCL_CURRENT : MCL_CURRENT | MCL_FUTURE;
  if (strcmp(way, "limited") == 0) limit(8 << 20);
  if (strcmp(way, "none") == 0) limit(0);
  int failed = strcmp(way, "raw") == 0 ? (int)syscall(SYS_mlockall, flags) : mlockall(flags);
  const char *came = failed ? strerror(errno) : "ok";
  long kilobytes = lockedKilobytes();
  printf("%s: %s, %s\n", way, came, kilobytes > 16 << 10 ? "too much" : "its own");
  if (kilobytes > 16 << 10) printf("%ld kB\n", kilobytes);
  fflush(stdout);
  return failed != 0;
}

int main(int count, char **words)
{
  const char *way = count > 1 ? words[1] : "all";
  int sum = 0, status = 0;
  for (int i = 0; i < 10; i++) sum += work(i);
  if (strcmp(way, "child") == 0)
  {
    if (fork() == 0)
    {
      int failed = lock(way);
      for (int i = 0; i < 10; i++) work(i);
      _exit(failed);
    }
    wait(&status);
  }
  else status = lock(way);
  for (char line[8]; strcmp(way, "hold") == 0 && fgets(line, sizeof line, stdin);)
  {
    printf("called %d\n", work(1));
    fflush(stdout);
  }
  char *more = malloc(1 << 20);
  memset(more, 1, 1 << 20);
  for (int i = 0; i < 10; i++) sum += work(more[i]);
  printf("%d %d\n", sum, status);
  return 0;
}
