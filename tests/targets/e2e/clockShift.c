// clockShift: a library to preload; sets the clocks of a process by what the file $CLOCK_SHIFT holds
// (two 64-bit numbers, seconds: for the wall clock, for the time since boot), which may change.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t none[2];
static const volatile int64_t *shift = none;

__attribute__((constructor)) static void begin(void)
{
  const char *path = getenv("CLOCK_SHIFT");
  int fd = path ? syscall(SYS_open, path, O_RDONLY | O_CLOEXEC) : -1;
  void *at = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof none, PROT_READ, MAP_SHARED, fd, 0);
  if (at != MAP_FAILED) shift = at;
  if (fd >= 0) close(fd);
}

int clock_gettime(clockid_t which, struct timespec *now)
{
  int result = (int)syscall(SYS_clock_gettime, which, now);
  if (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE) now->tv_sec += shift[0];
  if (which == CLOCK_BOOTTIME) now->tv_sec += shift[1];
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
  struct timespec exact;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *into)
{
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (into) *into = exact.tv_sec;
  return exact.tv_sec;
}

/* proc_uptime(5): from CLOCK_BOOTTIME, and where it is read from. */
static int uptime_file(void)
{
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  int fd = memfd_create("uptime", MFD_CLOEXEC);
  dprintf(fd, "%lld.%02ld 0.00\n", (long long)now.tv_sec, now.tv_nsec / 10000000);
  lseek(fd, 0, SEEK_SET);
  return fd;
}

static int open_any(const char *path, int flags, mode_t mode)
{
  if (strcmp(path, "/proc/uptime") == 0) return uptime_file();
  return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

#define OPEN(name)                                                                                 \
  int name(const char *path, int flags, ...)                                                       \
  {                                                                                                \
    va_list more;                                                                                  \
    va_start(more, flags);                                                                         \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;                      \
    va_end(more);                                                                                  \
    return open_any(path, flags, mode);                                                            \
  }
OPEN(open)
OPEN(open64)
