#include "alone.h"
#include "../engine/unseenCalls.h"
#include "ask.h"
#include "contract.h"
#include "faults.h"
#include "pauses.h"
#include "process.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { PATIENCE_S = 20, DONE_MS = 2000, MOST_PAUSED = 256, STACK_BYTES = 256 << 10 };
enum { MOST_WORD = 6 * MOST_TEXT, MOST_FRAME = MOST_TEXT };

/* Of the word, in their order; the last is there where the user set NODE_OPTIONS. */
enum { ENGINE, RING, NUMBERS, NOTES, SERVICE, ROOT, LINK, OPTIONS, FIELDS };
#define BETWEEN '\x1f'

static struct alone {
  char word[MOST_WORD];
  char *fields[FIELDS];
  void *engine;
  int link;
} own;

static int split(void) {
  const char *given = getenv("STROBE_ENTER");
  if (!given || strlen(given) >= sizeof own.word) return 0;
  strcpy(own.word, given);
  int count = 0;
  for (char *at = own.word; at && count < FIELDS; count++) {
    own.fields[count] = at;
    at = strchr(at, BETWEEN);
    if (at) *at++ = 0;
  }
  return count >= OPTIONS;
}

/* `slots,bytes,most,grow,forked,calls,every` */
static int start_engine(void) {
  unsigned slots, bytes, most, calls, every;
  unsigned long grow, forked;
  /* RTLD_NODELETE: threads may be inside its code for as long as the process lives. */
  own.engine = dlopen(own.fields[ENGINE], RTLD_NOW | RTLD_NODELETE);
  if (!own.engine || sscanf(own.fields[NUMBERS], "%u,%u,%u,%lu,%lu,%u,%u", &slots, &bytes, &most,
                            &grow, &forked, &calls, &every) != 7)
    return 0;
#define FUNCTION(result, name, ...) \
  result (*name)(__VA_ARGS__);      \
  *(void **)&name = dlsym(own.engine, "engine_" #name);
  FUNCTION(void, set_sampling, u32, u32)
  FUNCTION(void, set_forked_bytes, u64)
  FUNCTION(int, start, const char *, u32, u32, u32, u64, void *, void *, void *)
  FUNCTION(void, pass_sent_signals, void *)
  FUNCTION(void, set_errno, void *)
  FUNCTION(void, set_unwinder, void *)
#undef FUNCTION
  set_sampling(calls, every);
  set_forked_bytes(forked);
  int failed = start(own.fields[RING], slots, bytes, most, grow, (void *)pthread_key_create,
                     (void *)pthread_setspecific, dlsym(RTLD_DEFAULT, "__register_atfork"));
  if (failed != 0) return failed == -EEXIST;
  set_errno(dlsym(RTLD_DEFAULT, "__errno_location"));
  void *unwinder = dlsym(RTLD_DEFAULT, "_Unwind_GetCFA");
  if (unwinder) set_unwinder(unwinder);
  faults_begin(pass_sent_signals);
  return 1;
}

static const char *ring_path(void) {
  const char *(*path)(void);
  *(void **)&path = dlsym(own.engine, "engine_ring_path");
  return path();
}

/* Where somebody else is in the process, the engine is theirs. */
static int is_shared(void) {
  char line[512];
  int found = 0;
  FILE *maps = fopen("/proc/self/maps", "re");
  while (maps && !found && fgets(line, sizeof line, maps)) found = strstr(line, "frida-agent") != 0;
  if (maps) fclose(maps);
  return found;
}

static void leave_engine(void) {
  void (*leave)(void);
  *(void **)&leave = dlsym(own.engine, "engine_leave");
  if (!is_shared()) leave();
}

static int is_done(void) {
  for (int ms = 0; ms < DONE_MS; ms++) {
    if (node_is_done()) return 1;
    usleep(1000);
  }
  return 0;
}

static u32 pause_thread(u32 tid, char *answer) {
  u32 tids[MOST_PAUSED], bytes = 0, count = node_pause(tid, tids, MOST_PAUSED);
  for (u32 i = 0; i < count; i++) bytes += (u32)sprintf(answer + bytes, "%u ", tids[i]);
  return bytes;
}

/* A request of src/collector/node/ownLinks.ts, answered by one frame. */
static int serve(char *request) {
  char answer[MOST_PAUSED * 12];
  u32 bytes = 0;
  if (strncmp(request, "want ", 5) == 0)
    bytes = (u32)sprintf(answer, "%d", node_want(request + 5) ? is_done() : -1);
  else if (strncmp(request, "pause ", 6) == 0)
    bytes = pause_thread((u32)strtoul(request + 6, 0, 10), answer);
  return send_frame(own.link, answer, bytes);
}

static int serve_one(void) {
  static char request[MOST_FRAME];
  u32 bytes;
  if (!receive_all(own.link, &bytes, sizeof bytes) || bytes >= sizeof request) return 0;
  if (!receive_all(own.link, request, bytes)) return 0;
  request[bytes] = 0;
  return serve(request);
}

static void *serve_all(void *unused) {
  u32 (*ignore)(const u32 *, u32), tid = (u32)syscall(SYS_gettid);
  *(void **)&ignore = dlsym(own.engine, "engine_ignore_threads");
  ignore(&tid, 1);
  prctl(PR_SET_NAME, NODE_THREAD_LINK);
  while (serve_one()) {
  }
  /* The daemon is gone, or has let the program go. */
  unseen_close(own.link);
  node_leave();
  leave_engine();
  return unused;
}

/* A thread that takes no signal of the program's. */
static int begin_thread(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = pthread_create(&thread, &attributes, serve_all, 0);
  pthread_sigmask(SIG_SETMASK, &before, 0);
  pthread_attr_destroy(&attributes);
  return !failed;
}

static void say_hello(void) {
  char text[MOST_TEXT + 32];
  int bytes = snprintf(text, sizeof text, "%d %s", getpid(), ring_path());
  if (bytes > 0 && (size_t)bytes < sizeof text) send_frame(own.link, text, (u32)bytes);
}

void alone_begin(void) {
  if (!split()) return;
  own.link = connect_to(own.fields[LINK], PATIENCE_S);
  if (own.link < 0) return;
  if (!start_engine() || !enter_alone(own.fields[ENGINE], own.fields[NOTES], own.fields[SERVICE],
                                      own.fields[ROOT], own.fields[OPTIONS])) {
    unseen_close(own.link);
    return;
  }
  say_hello();
  /* What is wanted is known before the first module of the program comes. */
  int is_served = serve_one();
  struct timeval for_ever = {0};
  setsockopt(own.link, SOL_SOCKET, SO_RCVTIMEO, &for_ever, sizeof for_ever);
  if (is_served && begin_thread()) return;
  unseen_close(own.link);
  node_leave();
  leave_engine();
}
