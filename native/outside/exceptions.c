/* See exceptions.h. */
#define _GNU_SOURCE
#include "exceptions.h"
#include "../engine/exceptionFile.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define MOST_MAPS (1u << 20)

/* The lines of files. Returns their length. */
static u32 read_maps(pid_t pid, char *to) {
  char path[32], line[512];
  u32 length = 0;
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen(path, "re");
  while (maps && fgets(line, sizeof line, maps)) {
    u32 bytes = (u32)strlen(line);
    if (!strchr(line, '/') || bytes >= MOST_MAPS - length) continue;
    memcpy(to + length, line, bytes);
    length += bytes;
  }
  if (maps) fclose(maps);
  return length;
}

static void put_maps(u8 *file, pid_t pid) {
  struct timespec now;
  char *maps = malloc(MOST_MAPS);
  u32 own = (u32)getpid();
  if (!maps) return;
  clock_gettime(CLOCK_MONOTONIC, &now);
  struct exception_head head = {.kind = EXCEPTION_KIND_MAPS,
                                .time = (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec,
                                .pid = (u32)pid,
                                .stack_bytes = read_maps(pid, maps)};
  const struct exception_parts parts = {.stack = (u64)maps};
  if (exception_lock(file, own)) {
    exception_put(file, own, &head, &parts);
    exception_unlock(file);
  }
  free(maps);
}

int exceptions_make(pid_t pid, const char *path) {
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  int failed =
      fd < 0 || ftruncate(fd, EXCEPTION_FILE_BYTES) || fallocate(fd, 0, 0, EXCEPTION_HEADER_BYTES);
  u8 *file = failed ? MAP_FAILED
                    : mmap(0, EXCEPTION_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (file == MAP_FAILED) failed = errno;
  if (fd >= 0) close(fd);
  if (failed) return failed;
  *(u32 *)(file + EXCEPTION_AT_VERSION) = EXCEPTION_VERSION;
  *(u32 *)(file + EXCEPTION_AT_WAKES) = 1;
  __atomic_store_n(exception_header(file, EXCEPTION_AT_MAGIC), EXCEPTION_MAGIC, __ATOMIC_RELEASE);
  put_maps(file, pid);
  munmap(file, EXCEPTION_FILE_BYTES);
  return 0;
}
