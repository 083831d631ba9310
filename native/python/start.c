/* How the tracer enters an interpreter and receives what is wanted.
 *
 *   at an exec   python_prepare, python_want … before the program runs. An audit hook (PEP 578) is
 *                called when the first file, module or command is about to be run: there the tracer
 *                begins.
 *   later        python_prepare, python_want: a thread of ours takes the interpreter lock and
 * begins.
 *
 * Whatever is asked for then is done by such a thread, never by who asks, which must not wait for
 * the lock: what the program does with it is unknown. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api.h"
#include "crashed.h"
#include "engine.h"
#include "functions.h"
#include "hold.h"
#include "monitor.h"
#include "notes.h"
#include "profile.h"
#include "script.h"
#include "stops.h"

struct wish {
  u32 length;
  u8 table[];
};

/* Whether calls are recorded. Only a holder of the interpreter lock changes it. */
static int has_begun;
/* Whether they are to be. */
static int is_wanted;
/* The table that is not applied yet, or null. */
static struct wish *pending;
/* How often something was asked for, and how many of that is done. */
static u32 asked, done;
/* Threads are to stand still: that of this number, or with 0 all. */
static u32 is_pause_wanted, pause_tid;
/* The process for which all that is. */
static pid_t owner;

static int has_monitoring(void) { return python.minor >= 12; }

static void begin(void) {
  const char *failure = has_monitoring() ? monitor_begin() : profile_begin();
  if (failure) notes_write(NOTE_FAILED, failure);
  else notes_write(NOTE_STARTED, python.Py_GetVersion());
  has_begun = !failure;
  if (has_begun) functions_note_modules();
}

static void end(void) {
  if (has_monitoring()) monitor_end();
  else profile_end();
  has_begun = 0;
}

/* It begins on, unless a call is to start it; what triggers said before holds while they stay. */
static void set_recording(void) {
  static u64 triggers;
  if (functions_triggers == triggers) return;
  triggers = functions_triggers;
  engine.switch_recording(!functions_start);
}

static void apply_table(void) {
  struct wish *wish = __atomic_exchange_n(&pending, 0, __ATOMIC_ACQ_REL);
  if (!wish) return;
  functions_set(wish->table, wish->length);
  free(wish);
  set_recording();
  if (!has_begun) return;
  if (has_monitoring()) monitor_apply();
  else profile_apply();
}

/* Threads that run come to their next line soon; others wait in native code. */
enum { LOOKS = 15, LOOK_NS = 1000000 };

static void pause_threads(void) {
  if (!__atomic_exchange_n(&is_pause_wanted, 0, __ATOMIC_ACQ_REL) || !has_begun) return;
  stops_pause(pause_tid, has_monitoring() ? monitor_follow : profile_follow);
  if (has_monitoring()) monitor_apply();
  else profile_apply();
  struct timespec time = {.tv_nsec = LOOK_NS};
  for (u32 i = 0; i < LOOKS && stops_awaited(); i++) {
    void *thread = python.PyEval_SaveThread();
    nanosleep(&time, 0);
    python.PyEval_RestoreThread(thread);
  }
  stops_speak_for_awaited();
}

/* With the interpreter lock. */
static void do_all(void) {
  for (;;) {
    u32 now = __atomic_load_n(&asked, __ATOMIC_ACQUIRE);
    apply_table();
    if (is_wanted && !has_begun) begin();
    if (!is_wanted && has_begun) end();
    pause_threads();
    __atomic_store_n(&done, now, __ATOMIC_RELEASE);
    if (now == __atomic_load_n(&asked, __ATOMIC_ACQUIRE)) return;
  }
}

static void *work(void *unused) {
  (void)unused;
  int state = python.PyGILState_Ensure();
  do_all();
  python.PyGILState_Release(state);
  return 0;
}

enum { STACK_BYTES = 1 << 19 };

