/*
 * A script is queued as the finished work of a thread of libuv's pool: uv_loop_t has a mutex, a
 * list of finished work and an async handle for that, whose places libuv keeps for all of
 * version 1. Its callback then runs outside of any JavaScript, but with the main context entered;
 * the engine runs the script as a microtask, which has a scope for handles.
 */
#include "live.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* libuv's, as far as it is used. */
struct queue {
  struct queue *next, *previous;
};

struct work {
  void (*work)(struct work *);
  void (*done)(struct work *, int status);
  void *loop;
  struct queue queue;
};

struct async {
  void *data, *loop;
  int type;
};

struct loop {
  u8 before[120];
  struct queue finished;
  pthread_mutex_t lock;
  struct async async;
};

enum { LOOP_BYTES = 848, TYPE_ASYNC = 1 };
_Static_assert(__builtin_offsetof(struct loop, lock) == 136, "uv_loop_t of libuv 1");
_Static_assert(__builtin_offsetof(struct loop, async) == 176, "uv_loop_t of libuv 1");

/* V8's `Local` is one pointer. X(result, name, symbol, parameters) */
#define ALL_FUNCTIONS_OF_NODE(X)                                                           \
  X(struct loop *, default_loop, "uv_default_loop", (void))                                \
  X(size_t, loop_size, "uv_loop_size", (void))                                             \
  X(int, send, "uv_async_send", (struct async *))                                          \
  X(void *, isolate, "_ZN2v87Isolate10GetCurrentEv", (void))                               \
  X(void *, context, "_ZN2v87Isolate17GetCurrentContextEv", (void *isolate))               \
  X(void, interrupt, "_ZN2v87Isolate16RequestInterruptEPFvPS0_PvES2_",                     \
    (void *isolate, void (*)(void *isolate, void *data), void *data))                      \
  X(void, enqueue, "_ZN2v87Isolate16EnqueueMicrotaskEPFvPvES1_",                           \
    (void *isolate, void (*)(void *), void *))                                             \
  X(void, perform, "_ZN2v87Isolate26PerformMicrotaskCheckpointEv", (void *isolate))        \
  X(void *, text, "_ZN2v86String11NewFromUtf8EPNS_7IsolateEPKcNS_13NewStringTypeEi",       \
    (void *isolate, const char *, int type, int bytes))                                    \
  X(void *, compile,                                                                       \
    "_ZN2v86Script7CompileENS_5LocalINS_7ContextEEENS1_INS_6StringEEEPNS_12ScriptOriginE", \
    (void *context, void *text, void *origin))                                             \
  X(void *, run, "_ZN2v86Script3RunENS_5LocalINS_7ContextEEE", (void *script, void *context))

static struct {
#define FUNCTION(result, name, symbol, parameters) result(*name) parameters;
  ALL_FUNCTIONS_OF_NODE(FUNCTION)
#undef FUNCTION
} node;

struct script {
  struct work work;
  char text[];
};

static u32 asked, done;

int live_find(void) {
  int found = 1;
#define FUNCTION(result, name, symbol, parameters)    \
  *(void **)&node.name = dlsym(RTLD_DEFAULT, symbol); \
  if (!node.name) found = 0;
  ALL_FUNCTIONS_OF_NODE(FUNCTION)
#undef FUNCTION
  if (!found || node.loop_size() != LOOP_BYTES) return 0;
  struct loop *loop = node.default_loop();
  return loop && loop->async.loop == loop && loop->async.type == TYPE_ASYNC;
}

void live_run_now(void *isolate, const char *script) {
  void *context = node.context(isolate);
  void *text = context ? node.text(isolate, script, 0, -1) : 0;
  void *compiled = text ? node.compile(context, text, 0) : 0;
  if (compiled) node.run(compiled, context);
}

void *live_isolate(void) { return node.isolate(); }

void live_interrupt(void *isolate, void (*interrupted)(void *isolate, void *data)) {
  node.interrupt(isolate, interrupted, 0);
}

static void run_script(void *data) {
  struct script *script = data;
  live_run_now(node.isolate(), script->text);
  free(script);
  __atomic_fetch_add(&done, 1, __ATOMIC_RELEASE);
}

static void arrived(struct work *work, int status) {
  (void)status;
  void *isolate = node.isolate();
  node.enqueue(isolate, run_script, work);
  node.perform(isolate);
}

int live_run(const char *text) { return live_run_in(node.default_loop(), text); }

int live_run_in(void *of, const char *text) {
  struct loop *loop = of;
  struct script *script = malloc(sizeof *script + strlen(text) + 1);
  if (!script) return 0;
  strcpy(script->text, text);
  script->work = (struct work){.done = arrived, .loop = loop};
  struct queue *one = &script->work.queue, *all = &loop->finished;
  pthread_mutex_lock(&loop->lock);
  __atomic_fetch_add(&asked, 1, __ATOMIC_RELEASE);
  one->next = all;
  one->previous = all->previous;
  one->previous->next = one;
  all->previous = one;
  node.send(&loop->async);
  pthread_mutex_unlock(&loop->lock);
  return 1;
}

u32 live_asked(void) { return asked; }

u32 live_done(void) { return __atomic_load_n(&done, __ATOMIC_ACQUIRE); }
