/* Text in pages that go and come back: calls that are handed it do not touch it themselves. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define PAGE 4096
#define ROUNDS 2000

static char *place;
static volatile sig_atomic_t own_faults;
static sigjmp_buf safe;

NOINLINE long take(const char *text, long turn) {
  __asm__ volatile("" : : "r"(text));
  return turn + 1;
}

static void show(long turn) {
  mmap(place, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  sprintf(place, "turn %ld", turn);
}

/* A page that is gone, and one that may not be read. */
NOINLINE long come_and_go(long rounds) {
  long sum = 0;
  for (long turn = 0; turn < rounds; turn++) {
    show(turn);
    sum += take(place, turn) + take(place, turn);
    if (turn % 2) munmap(place, PAGE);
    else mprotect(place, PAGE, PROT_NONE);
    sum += take(place, -turn);
  }
  return sum;
}

static void on_fault(int number, siginfo_t *info, void *context) {
  (void)number;
  (void)context;
  own_faults += info->si_addr == (void *)place;
  take(place, 0); /* that signal is blocked here */
  siglongjmp(safe, 1);
}

static void on_user(int number) {
  (void)number;
  take(place, 0); /* every signal is blocked here */
}

NOINLINE long with_handlers(void) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, before;
  struct sigaction user = {.sa_handler = on_user};
  sigfillset(&user.sa_mask);
  sigaction(SIGUSR1, &user, NULL);
  sigaction(SIGSEGV, &action, &before);
  long sum = 0;
  for (long turn = 0; turn < 300; turn++) {
    show(turn);
    sum += take(place, turn);
    munmap(place, PAGE);
    raise(SIGUSR1);
    if (sigsetjmp(safe, 1) == 0) sum += *(volatile char *)place;
  }
  sigaction(SIGSEGV, &before, NULL);
  return sum;
}

static volatile int stop;
static void *flicker(void *unused) {
  (void)unused;
  while (!stop) {
    mprotect(place, PAGE, PROT_NONE);
    mprotect(place, PAGE, PROT_READ);
  }
  return NULL;
}

NOINLINE long beside_a_thread(void) {
  pthread_t other;
  long sum = 0;
  show(7);
  pthread_create(&other, NULL, flicker, NULL);
  for (long turn = 0; turn < 50000; turn++) sum += take(place, turn);
  stop = 1;
  pthread_join(other, NULL);
  return sum;
}

int main(void) {
  place = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf("%ld\n", come_and_go(ROUNDS));
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  long sum = come_and_go(ROUNDS);
  sigprocmask(SIG_SETMASK, &before, NULL);
  for (long turn = 0; turn < 300; turn++) {
    /* Blocked between two calls. */
    show(turn);
    sum += take(place, turn);
    sigprocmask(SIG_BLOCK, &all, &before);
    munmap(place, PAGE);
    sum += take(place, turn);
    sigprocmask(SIG_SETMASK, &before, NULL);
  }
  printf("%ld\n", sum);
  sum = with_handlers();
  printf("%ld, %d faults\n", sum, (int)own_faults);
  printf("%ld\n", beside_a_thread());
  return 3;
}
