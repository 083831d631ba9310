#include "pauses.h"
#include "live.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A request that comes to a thread later than that is over. */
enum { PATIENCE_MS = 2000, MOST_SCRIPT = 128 };

static struct paused {
  struct paused *next;
  void *isolate;
  struct uv_loop_s *loop;
  u32 tid;
} *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Of the last request, and until when it holds. */
static u32 number;
static u64 until_ms;

static u64 now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
}

static void forget(void *data) {
  pthread_mutex_lock(&lock);
  for (struct paused **at = &all; *at; at = &(*at)->next)
    if (*at == data) {
      *at = (*at)->next;
      break;
    }
  pthread_mutex_unlock(&lock);
  free(data);
}

void pauses_begin(napi_env env) {
  struct paused *one = live_find() ? calloc(1, sizeof *one) : 0;
  if (!one) return;
  one->isolate = live_isolate();
  one->tid = (u32)syscall(SYS_gettid);
  napi_get_uv_event_loop(env, &one->loop);
  napi_add_env_cleanup_hook(env, forget, one);
  pthread_mutex_lock(&lock);
  one->next = all;
  all = one;
  pthread_mutex_unlock(&lock);
}

/* In the middle of JavaScript it stops there. */
static void write_script(char *script, int is_idle) {
  snprintf(script, MOST_SCRIPT, "try { if ($strobe('pause', %s, %u, %lu)) debugger } catch {}",
           is_idle ? "true" : "false", number, (unsigned long)until_ms);
}

/* In the thread, in the middle of its JavaScript. */
static void interrupted(void *isolate, void *data) {
  (void)data;
  char script[MOST_SCRIPT];
  pthread_mutex_lock(&lock);
  int is_over = now_ms() > until_ms;
  write_script(script, 0);
  pthread_mutex_unlock(&lock);
  if (!is_over) live_run_now(isolate, script);
}

/* Has a thread stand still, or with 0 all of them. Returns how many that are, and which. */
__attribute__((visibility("default"))) u32 node_pause(u32 tid, u32 *tids, u32 most) {
  char script[MOST_SCRIPT];
  u32 count = 0;
  pthread_mutex_lock(&lock);
  number++;
  until_ms = now_ms() + PATIENCE_MS;
  write_script(script, 1);
  for (struct paused *one = all; one && count < most; one = one->next) {
    if (tid && one->tid != tid) continue;
    tids[count++] = one->tid;
    live_interrupt(one->isolate, interrupted);
    live_run_in(one->loop, script);
  }
  pthread_mutex_unlock(&lock);
  return count;
}
