// Replaces itself by a shell that lives a little longer: `replaced [usleep before]`.
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) int prepare(int argc, char **argv) {
  return argc > 1 ? usleep((useconds_t)atoi(argv[1])) : 0;
}

int main(int argc, char **argv) {
  prepare(argc, argv);
  execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; echo replaced; exit 23", (char *)0);
  return 1;
}
