/* Functions that ask who called them: backtrace, names and offsets of the program's own frames. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone))
#define KEEP __asm__ volatile("")

NOINLINE int look(int level) {
  void *frames[64];
  int count = backtrace(frames, 64), own = 0;
  Dl_info self, found;
  dladdr((void *)look, &self);
  for (int i = 0; i < count; i++) {
    if (!dladdr(frames[i], &found) || found.dli_fbase != self.dli_fbase || !found.dli_sname) continue;
    printf("%s+%ld ", found.dli_sname, (long)((char *)frames[i] - (char *)found.dli_saddr));
    own++;
  }
  printf("%d\n", level);
  return own;
}
NOINLINE int inner(int level) { int own = level ? inner(level - 1) : look(level); KEEP; return own; }
NOINLINE int outer(int level) { int own = inner(level); KEEP; return own + 1; }
int main(void) {
  int total = 0;
  for (int i = 0; i < 10; i++) total += outer(i);
  return total;
}
