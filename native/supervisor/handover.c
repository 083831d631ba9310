/* See handover.h. */
#define _GNU_SOURCE
#include "handover.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int file = -1;

void handover_open(const char *path) { file = open(path, O_RDWR | O_CLOEXEC); }

static ssize_t program_of(const char *link, char *path, size_t room) {
  ssize_t got = readlink(link, path, room - 1);
  path[got > 0 ? got : 0] = 0;
  return got;
}

bool handover_is_stopper(pid_t pid) {
  char link[64], own[PATH_MAX], other[PATH_MAX];
  snprintf(link, sizeof link, "/proc/%d/exe", pid);
  if (program_of("/proc/self/exe", own, sizeof own) <= 0 ||
      program_of(link, other, sizeof other) <= 0)
    return false;
  size_t folder = (size_t)(strrchr(own, '/') - own) + 1;
  return strncmp(own, other, folder) == 0 && strcmp(other + folder, "stopper") == 0;
}

/* Of the open file, not the process: the supervisor and its standby share it. */
static struct flock byte_of(pid_t pid, short type) {
  return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = pid, .l_len = 1};
}

void handover_await(pid_t pid) {
  struct flock lock = byte_of(pid, F_WRLCK);
  fcntl(file, F_OFD_SETLK, &lock);
}

void handover_forget(pid_t pid) {
  struct flock lock = byte_of(pid, F_UNLCK);
  fcntl(file, F_OFD_SETLK, &lock);
}

bool handover_is_awaited(pid_t pid) {
  struct flock lock = byte_of(pid, F_WRLCK);
  return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}
