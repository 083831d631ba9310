/* 10,000 functions of which many are called alike, as fast as it goes, on several threads: counts their calls itself.
 * `evenlyHot MODE FUNCTIONS CALLS THREADS`, CALLS by each thread.
 *   even    one function after the other
 *   skewed  the first in 999 of 1,000 calls, the others in turn
 *   deep    calls inside each other, 20,000 deep, each of which calls one function
 * Prints "calls N", of `deep` too, then "NAME N" of the first, the middle and the last one. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWN __attribute__((noinline, noclone))
#define ONE(n) OWN unsigned crowd_##n(unsigned a, unsigned b) { return a * 31 + b + 1##n; }
#define PLACE(n) crowd_##n,
#define TEN(F, n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
#define HUNDRED(F, n) TEN(F, n##0) TEN(F, n##1) TEN(F, n##2) TEN(F, n##3) TEN(F, n##4) TEN(F, n##5) TEN(F, n##6) TEN(F, n##7) TEN(F, n##8) TEN(F, n##9)
#define THOUSAND(F, n) HUNDRED(F, n##0) HUNDRED(F, n##1) HUNDRED(F, n##2) HUNDRED(F, n##3) HUNDRED(F, n##4) HUNDRED(F, n##5) HUNDRED(F, n##6) HUNDRED(F, n##7) HUNDRED(F, n##8) HUNDRED(F, n##9)
#define ALL(F) THOUSAND(F, 0) THOUSAND(F, 1) THOUSAND(F, 2) THOUSAND(F, 3) THOUSAND(F, 4) THOUSAND(F, 5) THOUSAND(F, 6) THOUSAND(F, 7) THOUSAND(F, 8) THOUSAND(F, 9)
#define COUNT 10000
#define MOST_THREADS 8
#define DEPTH 20000u

ALL(ONE)
static unsigned (*const all[COUNT])(unsigned, unsigned) = {ALL(PLACE)};

static const char *mode;
static unsigned functions;
static unsigned long calls;
static unsigned long counts[MOST_THREADS][COUNT], dives[MOST_THREADS];

static unsigned call(long thread, unsigned which, unsigned value) {
  counts[thread][which]++;
  return all[which](value, which);
}

OWN unsigned dive(long thread, unsigned value, unsigned left) {
  dives[thread]++;
  volatile unsigned kept = call(thread, left % functions, value);
  return left ? kept ^ dive(thread, kept + 1, left - 1) : kept;
}

static void *run(void *given) {
  const long thread = (long)given;
  unsigned value = (unsigned)thread;
  if (strcmp(mode, "deep") == 0) {
    for (unsigned long made = 0; made < calls; made += 2 * DEPTH) value = dive(thread, value, DEPTH - 1);
    return NULL;
  }
  const int is_skewed = strcmp(mode, "skewed") == 0;
  for (unsigned long round = 0; round < calls; round++) {
    const unsigned in_turn = (unsigned)((is_skewed ? round / 1000 : round) % functions);
    value = call(thread, is_skewed && round % 1000 ? 0 : in_turn, value);
  }
  return NULL;
}

int main(int count, char **words) {
  if (count < 5) return 2;
  mode = words[1];
  functions = (unsigned)atoi(words[2]);
  calls = strtoul(words[3], NULL, 10);
  const long threads = atoi(words[4]);
  if (functions < 1 || functions > COUNT || threads < 1 || threads > MOST_THREADS) return 2;
  pthread_t ids[MOST_THREADS];
  for (long i = 0; i < threads; i++) pthread_create(&ids[i], NULL, run, (void *)i);
  for (long i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  unsigned long made = 0;
  for (long i = 0; i < threads; i++) {
    made += dives[i];
    for (unsigned which = 0; which < functions; which++) made += counts[i][which];
  }
  printf("calls %lu\n", made);
  const unsigned told[] = {0, functions / 2, functions - 1};
  for (unsigned i = 0; i < 3; i++) {
    unsigned long of = 0;
    for (long thread = 0; thread < threads; thread++) of += counts[thread][told[i]];
    printf("crowd_%04u %lu\n", told[i], of);
  }
  return 0;
}
