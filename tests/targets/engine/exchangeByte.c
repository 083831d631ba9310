/* Writes a byte of a process's code as a debugger does, and prints the one that was there.
 * usage: exchangeByte PID ADDRESS BYTE (hexadecimal but for the first) */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

static int failed(const char *what) {
  perror(what);
  return 1;
}

int main(int count, char **words) {
  if (count != 4) return 2;
  int pid = atoi(words[1]), status;
  unsigned long address = strtoul(words[2], 0, 16), byte = strtoul(words[3], 0, 16);
  if (ptrace(PTRACE_SEIZE, pid, 0, 0)) return failed("seize");
  if (ptrace(PTRACE_INTERRUPT, pid, 0, 0) || waitpid(pid, &status, __WALL) != pid) return failed("interrupt");
  unsigned long word = (unsigned long)ptrace(PTRACE_PEEKTEXT, pid, address, 0);
  if (ptrace(PTRACE_POKETEXT, pid, address, (word & ~0xfful) | byte)) return failed("poke");
  if (ptrace(PTRACE_DETACH, pid, 0, 0)) return failed("detach");
  printf("%lx\n", word & 0xff);
  return 0;
}
