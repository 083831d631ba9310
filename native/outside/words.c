/* See words.h. */
#include "words.h"
#include "../stopper/memory.h"
#include "../stopper/threads.h"
#include <stdio.h>

/* Whether the code there belongs to a file or to the kernel; what was put into a program does not.
 */
static int is_of_file(pid_t pid, u64 at) {
  char path[32], line[512], name;
  unsigned long from, to;
  int is_named = 0;
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen(path, "re");
  while (maps && fgets(line, sizeof line, maps)) {
    if (sscanf(line, "%lx-%lx", &from, &to) != 2 || at < from || at >= to) continue;
    is_named = sscanf(line, "%*x-%*x %*s %*x %*s %*u %c", &name) == 1;
    break;
  }
  if (maps) fclose(maps);
  return is_named;
}

void words_clear(pid_t pid, u32 offset, u64 from, u64 to, int stays) {
  for (struct thread *thread = thread_next(0); thread; thread = thread_next(thread)) {
    u64 word = 0, at = thread->registers.fs_base + offset;
    if (memory_read(at, &word, sizeof word) != sizeof word || !word) continue;
    int is_ours = word >= from && word < to;
    if (is_ours ? !stays : is_of_file(pid, thread->registers.rip))
      memory_write(at, &(u64){0}, sizeof word);
  }
}

/* There such a block begins with its own address. */
int words_are_of_library(void) {
  for (struct thread *thread = thread_next(0); thread; thread = thread_next(thread)) {
    u64 first = 0, block = thread->registers.fs_base;
    if (block && memory_read(block, &first, sizeof first) == sizeof first && first == block)
      return 1;
  }
  return 0;
}
