/* longjmp out of nested calls, out of signal handlers on every kind of stack, and between stacks; behind each jump
 * calls of functions that are traced, made by some that are not. */
#undef NDEBUG
#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define KEEP __asm__ volatile("" : : : "memory")

static sigjmp_buf home;

NOINLINE int after(int number) { KEEP; return number * 5 + number / 3; }
/* Not traced: what it calls lies deeper than the calls that were jumped over. */
NOINLINE static int between(int number) {
  volatile char frame[3000];
  frame[number] = 1;
  int result = after(number);
  return result + frame[number];
}

NOINLINE void dive(int level) {
  if (level == 0) siglongjmp(home, 7);
  dive(level - 1);
  KEEP;
}
NOINLINE int surface(int level) {
  int got = sigsetjmp(home, 0);
  if (got == 0) dive(level);
  return got + between(level);
}

NOINLINE void wide(int level) {
  volatile char frame[20000];
  frame[level] = 1;
  dive(level);
  KEEP;
}
NOINLINE int widely(int level) {
  int got = sigsetjmp(home, 0);
  if (got == 0) wide(level);
  return got + between(level);
}

/* Its caller is not traced either. */
NOINLINE static int untraced(int level) {
  int got = sigsetjmp(home, 0);
  if (got == 0) dive(level);
  return got * 2 + between(level);
}

NOINLINE void escape(int code) { KEEP; siglongjmp(home, code); }
static void on_signal(int number) { escape(number); }
NOINLINE void faults(volatile int *at) { *at = 1; KEEP; }
NOINLINE int guarded(int number) {
  int got = sigsetjmp(home, 1);
  if (got == 0 && number == SIGSEGV) faults(NULL);
  if (got == 0) raise(number);
  return got + between(number);
}

static void handles(int flags) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGSEGV, &action, NULL);
}
static void on_stack_of(size_t bytes) {
  stack_t stack = {.ss_sp = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), .ss_size = bytes};
  assert(sigaltstack(&stack, NULL) == 0);
}

#define ROUTINES 3
static jmp_buf turn[ROUTINES + 1];
static ucontext_t begins[ROUTINES], begun;
static int running;
/* Not traced. */
NOINLINE static void switch_to(int next) {
  int now = running;
  running = next;
  if (_setjmp(turn[now]) == 0) _longjmp(turn[next], 1);
}
NOINLINE void yields(int self) { switch_to(self == ROUTINES ? 0 : self + 1); KEEP; }
NOINLINE int step(int self, int number) {
  if (number > 0) yields(self);
  return number == 0 ? 0 : step(self, number - 1) + self;
}
static void routine(int self) {
  if (_setjmp(turn[self]) == 0) swapcontext(&begins[self - 1], &begun);
  for (;;) {
    step(self, 2);
    yields(self);
  }
}
NOINLINE void resume(void) { switch_to(1); KEEP; }

int main(int count, char **words) {
  const char *how = count > 1 ? words[1] : "";
  int sum = 0;
  if (!strcmp(how, "nested")) sum = surface(3) + widely(2) + untraced(1);
  if (!strcmp(how, "handler")) {
    handles(0);
    sum = guarded(SIGUSR1) + guarded(SIGSEGV);
  }
  if (!strcmp(how, "signalStack")) {
    handles(SA_ONSTACK);
    on_stack_of(1 << 16);
    sum = guarded(SIGUSR1) + guarded(SIGSEGV);
    on_stack_of(8192);
    sum += guarded(SIGUSR1) + guarded(SIGSEGV);
  }
  if (!strcmp(how, "routines")) {
    static char stacks[ROUTINES][65536] __attribute__((aligned(16)));
    for (int i = 0; i < ROUTINES; i++) {
      getcontext(&begins[i]);
      begins[i].uc_stack.ss_sp = stacks[i];
      begins[i].uc_stack.ss_size = sizeof stacks[i];
      makecontext(&begins[i], (void (*)(void))routine, 1, i + 1);
      swapcontext(&begun, &begins[i]);
    }
    for (int i = 0; i < 4; i++) resume();
    sum = after(1);
  }
  printf("%d\n", sum);
  return 0;
}
