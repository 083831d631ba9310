/* Writes behind the end of a mapping, with known values in registers and files open: a file, both
 * ends of a pipe, a socket, and as many more as the first argument says. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static char *page_before_a_hole(void) {
  char *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(pages + 4096, 4096);
  mprotect(pages + 2 * 4096, 4096, PROT_READ);
  return pages;
}
__attribute__((noinline)) void scribble(char *page) {
  char *end = page + 4096;
  __asm__ volatile("mov %0, %%r12\n\tmov $0x1234, %%r13d\n\txor %%r14d, %%r14d\n\tmov $-1, %%r15\n\t"
                   "movb $1, 0x20(%%r12)"
                   : : "r"(end) : "r12", "r13", "r14", "r15", "memory");
}
int main(int argc, char **argv) {
  int more = argc > 1 ? atoi(argv[1]) : 0, ends[2];
  if (open("notes.txt", O_CREAT | O_WRONLY, 0600) < 0 || pipe(ends) || socket(AF_UNIX, SOCK_STREAM, 0) < 0) return 2;
  for (int i = 0; i < more; i++) dup(ends[0]);
  scribble(page_before_a_hole());
}
