/* While it enters a program Frida reads all of each mapping that may be a library, several times.
 * The rings of a program that is traced from outside as well (native/outside) are mapped by then, 1
 * GB that is nearly all untouched: that would take seconds, and memory for each page. Their first
 * page says that they are no library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))
#define PAGE 4096
#define LARGE ((size_t)16 << 20)
#define RINGS "/dev/shm/strobe-"

typedef ssize_t read_call(int, void *, size_t, off_t);

/* Whether a descriptor is the memory of a process; `pid`: of which. */
static bool is_memory(int file, int *pid) {
  char link[32], path[64], end;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return false;
  path[length] = 0;
  return sscanf(path, "/proc/%d/me%c", pid, &end) == 2 && end == 'm';
}

static bool is_ring(int pid, unsigned long address) {
  char path[32], line[512];
  bool found = false;
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen(path, "re");
  while (maps && !found && fgets(line, sizeof line, maps)) {
    unsigned long start, end;
    int name = 0;
    if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &start, &end, &name) != 2 || name == 0) continue;
    found = address >= start && address < end && strncmp(line + name, RINGS, sizeof RINGS - 1) == 0;
  }
  if (maps) fclose(maps);
  return found;
}

static ssize_t read_at(int file, void *into, size_t bytes, off_t offset) {
  static read_call *next;
  int pid;
  if (!next) next = (read_call *)dlsym(RTLD_NEXT, "pread64");
  if (bytes < LARGE || !is_memory(file, &pid) || !is_ring(pid, (unsigned long)offset))
    return next(file, into, bytes, offset);
  ssize_t got = next(file, into, PAGE, offset);
  return got == PAGE ? (ssize_t)bytes : got;
}

PUBLIC ssize_t pread64(int file, void *into, size_t bytes, off_t offset) {
  return read_at(file, into, bytes, offset);
}

PUBLIC ssize_t pread(int file, void *into, size_t bytes, off_t offset) {
  return read_at(file, into, bytes, offset);
}
