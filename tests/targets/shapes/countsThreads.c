/* Counts its threads by the links of their folder, as Chromium's zygote does before it forks. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static volatile int sum;

__attribute__((noinline)) int work(int number) {
  sum += number;
  return sum;
}

static void *wait_twice(void *nothing) {
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  return nothing;
}

static void count(const char *when) {
  struct stat by_path, by_folder, elsewhere;
  int proc = open("/proc", O_RDONLY | O_DIRECTORY);
  stat("/proc/self/task", &by_path);
  fstatat(proc, "self/task/", &by_folder, 0);
  stat("/proc/self/attr", &elsewhere);
  printf("%s: %d, %d; attr %d\n", when, (int)by_path.st_nlink - 2, (int)by_folder.st_nlink - 2,
         (int)elsewhere.st_nlink);
  fflush(stdout);
  close(proc);
}

int main(void) {
  struct stat missing;
  pthread_t thread;
  count("alone");
  printf("missing: %d\n", stat("/proc/self/task/none", &missing));
  fflush(stdout);
  if (fork() == 0) {
    count("child");
    _exit(0);
  }
  wait(0);
  pthread_barrier_init(&barrier, 0, 2);
  pthread_create(&thread, 0, wait_twice, 0);
  pthread_barrier_wait(&barrier);
  count("two threads");
  pthread_barrier_wait(&barrier);
  pthread_join(thread, 0);
  return work(7);
}
