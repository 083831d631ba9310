/* A program that gets to nothing for a while in the middle of Frida's coming, as on a machine that
 * has far too much to do. It is the same each time: what is to be slow gets a signal whose handler
 * sleeps.
 *
 *   starved call     the first system call of a call that is run on its thread
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
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define SLEEP_S 7

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

#if defined(__x86_64__)
/* The kernel left the registers as they were at the system call, the counter behind it. */
#define CALL_AGAIN(context) ((context)->uc_mcontext.gregs[REG_RIP] -= 2)
#endif

static char dispatch = SYSCALL_DISPATCH_FILTER_BLOCK;

static void on_strange(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  dispatch = SYSCALL_DISPATCH_FILTER_ALLOW;
  sleep_once();
  CALL_AGAIN((ucontext_t *)context);
}

/* From now on a system call of this thread that libc does not make is one in a call of somebody
 * else's. Returns 0, or -1 where the kernel cannot tell (Linux 5.11, x86). */
static int watch_calls(void) {
  struct sigaction action = {.sa_sigaction = on_strange, .sa_flags = SA_SIGINFO};
  sigaction(SIGSYS, &action, NULL);
  uintptr_t start = 0, end = 0;
  char line[512];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps))
    if (strstr(line, " r-xp ") && strstr(line, "/libc"))
      sscanf(line, "%lx-%lx", &start, &end);
  fclose(maps);
  return prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, start, end - start, &dispatch);
}

static void on_call(int signal) {
  (void)signal;
  sleep_once();
}

/* Sends a signal to the first thread that is neither the main one nor its own: a fault, which
 * threads of the tracing do not block. */
static void *look_out(void *nothing) {
  int own = (int)syscall(SYS_gettid);
  while (!slept) {
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *entry; (entry = readdir(threads));) {
      int tid = atoi(entry->d_name);
      if (tid > 0 && tid != own && tid != getpid())
        syscall(SYS_tgkill, getpid(), tid, SIGFPE);
    }
    closedir(threads);
  }
  return nothing;
}

int main(int count, char **words) {
  if (count > 1 && !strcmp(words[1], "call")) {
    if (watch_calls()) {
      perror("starved");
      return 1;
    }
  } else {
    struct sigaction action = {.sa_handler = on_call, .sa_flags = SA_RESTART};
    sigaction(SIGFPE, &action, NULL);
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
