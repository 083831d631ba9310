// Writes to a global, and executes itself once more.
#include <stdio.h>
#include <unistd.h>

long total;
__attribute__((noinline)) void add(long amount) { total += amount; }

int main(int count, char **words) {
  char line[16];
  add(1);
  printf(count > 1 ? "second\n" : "first\n");
  fflush(stdout);
  if (!fgets(line, sizeof line, stdin)) return 1;
  if (count == 1) execl("/proc/self/exe", words[0], "again", (char *)NULL);
  add(4);
  return total == 5 ? 0 : 2;
}
