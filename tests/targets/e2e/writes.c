// Writes to a global from threads that start later and block SIGTRAP, to a member, by memcpy, to the heap, by a child, many in a row.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct audio { int rate; double gain; };
struct config { struct audio audio; char title[40]; };

long total, many;
struct config settings = {{44100, 0.5}, "first"};
struct config *heap;
struct __attribute__((packed, aligned(8))) { char pad; long value; } packed;
__thread long own;
static volatile size_t size = sizeof(struct config);
static volatile int traps;

__attribute__((noinline)) void add(long amount) { total += amount; }
__attribute__((noinline)) void tune(struct config *which, int rate) { which->audio.rate = rate; }
__attribute__((noinline)) void replace(struct config *to, const struct config *from) {
  memcpy(to, from, size);
}
__attribute__((noinline)) void mark(void) { total = -1; }
__attribute__((noinline)) void count_up(void) { many++; }

static void on_trap(int number) { traps += number == SIGTRAP; }

static void *work(void *number) {
  sigset_t all, pending;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  add((long)number);
  sigpending(&pending);
  traps += 100 * sigismember(&pending, SIGTRAP);
  return NULL;
}

static void in_thread(long number) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, (void *)number);
  pthread_join(thread, NULL);
}

static int in_child(void) {
  int status;
  pid_t child = fork();
  if (child == 0) {
    add(1000);
    _exit(total == 1135 ? 7 : 8);
  }
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

static int waits(int count) {
  char line[16];
  return count == 1 || fgets(line, sizeof line, stdin) != NULL;
}

int main(int count, char **words) {
  static struct config other = {{8000, 1.5}, "second"};
  heap = calloc(1, sizeof *heap);
  signal(SIGTRAP, on_trap);
  printf("own %p\n", (void *)&own);
  fflush(stdout);
  if (!waits(count)) return 1;
  for (long i = count > 1 ? atol(words[1]) : 0; i > 0; i--) count_up();
  add(5);
  tune(&settings, 48000);
  replace(&settings, &other);
  tune(heap, 96000);
  own = 12;
  in_thread(30);
  in_thread(100);
  int child = in_child();
  if (!waits(count)) return 1;
  mark();
  raise(SIGTRAP);
  printf("total %ld rate %d heap %d traps %d child %d own %ld many %ld\n", total, settings.audio.rate,
         heap->audio.rate, traps, child, own, many + packed.value);
  free(heap);
  return 3;
}
