/* Dies in the way its first line of input names, in `strike`, called with the number 7; "thread " before the
 * way lets a second thread do it. "handled", "jump" and "small" (a signal stack of 12 KB, faults that nest, a
 * thousand jumps out) have handlers of their own and live on; "small segv" dies with such a stack set. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
struct account {
  long id, holder;
  long balance;
};
static sigjmp_buf back;
static void own_handler(int number) {
  dprintf(1, "own handler: %d\n", number);
  _exit(40 + number);
}
static void jump_out(int number) { siglongjmp(back, number); }
static volatile int nested;
static void nest(int number) {
  (void)number;
  nested++;
}
static void nest_and_jump(int number) {
  raise(SIGFPE);
  siglongjmp(back, number);
}
static void use_small_stack(void) {
  static char small[12288];
  stack_t stack = {.ss_sp = small, .ss_size = sizeof small};
  sigaltstack(&stack, NULL);
}
static long jump_often(struct account *nobody) {
  struct sigaction out = {.sa_handler = nest_and_jump, .sa_flags = SA_ONSTACK};
  struct sigaction in = {.sa_handler = nest, .sa_flags = SA_ONSTACK};
  volatile int rounds = 0;
  use_small_stack();
  sigaction(SIGSEGV, &out, NULL);
  sigaction(SIGFPE, &in, NULL);
  sigsetjmp(back, 1);
  if (rounds++ < 1000) return nobody->balance;
  return printf("%d rounds, %d nested\n", rounds, nested);
}

NOINLINE long deeper(volatile long *above, long level) {
  volatile long here[64];
  here[level % 64] = level + above[0];
  return deeper(here, level + 1) + here[level % 64];
}
NOINLINE long strike(const char *way, long amount) {
  struct account *nobody = NULL;
  volatile long zero = amount - amount;
  char *page = MAP_FAILED;
  if (!strcmp(way, "segv")) return nobody->balance + amount;
  if (!strcmp(way, "wild")) return ((struct account *)0xdeadbeefdead0000)->balance;
  if (!strcmp(way, "bus")) {
    FILE *file = tmpfile();
    page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
    return page[amount];
  }
  if (!strcmp(way, "fpe")) return amount / zero;
  if (!strcmp(way, "ill")) __builtin_trap();
  if (!strcmp(way, "trap")) __asm__ volatile("int3");
  if (!strcmp(way, "abort")) abort();
  if (!strcmp(way, "sent")) raise(SIGSEGV);
  if (!strcmp(way, "overflow")) return deeper(&zero, amount);
  if (!strcmp(way, "small")) return jump_often(nobody);
  if (!strcmp(way, "small segv")) {
    use_small_stack();
    return nobody->balance;
  }
  if (!strcmp(way, "handled") || !strcmp(way, "jump")) {
    signal(SIGSEGV, way[0] == 'h' ? own_handler : jump_out);
    if (sigsetjmp(back, 1)) return printf("jumped back\n");
    return nobody->balance;
  }
  return amount;
}
static void *other(void *way) { return (void *)strike(way, 7); }

int main(void) {
  char line[64] = "", *way = line;
  pthread_t thread;
  setvbuf(stdout, NULL, _IOLBF, 0);
  puts("ready");
  if (!fgets(line, sizeof line, stdin)) return 2;
  line[strcspn(line, "\n")] = 0;
  if (strncmp(line, "thread ", 7)) return printf("%ld\n", strike(way, 7)) < 0;
  pthread_create(&thread, NULL, other, line + 7);
  pthread_join(thread, NULL);
  return 3;
}
