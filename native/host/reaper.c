/*
 * A process that ends while it is held stays a zombie which its own parent cannot wait for, until
 * the holder has waited for it. Frida waits only in the middle of its calls: whatever is killed at
 * another moment, or after an attach that failed, would keep its parent waiting for as long as the
 * host lives. So a thread here waits for each held one. It may not do so for all at once: a wait
 * that may be answered by any of them takes the stops that Frida waits for.
 */
#define _GNU_SOURCE
#include "reaper.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>

enum { MAX_HELD = 64, MAX_ENDS = 64, LOOK_NS = 10000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t watched = PTHREAD_COND_INITIALIZER;
static pid_t held[MAX_HELD];
static unsigned held_count;
static struct end {
  pid_t tid;
  int status;
} ends[MAX_ENDS];
static unsigned next_end;
static bool is_running;

static void leave(unsigned at) { held[at] = held[--held_count]; }

static int status_of(const siginfo_t *dead) {
  if (dead->si_code == CLD_EXITED) return dead->si_status << 8;
  return dead->si_status | (dead->si_code == CLD_DUMPED ? 0x80 : 0);
}

/* Whether it needs watching no longer: it has ended, or is held by nobody here. */
static bool reap(pid_t tid) {
  siginfo_t seen = {0};
  /* Told of a stop as well, which stays untouched. */
  if (waitid(P_PID, (id_t)tid, &seen, WEXITED | WNOHANG | WNOWAIT | __WALL) < 0) return true;
  if (seen.si_pid != tid ||
      (seen.si_code != CLD_EXITED && seen.si_code != CLD_KILLED && seen.si_code != CLD_DUMPED))
    return false;
  ends[next_end++ % MAX_ENDS] = (struct end){tid, status_of(&seen)};
  waitid(P_PID, (id_t)tid, &seen, WEXITED | WNOHANG | __WALL);
  return true;
}

static void *watch_all(void *unused) {
  pthread_mutex_lock(&lock);
  for (;;) {
    while (held_count == 0) pthread_cond_wait(&watched, &lock);
    for (unsigned i = held_count; i-- > 0;)
      if (reap(held[i])) leave(i);
    pthread_mutex_unlock(&lock);
    nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    pthread_mutex_lock(&lock);
  }
  return unused;
}

/* The signals of the host are for its other threads. */
static void begin(void) {
  sigset_t every, before;
  pthread_t thread;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  is_running = pthread_create(&thread, NULL, watch_all, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void reaper_watch(pid_t tid) {
  pthread_mutex_lock(&lock);
  for (unsigned i = 0; i < MAX_ENDS; i++)
    if (ends[i].tid == tid) ends[i].tid = 0; /* that was another of the number */
  if (held_count < MAX_HELD) held[held_count++] = tid;
  if (!is_running) begin();
  pthread_cond_signal(&watched);
  pthread_mutex_unlock(&lock);
}

void reaper_leave(pid_t tid) {
  pthread_mutex_lock(&lock);
  for (unsigned i = held_count; i-- > 0;)
    if (held[i] == tid) leave(i);
  pthread_mutex_unlock(&lock);
}

int reaper_status(pid_t tid) {
  int status = 0;
  pthread_mutex_lock(&lock);
  for (unsigned i = 0; i < MAX_ENDS; i++) {
    if (ends[i].tid != tid) continue;
    status = ends[i].status;
    ends[i].tid = 0;
  }
  pthread_mutex_unlock(&lock);
  return status;
}
