#include "lasting.h"
#include "api.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

/* Py_eval_input. */
enum { AS_EXPRESSION = 258, MOST_SECONDS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* How many began and ended: one alone runs at a time that is watched. */
static unsigned long watched;
static u32 is_running, was_interrupted;

static void interrupt(unsigned long thread) {
  int state = python.PyGILState_Ensure();
  object *builtins = python.PyImport_ImportModule("builtins");
  object *error = builtins ? python.PyObject_GetAttrString(builtins, "TimeoutError") : 0;
  if (is_running && error) {
    was_interrupted = 1;
    python.PyThreadState_SetAsyncExc(thread, error);
  }
  python.PyErr_Clear();
  if (error) python.Py_DecRef(error);
  if (builtins) python.Py_DecRef(builtins);
  python.PyGILState_Release(state);
}

static void *watch(void *unused) {
  (void)unused;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += MOST_SECONDS;
  pthread_mutex_lock(&lock);
  while (is_running && pthread_cond_timedwait(&changed, &lock, &until) != ETIMEDOUT) continue;
  u32 is_late = is_running;
  pthread_mutex_unlock(&lock);
  if (is_late) interrupt(watched);
  return 0;
}

void lasting_begin(struct lasting *lasting) {
  sigset_t all, before;
  lasting->has_watcher = 0;
  if (is_running) return;
  watched = GET(python.PyThreadState_GetUnchecked(), thread_id, unsigned long);
  is_running = 1;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  lasting->has_watcher = !pthread_create(&lasting->watcher, 0, watch, 0);
  pthread_sigmask(SIG_SETMASK, &before, 0);
  is_running = (u32)lasting->has_watcher;
}

/* An interruption that came too late is met by code of ours. Taking it back instead would leave
 * CPython 3.11 with work to do that it never finds, and a traced function then never begins. */
static void meet_interruption(void) {
  object *code = python.Py_CompileString("0", "<strobe>", AS_EXPRESSION);
  object *all = code ? python.PyDict_New() : 0;
  object *value = all ? python.PyEval_EvalCode(code, all, all) : 0;
  if (!value) python.PyErr_Clear();
  object *made[] = {value, all, code};
  for (u32 i = 0; i < sizeof made / sizeof *made; i++)
    if (made[i]) python.Py_DecRef(made[i]);
}

/* The watcher may wait for the interpreter lock. */
void lasting_end(struct lasting *lasting) {
  if (!lasting->has_watcher) return;
  pthread_mutex_lock(&lock);
  is_running = 0;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  void *thread = python.PyEval_SaveThread();
  pthread_join(lasting->watcher, 0);
  python.PyEval_RestoreThread(thread);
  if (was_interrupted) meet_interruption();
  was_interrupted = 0;
}
