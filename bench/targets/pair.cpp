/* Nanoseconds per call of a small function: `pair ROUNDS CALLS [mix|text|object|string|short] [THREADS] [hold|paced|slow|beside]`,
 * one line per round. `string` is a std::string on the heap, `short` one that lies in its object. It is processor time, from when all threads have made a first call: neither
 * their start counts, nor that whoever reads what they record needs a processor as well. `hold`: a forked
 * child measures, once a line of input has come. `paced`: 2,000 calls at a time with 2 ms between
 * them that do not count, of two threads 4, so some 1 M calls a second of all: what their reader keeps up with.
 * `slow`: a quarter of that, which it does with texts and objects too; else each call is written to new memory.
 * `beside`: paced, of the first thread, while the others compute as long as it calls. */
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

static const char line[] = "forty bytes of text, as a log line holds";
enum { AT_A_TIME = 2000, PAUSE_NS = 2000000 };

static unsigned calls;
static int threads;
static int is_text, is_object, is_string, is_paced, is_beside, pauses;
static std::string words;

struct three {
  int a, b, c;
};

extern "C" {
__attribute__((noinline)) unsigned mix(unsigned value, unsigned round) {
  return value * 2654435761u + (round ^ (value >> 7));
}

__attribute__((noinline)) unsigned text(const char *words, unsigned round) {
  return (unsigned char)words[round % 40] * 2654435761u + round;
}

__attribute__((noinline)) unsigned object(const struct three *numbers, unsigned round) {
  return (unsigned)(numbers->a + numbers->b * numbers->c) * 2654435761u + round;
}

__attribute__((noinline)) unsigned string(const std::string &said, unsigned round) {
  return (unsigned char)said[round % 8] * 2654435761u + round;
}
}

static pthread_barrier_t all_here;

struct share {
  int computes;
  unsigned value;
  double took;
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* As long as a traced call takes, about. */
enum { ROUNDS_FOR_A_CALL = 20 };

static unsigned compute(unsigned value, unsigned round) {
  for (int i = 0; i < ROUNDS_FOR_A_CALL; i++) value = value * 2654435761u + (round ^ (value >> 7));
  return value;
}

static void *work(void *result) {
  struct share *share = static_cast<struct share *>(result);
  const struct three numbers = {1, 2, (int)calls};
  unsigned value = is_text     ? text(line, 1)
                   : is_object ? object(&numbers, 1)
                   : is_string ? string(words, 1)
                               : mix(1, 1);
  pthread_barrier_wait(&all_here);
  double took = 0;
  const unsigned at_a_time = is_paced ? AT_A_TIME : calls;
  for (unsigned from = 0; from < calls; from += at_a_time) {
    const unsigned to = calls - from < at_a_time ? calls : from + at_a_time;
    const double begin = now();
    if (share->computes)
      for (unsigned call = from; call < to; call++) value = compute(value, call);
    else if (is_text)
      for (unsigned call = from; call < to; call++) value += text(line, call);
    else if (is_object)
      for (unsigned call = from; call < to; call++) value += object(&numbers, call);
    else if (is_string)
      for (unsigned call = from; call < to; call++) value += string(words, call);
    else
      for (unsigned call = from; call < to; call++) value = mix(value, call);
    took += now() - begin;
    const timespec pause = {0, (is_beside ? 1 : threads) * pauses * PAUSE_NS};
    if (is_paced) nanosleep(&pause, NULL);
  }
  share->took = took;
  share->value = value;
  return NULL;
}

/* Nanoseconds that a thread that calls took, on average. */
static double round_of(void) {
  pthread_t others[64];
  struct share shares[64];
  double took = 0;
  pthread_barrier_init(&all_here, NULL, (unsigned)threads);
  for (int i = 0; i < threads; i++) shares[i].computes = is_beside && i > 0;
  for (int i = 1; i < threads; i++) pthread_create(&others[i], NULL, work, &shares[i]);
  work(&shares[0]);
  for (int i = 1; i < threads; i++) pthread_join(others[i], NULL);
  const int counted = is_beside ? 1 : threads;
  for (int i = 0; i < counted; i++) took += shares[i].took;
  return took / counted;
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 7;
  const unsigned wanted = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1000000;
  threads = argc > 4 ? atoi(argv[4]) : 1;
  is_text = argc > 3 && strcmp(argv[3], "text") == 0;
  is_object = argc > 3 && strcmp(argv[3], "object") == 0;
  if (argc > 3 && strcmp(argv[3], "string") == 0) words = line;
  if (argc > 3 && strcmp(argv[3], "short") == 0) words = "ten letters";
  is_string = !words.empty();
  pauses = argc > 5 && strcmp(argv[5], "slow") == 0 ? 4 : 1;
  is_beside = argc > 5 && strcmp(argv[5], "beside") == 0;
  is_paced = pauses > 1 || is_beside || (argc > 5 && strcmp(argv[5], "paced") == 0);
  if (argc > 5 && !is_paced) {
    const pid_t child = fork();
    if (child > 0) return waitpid(child, NULL, 0) < 0;
    if (getchar() == EOF) return 1;
  }
  calls = is_paced ? 10 * wanted : wanted / 10; /* a reader that has just begun is behind for a while */
  round_of();
  calls = wanted;
  for (int round = 0; round < rounds; round++) {
    printf("%.3f\n", round_of() / calls);
    fflush(stdout);
  }
  return 0;
}
