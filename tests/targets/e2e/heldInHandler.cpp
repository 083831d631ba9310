// A thread stays in a signal's handler that came amid what a tracer put into the program, until a byte comes, then continues; ends with its input.
#include <atomic>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

extern char __executable_start, etext;
static std::atomic<bool> done, isHeld, mayGo;
static std::atomic<long> wrong, after;

__attribute__((noinline)) int stepped(int a, int b) { return a * 31 + b; }

static void check() {
  int sum = 0;
  for (int i = 0; i < 100; i++) sum = stepped(sum, i) & 0xffff;
  if (sum != 9266) wrong++;
  if (mayGo) after++;
}

static void handler(int, siginfo_t *, void *context) {
  char *at = (char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  if ((at >= &__executable_start && at < &etext) || isHeld.exchange(true)) return;
  puts("held");
  fflush(stdout);
  while (!mayGo) usleep(1000);
}

static void *interrupted(void *) {
  stack_t own = {};
  own.ss_size = 1 << 16;
  own.ss_sp = malloc(own.ss_size);
  sigaltstack(&own, nullptr);
  while (!done) {
    check();
    if (mayGo) usleep(200);
  }
  return nullptr;
}

static void *works(void *) {
  while (!done) {
    check();
    usleep(1000);
  }
  return nullptr;
}

static void *interrupts(void *of) {
  while (!isHeld && !done) {
    pthread_kill(*(pthread_t *)of, SIGUSR1);
    usleep(300);
  }
  return nullptr;
}

int main() {
  pthread_t all[3];
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  pthread_create(&all[0], nullptr, interrupted, nullptr);
  pthread_create(&all[1], nullptr, works, nullptr);
  pthread_create(&all[2], nullptr, interrupts, &all[0]);
  puts("works");
  fflush(stdout);
  char byte;
  if (read(0, &byte, 1) > 0) mayGo = true;
  while (read(0, &byte, 1) > 0) {}
  done = true;
  for (pthread_t one : all) pthread_join(one, nullptr);
  printf("wrong: %ld went on: %d\n", wrong.load(), after > 0);
}