/* It takes no signal of the program's. */
static int start_worker(void) {
  sigset_t all, before;
  pthread_attr_t attributes;
  pthread_t thread;
  sigfillset(&all);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = pthread_create(&thread, &attributes, work, 0);
  pthread_sigmask(SIG_SETMASK, &before, 0);
  pthread_attr_destroy(&attributes);
  return !failed;
}

/* ── the audit hook ── */

static int is_run_event(const char *event) {
  static const char prefix[] = "cpython.run_";
  return !strncmp(event, prefix, sizeof prefix - 1) &&
         strcmp(event, "cpython.run_interactivehook") != 0;
}

/* Cannot be taken away again: it costs each audited event a call that returns at once. */
static int on_audit(const char *event, object *arguments, void *data) {
  (void)data;
  if (event[0] == 'c' && !has_begun && is_wanted && is_run_event(event)) do_all();
  else if (has_begun && python.minor < 12 && !strcmp(event, "sys.setprofile")) profile_is_set();
  else if (has_begun && python.minor < 12 && !strcmp(event, "sys.settrace")) profile_trace_is_set();
  else if (has_begun && !strcmp(event, "sys.excepthook")) {
    struct ended ended = uncaught_audited(arguments);
    stops_at_uncaught(&ended);
  }
  return 0;
}

/* ── what the agent calls, one call at a time ── */

/* The engine at path `engine` is loaded. `notes`: the file in which the daemon reads what happens;
 * `stops`: its socket for threads that stand still. `at_exec`: nothing of the program has run.
 * Returns a PROBLEM of table.h. */
EXPORT int python_prepare(const char *engine_path, const char *notes, const char *stops,
                          int at_exec) {
  int problem = (int)python_find();
  if (problem) return problem;
  if (!engine_find(engine_path)) return PROBLEM_NO_ENGINE;
  int is_first = owner == 0;
  owner = getpid();
  notes_begin(notes);
  hold_begin(stops);
  is_wanted = 1;
  engine.on_crash(crashed_note);
  if (at_exec && is_first) python.PySys_AddAuditHook(on_audit, 0);
  return PROBLEM_FITS;
}

/* Asks for what is pending. At an exec that waits for the audit hook. Returns the number that
 * python_done reaches when it is done. */
static u32 ask(void) {
  u32 number = __atomic_add_fetch(&asked, 1, __ATOMIC_ACQ_REL);
  if (python.Py_IsInitialized()) start_worker();
  return number;
}

EXPORT u32 python_want(const u8 *table, u32 length) {
  struct wish *wish = malloc(sizeof *wish + length);
  if (!wish) return 0;
  wish->length = length;
  memcpy(wish->table, table, length);
  free(__atomic_exchange_n(&pending, wish, __ATOMIC_ACQ_REL));
  return ask();
}

/* Calls are not told of any more. */
EXPORT u32 python_leave(void) {
  is_wanted = 0;
  return ask();
}

/* Has a thread stand still, or with 0 all of them. 0: nothing of the program runs yet. */
EXPORT u32 python_pause(u32 tid) {
  if (!python.Py_IsInitialized()) return 0;
  pause_tid = tid;
  __atomic_store_n(&is_pause_wanted, 1, __ATOMIC_RELEASE);
  return ask();
}

/* Those that the last pause stopped, at most so many; returns how many. */
EXPORT u32 python_paused(u32 *tids, u32 most) { return stops_paused(tids, most); }

/* Has the program run a text of Python. 0: it cannot yet. */
EXPORT u32 python_run(const char *text) {
  return python.Py_IsInitialized() ? (u32)script_start(text) : 0;
}

EXPORT u32 python_done(void) { return __atomic_load_n(&done, __ATOMIC_ACQUIRE); }

/* Whether what is asked for is done at once; if not, when the interpreter has started. */
EXPORT u32 python_runs(void) { return python.Py_IsInitialized() != 0; }
