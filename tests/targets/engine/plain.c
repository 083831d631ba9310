/* Calls of every shape: floats, stack arguments, structs, variadic, strings, deep recursion,
 * tail calls, longjmp, signal handlers, fork, small and awkward prologues. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define KEEP __asm__ volatile("")

struct big {
  long words[5];
};

NOINLINE double scale(double a, float b, int c) { KEEP; return a * b + c; }
NOINLINE float halve(float a) { KEEP; return a / 2; }
NOINLINE long many(long a, long b, long c, long d, long e, long f, long g, long h) {
  KEEP;
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}
NOINLINE double mixed(int a, double b, int c, double d, int e, int f, int g, int h, double i, short j) {
  KEEP;
  return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10;
}
NOINLINE long by_value(struct big value, long last) { KEEP; return value.words[0] + value.words[4] + last; }
NOINLINE struct big make_big(long seed) {
  struct big value = {{seed, seed + 1, seed + 2, seed + 3, seed + 4}};
  KEEP;
  return value;
}
NOINLINE int variadic(int count, ...) {
  va_list list;
  double sum = 0;
  va_start(list, count);
  for (int i = 0; i < count; i++) sum += i % 2 ? va_arg(list, double) : va_arg(list, int);
  va_end(list);
  return (int)(sum * 10);
}
NOINLINE const char *name_of(const char *text, int skip) { KEEP; return text ? text + skip : NULL; }
NOINLINE int ignore(const char *wild) { KEEP; return wild == (const char *)16; }
NOINLINE long double wide(long double a) { KEEP; return a * 3; }
NOINLINE __int128 pair(long a, long b) { KEEP; return (__int128)a << 64 | (unsigned long)b; }
NOINLINE int recurse(int n) {
  if (n == 0) return 0;
  int below = recurse(n - 1);
  KEEP;
  return below + 1;
}
NOINLINE int tail_odd(int n);
NOINLINE int tail_even(int n) { KEEP; return n == 0 ? 1 : tail_odd(n - 1); }
NOINLINE int tail_odd(int n) { KEEP; return n == 0 ? 0 : tail_even(n - 1); }
NOINLINE int empty(void) { KEEP; return 0; }
NOINLINE int identity(int a) { KEEP; return a; }
int global = 5;
NOINLINE int reads_global(void) { KEEP; return global; }
NOINLINE int branch_first(int a) { if (a == 0) return 7; KEEP; return a * 3; }

static jmp_buf home;
NOINLINE void jumps(int level) {
  if (level == 0) longjmp(home, 42);
  if (level > 0) jumps(level - 1);
  KEEP;
}
NOINLINE int jump_home(int level) {
  int got = setjmp(home);
  if (got == 0) jumps(level);
  return got;
}

static volatile sig_atomic_t ticks;
NOINLINE int tick(int a) { KEEP; return a + 1; }
static void on_tick(int signal) { (void)signal; ticks = tick(ticks); }

NOINLINE long sum(long a, long b) { KEEP; return a + b; }
static void *spin(void *argument) {
  long total = 0;
  for (long i = 0; i < 200000; i++) total = sum(total, i);
  *(long *)argument = total;
  return NULL;
}

static void values(void) {
  struct big big = make_big(10);
  printf("%g\n", scale(1.5, 2.5f, 3));
  printf("%g\n", halve(3));
  printf("%ld\n", many(1, 2, 3, 4, 5, 6, 7, 8));
  printf("%g\n", mixed(1, 2.5, 3, 4.5, 5, 6, 7, 8, 9.5, 10));
  printf("%ld\n", by_value(big, 100));
  printf("%d\n", variadic(5, 1, 2.5, 3, 4.5, 5));
  printf("%d\n", variadic(12, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5));
  printf("%s\n", name_of("hello world", 6));
  printf("%s\n", name_of(NULL, 1) ? "?" : "null");
  printf("%d\n", ignore((const char *)0x123456789000));
  printf("%d\n", ignore((const char *)16));
  printf("%Lg %lx\n", wide(1.25L), (long)(pair(7, 8) >> 64));
  printf("%d %d %d\n", empty(), identity(42), reads_global());
  printf("%d\n", branch_first(0));
  printf("%d\n", branch_first(2));
}

int main(void) {
  char line[64];
  setvbuf(stdout, NULL, _IOLBF, 0);
  puts("ready");
  if (!fgets(line, sizeof line, stdin)) return 2;
  values();
  printf("%d\n", recurse(10000));
  printf("%d %d\n", tail_even(2000), tail_odd(2000));
  printf("%d\n", jump_home(50));
  struct sigaction action = {.sa_handler = on_tick};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval every = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &every, NULL);
  long total = 0;
  while (ticks < 200) total = sum(total, 1) & 0xffff;
  struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  printf("ticks %d\n", ticks >= 200);
  pthread_t threads[4];
  long totals[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, spin, &totals[i]);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  printf("%ld %ld\n", totals[0], totals[3]);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) _exit((int)sum(identity(30), recurse(3)) + (int)halve(8));
  int status = 0;
  waitpid(child, &status, 0);
  printf("child %d\n", WEXITSTATUS(status));
  return 3;
}
