// Ends before anything of its own runs: the loader asks which `work` it is to be, and is killed there.
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>

static int real(int n) { return n + 1; }

/** Where nothing is relocated yet, system calls have to be made by hand. */
static long call(long number, long first, long second)
{
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(first), "S"(second)
                   : "rcx", "r11", "memory");
  return result;
}

static int (*choose(void))(int)
{
  call(SYS_kill, call(SYS_getpid, 0, 0), SIGKILL);
  return real;
}

int work(int n) __attribute__((ifunc("choose")));

int main(void)
{
  printf("%d\n", work(3));
  return 0;
}
