/* Frames that end by longjmp, siglongjmp out of a handler, and stacks that take turns by swapcontext. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define KEEP __asm__ volatile("")

static jmp_buf home;
NOINLINE void dive(int level) {
  if (level == 0) longjmp(home, 7);
  dive(level - 1);
  KEEP;
}
NOINLINE int surface(int level) {
  int got = setjmp(home);
  if (got == 0) dive(level);
  KEEP;
  return got;
}

static sigjmp_buf safe;
static volatile sig_atomic_t rounds;
NOINLINE void escape(int code) { KEEP; siglongjmp(safe, code); }
static void on_signal(int number) { escape(number); }
NOINLINE unsigned busy(unsigned a) {
  for (unsigned i = 0; i < 1000; i++) a = a * 3 + i;
  KEEP;
  return a;
}
NOINLINE int interrupted(void) {
  int code = sigsetjmp(safe, 1);
  if (code != 0) return code;
  ualarm(300, 0);
  for (volatile unsigned k = 0;; k++) busy(k);
}

static ucontext_t turn[4];
static long sums[4];
NOINLINE void yield_to(int from, int to) { KEEP; swapcontext(&turn[from], &turn[to]); KEEP; }
NOINLINE long add(long a, long b) { KEEP; return a + b; }
NOINLINE void walk(int self, int depth) {
  if (depth > 0) {
    yield_to(self, self % 3 + 1);
    walk(self, depth - 1);
    yield_to(self, self % 3 + 1);
  }
  sums[self] = add(sums[self], depth * self);
}
static void runner(int self) {
  walk(self, 40);
  if (self == 3) setcontext(&turn[0]);
  for (;;) yield_to(self, self % 3 + 1);
}

int main(void) {
  long total = 0;
  for (int i = 0; i < 300; i++) total += surface(i % 60);
  printf("%ld\n", total);
  signal(SIGALRM, on_signal);
  for (rounds = 0; rounds < 100; rounds++) total += interrupted();
  printf("%ld\n", total);
  static char stacks[4][65536] __attribute__((aligned(16)));
  for (int i = 1; i < 4; i++) {
    getcontext(&turn[i]);
    turn[i].uc_stack.ss_sp = stacks[i];
    turn[i].uc_stack.ss_size = sizeof stacks[i];
    makecontext(&turn[i], (void (*)(void))runner, 1, i);
  }
  swapcontext(&turn[0], &turn[1]);
  printf("%ld %ld %ld\n", sums[1], sums[2], sums[3]);
  return 5;
}
