/*
 * Instructions that jump to themselves. A call that Frida has a program run returns to an address
 * where nothing is, and a breakpoint of it is an int3: a program whose holder is killed meanwhile
 * would die of either. At a jump to itself it stays, until it is looked at.
 */
#define _GNU_SOURCE
#include "spin.h"

#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

enum { PART_BYTES = 1 << 16 };

#if defined(__x86_64__)
static const unsigned char spin[] = {0xeb, 0xfe};
enum { ALIGNMENT = 1, INT3 = 0xcc };

int spin_is_breakpoint(uint64_t current, uint64_t wanted) {
  return (wanted & 0xff) == INT3 && (current & 0xff) != INT3 && (wanted ^ current) <= 0xff;
}

uint64_t spin_in(uint64_t word) { return (word & ~UINT64_C(0xffff)) | 0xfeeb; }
#elif defined(__aarch64__)
static const unsigned char spin[] = {0, 0, 0, 0x14};
enum { ALIGNMENT = 4 };

/* brk #0 */
int spin_is_breakpoint(uint64_t current, uint64_t wanted) {
  return (uint32_t)wanted == 0xd4200000 && wanted >> 32 == current >> 32;
}

uint64_t spin_in(uint64_t word) { return (word & ~UINT64_C(0xffffffff)) | 0x14000000; }
#endif

static bool is_changed(const struct held *held, uint64_t at) {
  for (uint32_t i = 0; i < held->word_count; i++)
    if (held->words[i].at < at + sizeof spin && held->words[i].at + 8 > at) return true;
  return false;
}

static uint64_t find_in(pid_t pid, uint64_t from, uint64_t to, const struct held *held) {
  static unsigned char part[PART_BYTES];
  for (; from < to; from += sizeof part - sizeof spin) {
    size_t length = to - from < sizeof part ? to - from : sizeof part;
    struct iovec local = {part, length}, remote = {(void *)(uintptr_t)from, length};
    ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
    const unsigned char *at = part, *end = part + (got > 0 ? got : 0);
    while ((at = memmem(at, (size_t)(end - at), spin, sizeof spin))) {
      uint64_t place = from + (uint64_t)(at - part);
      if (place % ALIGNMENT == 0 && !is_changed(held, place)) return place;
      at++;
    }
    if (length < sizeof part) return 0;
  }
  return 0;
}

uint64_t spin_find(pid_t pid, const struct held *held) {
  char path[64], line[512];
  uint64_t found = 0;
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen(path, "re");
  if (!maps) return 0;
  while (!found && fgets(line, sizeof line, maps)) {
    unsigned long from, to, inode;
    char may[5];
    if (sscanf(line, "%lx-%lx %4s %*x %*s %lu", &from, &to, may, &inode) == 4 && inode != 0 &&
        may[0] == 'r' && may[1] == '-' && may[2] == 'x')
      found = find_in(pid, from, to, held);
    /* The rest of a long path. */
    while (!strchr(line, '\n') && fgets(line, sizeof line, maps)) {
    }
  }
  fclose(maps);
  return found;
}
