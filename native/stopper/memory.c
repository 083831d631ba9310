/* See memory.h. */
#define _GNU_SOURCE
#include "memory.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int file = -1;

static int opened(pid_t pid) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/mem", pid);
  return open(path, O_RDWR | O_CLOEXEC);
}

int memory_open(pid_t pid) {
  file = opened(pid);
  return file < 0 ? errno : 0;
}

u32 memory_read(u64 address, void *to, u32 bytes) {
  ssize_t got = pread(file, to, bytes, (off_t)address);
  return got < 0 ? 0 : (u32)got;
}

int memory_write(u64 address, const void *from, u32 bytes) {
  return pwrite(file, from, bytes, (off_t)address) == (ssize_t)bytes ? 0 : errno ? errno : EIO;
}

u32 memory_read_in(pid_t pid, u64 address, void *to, u32 bytes) {
  int other = opened(pid);
  if (other < 0) return 0;
  ssize_t got = pread(other, to, bytes, (off_t)address);
  close(other);
  return got < 0 ? 0 : (u32)got;
}

int memory_write_in(pid_t pid, u64 address, const void *from, u32 bytes) {
  int other = opened(pid);
  if (other < 0) return errno;
  int failed = pwrite(other, from, bytes, (off_t)address) == (ssize_t)bytes ? 0 : EIO;
  close(other);
  return failed;
}
