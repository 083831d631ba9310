/* A thread of ours that is mostly where the C library blocks every signal for a moment, its own
 * too, as in pthread_create. Prints how often it could not be kept from them, and how often it took
 * the program's signals afterwards. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROUNDS 20

static volatile unsigned number;
static volatile int is_over, is_hearing;

static void set_mask(int how, const unsigned long *mask, unsigned long *before) {
  syscall(SYS_rt_sigprocmask, how, mask, before, sizeof *mask);
}

static void *ours(void *unused) {
  unsigned long all = ~0ul, before;
  number = (unsigned)gettid();
  while (!is_over) {
    set_mask(SIG_BLOCK, &all, &before);
    for (int i = 0; i < 10; i++)
      getppid();
    set_mask(SIG_SETMASK, &before, NULL);
  }
  set_mask(SIG_BLOCK, NULL, &before);
  is_hearing = !(before & 1ul << (SIGTERM - 1));
  return unused;
}

int main(int count, char **words) {
  int hearing = 0, refused = 0;
  void *engine = count > 1 ? dlopen(words[1], RTLD_NOW) : NULL;
  unsigned (*ignore)(const unsigned *, unsigned) =
      engine ? dlsym(engine, "engine_ignore_threads") : NULL;
  if (!ignore)
    return 1;
  for (int i = 0; i < ROUNDS; i++) {
    pthread_t thread;
    number = is_over = 0;
    pthread_create(&thread, NULL, ours, NULL);
    while (!number)
      sched_yield();
    unsigned tid = number;
    refused += (int)ignore(&tid, 1);
    is_over = 1;
    pthread_join(thread, NULL);
    hearing += is_hearing;
  }
  printf("refused %d hearing %d\n", refused, hearing);
  return 0;
}
