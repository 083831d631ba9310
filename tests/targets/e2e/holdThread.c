// holdThread <tid>: holds one thread of a process still, as if it hung, until stdin ends.
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments)
{
  char byte;
  if (count != 2) return 2;
  pid_t tid = atoi(arguments[1]);
  if (ptrace(PTRACE_SEIZE, tid, 0, 0) < 0 || ptrace(PTRACE_INTERRUPT, tid, 0, 0) < 0) return 1;
  if (waitpid(tid, NULL, __WALL) < 0) return 1;
  puts("held");
  fflush(stdout);
  while (read(0, &byte, 1) > 0) {}
  ptrace(PTRACE_DETACH, tid, 0, 0);
  return 0;
}
