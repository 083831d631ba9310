/* Nanoseconds per call of a small function: `pair ROUNDS CALLS [mix|text] [THREADS] [hold]`, one line
 * per round. `hold`: a forked child measures, once a line of input has come. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char line[] = "forty bytes of text, as a log line holds";
static unsigned calls;
static int is_text;

__attribute__((noinline)) unsigned mix(unsigned value, unsigned round) {
  return value * 2654435761u + (round ^ (value >> 7));
}

__attribute__((noinline)) unsigned text(const char *words, unsigned round) {
  return (unsigned char)words[round % 40] * 2654435761u + round;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void *work(void *result) {
  unsigned value = 1;
  if (is_text)
    for (unsigned call = 0; call < calls; call++) value += text(line, call);
  else
    for (unsigned call = 0; call < calls; call++) value = mix(value, call);
  *(volatile unsigned *)result = value;
  return NULL;
}

static void round_of(int threads) {
  pthread_t others[64];
  unsigned values[64];
  for (int i = 1; i < threads; i++) pthread_create(&others[i], NULL, work, &values[i]);
  work(&values[0]);
  for (int i = 1; i < threads; i++) pthread_join(others[i], NULL);
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 7;
  const unsigned wanted = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1000000;
  const int threads = argc > 4 ? atoi(argv[4]) : 1;
  is_text = argc > 3 && strcmp(argv[3], "text") == 0;
  if (argc > 5) {
    const pid_t child = fork();
    if (child > 0) return waitpid(child, NULL, 0) < 0;
    if (getchar() == EOF) return 1;
  }
  calls = wanted / 10;
  round_of(threads);
  calls = wanted;
  for (int round = 0; round < rounds; round++) {
    const double begin = now();
    round_of(threads);
    printf("%.3f\n", (now() - begin) / calls);
    fflush(stdout);
  }
  return 0;
}
