/* Threads that call three functions without pause and check every result, until a line comes. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE int add(int a, int b) {
  volatile int kept = a;
  return kept + b;
}
/* A branch and a rip-relative load among the first instructions. */
static int factor = 3;
NOINLINE int choose(int a) {
  if (a & 1) return a * factor;
  __asm__ volatile("");
  return a - factor;
}
/* Its first five bytes lie in two aligned 16. */
int crosses(int a);
__asm__(".text\n.balign 16, 0x90\n.skip 12, 0x90\n.globl crosses\n.type crosses, @function\ncrosses:\n"
        "  lea (%rdi, %rdi, 2), %eax\n  add $5, %eax\n  ret\n.size crosses, . - crosses\n");

#ifndef THREADS
#define THREADS 2
#endif
static volatile int stop;
static void *loop(void *argument) {
  long rounds = 0;
  while (!stop) {
    for (int i = 0; i < 1000; i++, rounds++) {
      if (add(i, 7) != i + 7) abort();
      if (crosses(i) != i * 3 + 5) abort();
      if (i % 64 == 0) sched_yield(); /* also while code is written */
      if (choose(i) != (i & 1 ? i * 3 : i - 3)) abort();
    }
  }
  *(long *)argument = rounds;
  return NULL;
}

int main(void) {
  char line[16];
  pthread_t threads[THREADS];
  long rounds[THREADS];
  int all = 1;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, loop, &rounds[i]);
  puts("ready");
  if (!fgets(line, sizeof line, stdin)) return 2;
  stop = 1;
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    all &= rounds[i] > 0;
  }
  printf("%d\n", all);
  return 0;
}
