/* Opens a file, says that it is ready, and reads through a null pointer once it was told to go on. */
#include <fcntl.h>
#include <stdio.h>

__attribute__((noinline)) int fall(const int *nothing) { return *nothing; }
int main(void) {
  char line[16];
  if (open("/dev/zero", O_RDONLY) < 0) return 2;
  puts("ready");
  fflush(stdout);
  if (fgets(line, sizeof line, stdin) == NULL) return 3;
  return fall(NULL);
}
