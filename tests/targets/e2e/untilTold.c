// Two threads that call: `untilTold RATE [ROUNDS]` calls a second of both, until its input ends, or so many rounds each; prints each thread's.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static atomic_int over;
static unsigned long batch, most = ~0ul;

__attribute__((noinline)) unsigned weigh(const char *name, unsigned long round) {
  return (unsigned char)name[round % 8] * 2654435761u + (unsigned)round;
}

__attribute__((noinline)) unsigned turn(unsigned long round) {
  return weigh(round % 1000 ? "ordinary" : "seldomer", round) ^ 1;
}

struct share {
  const char *name;
  unsigned long rounds;
  unsigned sum;
};

static void *run(void *given) {
  struct share *share = given;
  pthread_setname_np(pthread_self(), share->name);
  while (!over && share->rounds < most) {
    for (unsigned long i = 0; i < batch && share->rounds < most; i++) share->sum ^= turn(share->rounds++);
    const struct timespec pause = {0, 1000000};
    nanosleep(&pause, NULL);
  }
  return NULL;
}

int main(int argc, char **argv) {
  struct share shares[2] = {{.name = "left"}, {.name = "right"}};
  pthread_t ids[2];
  // Per thread and millisecond; each round is two calls.
  batch = (argc > 1 ? strtoul(argv[1], NULL, 10) : 100000) / 4000;
  if (argc > 2) most = strtoul(argv[2], NULL, 10);
  for (int i = 0; i < 2; i++) pthread_create(&ids[i], NULL, run, &shares[i]);
  puts("calling");
  fflush(stdout);
  char byte;
  while (argc < 3 && read(0, &byte, 1) > 0) {
  }
  over = argc < 3;
  for (int i = 0; i < 2; i++) {
    pthread_join(ids[i], NULL);
    printf("%s %lu %u\n", shares[i].name, shares[i].rounds, shares[i].sum);
  }
  return 0;
}
