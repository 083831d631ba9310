// Busy in threads of which some end, with signals amid its calls, until its input ends; says whether each result was right.
#include <atomic>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static std::atomic<bool> done;
static std::atomic<long> wrong, worked, signals;

__attribute__((noinline)) int stepped(int a, int b) { return a * 31 + b; }
__attribute__((noinline)) int mixed(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum = stepped(sum, i) & 0xffff;
  return sum;
}

static void check() {
  if (mixed(100) != 9266) wrong++;
  worked++;
}

static void handler(int) {
  check();
  signals++;
}

static void *works(void *) {
  stack_t own = {};
  own.ss_size = 1 << 16;
  own.ss_sp = malloc(own.ss_size);
  sigaltstack(&own, nullptr);
  while (!done) {
    check();
    usleep(200);
  }
  return nullptr;
}

static void *ends(void *) {
  check();
  return nullptr;
}

static void *ends_threads(void *) {
  while (!done) {
    pthread_t one;
    pthread_create(&one, nullptr, ends, nullptr);
    pthread_join(one, nullptr);
    usleep(2000);
  }
  return nullptr;
}

int main() {
  pthread_t all[5];
  struct sigaction often = {}, seldom = {};
  often.sa_handler = seldom.sa_handler = handler;
  often.sa_flags = SA_ONSTACK | SA_RESTART;
  seldom.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &often, nullptr);
  sigaction(SIGPROF, &seldom, nullptr);
  for (int i = 0; i < 4; i++) pthread_create(&all[i], nullptr, works, nullptr);
  pthread_create(&all[4], nullptr, ends_threads, nullptr);
  itimerval clock = {{0, 1000}, {0, 1000}}, processor = {{0, 3000}, {0, 3000}};
  setitimer(ITIMER_REAL, &clock, nullptr);
  setitimer(ITIMER_PROF, &processor, nullptr);
  puts("works");
  fflush(stdout);
  char byte;
  while (read(0, &byte, 1) > 0) {}
  done = true;
  for (pthread_t one : all) pthread_join(one, nullptr);
  printf("wrong: %ld worked: %d\n", wrong.load(), worked > 0 && signals > 0);
}
