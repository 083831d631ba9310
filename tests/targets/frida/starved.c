/* A program that gets to nothing for a while in the middle of Frida's coming, as on a machine that
 * has far too much to do. It is the same each time: what is to be slow is sent a signal whose
 * handler sleeps.
 *
 *   starved call     the first call that is run on its thread
 *   starved loader   the first thread that is made in it
 *
 * It says "ready", sums up what it reads, and ends at the end of its input with code 7. */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define SLEEP_S 7
#define MAX_AREAS 64

static struct { uintptr_t start, end; } code[MAX_AREAS];
static int code_count;
static volatile sig_atomic_t slept, awake;

static void sleep_once(void) {
  if (slept)
    return;
  slept = 1;
  struct timespec left = {.tv_sec = SLEEP_S};
  while (nanosleep(&left, &left)) {
  }
  awake = 1;
}

static void read_code(void) {
  char line[512];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps) && code_count < MAX_AREAS) {
    if (!strstr(line, " r-xp "))
      continue;
    sscanf(line, "%lx-%lx", &code[code_count].start, &code[code_count].end);
    code_count++;
  }
  fclose(maps);
}

#if defined(__x86_64__)
#define COUNTER(context) ((uintptr_t)(context)->uc_mcontext.gregs[REG_RIP])
#else
#define COUNTER(context) ((uintptr_t)(context)->uc_mcontext.pc)
#endif

/* Interrupted outside of all code that was there at the start: in a call of somebody else's. */
static void on_time(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  uintptr_t at = COUNTER((ucontext_t *)context);
  for (int i = 0; i < code_count; i++)
    if (at >= code[i].start && at < code[i].end)
      return;
  sleep_once();
}

static void on_call(int signal) {
  (void)signal;
  sleep_once();
}

/* Sends the signal to the first thread that is neither the main one nor its own. */
static void *look_out(void *nothing) {
  int own = (int)syscall(SYS_gettid);
  while (!slept) {
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *entry; (entry = readdir(threads));) {
      int tid = atoi(entry->d_name);
      if (tid > 0 && tid != own && tid != getpid())
        syscall(SYS_tgkill, getpid(), tid, SIGUSR1);
    }
    closedir(threads);
  }
  return nothing;
}

int main(int count, char **words) {
  read_code();
  if (count > 1 && !strcmp(words[1], "call")) {
    struct sigaction action = {.sa_sigaction = on_time, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = {.it_interval = {.tv_usec = 50}, .it_value = {.tv_usec = 50}};
    setitimer(ITIMER_REAL, &often, NULL);
  } else {
    struct sigaction action = {.sa_handler = on_call, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    pthread_t watcher;
    pthread_create(&watcher, NULL, look_out, NULL);
  }
  puts("ready");
  fflush(stdout);
  long sum = 0;
  for (char line[64]; fgets(line, sizeof line, stdin);)
    sum += atol(line);
  while (slept && !awake)
    usleep(1000);
  /* What slept goes on now, wherever it was. */
  usleep(200000);
  printf("slept %d, sum %ld\n", (int)slept, sum);
  return 7;
}
