#include "stops.h"
#include "frames.h"
#include "helperThread.h"
#include "paths.h"
#include "raisedAt.h"
#include "raises.h"
#include "stand.h"
#include "table.h"
#include "threads.h"
#include "values.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum { MOST_PAUSED = 1024, SAID_WORDS = 24 };
/* Beside those of table.h: it is to stand at its next line; it stands, and another says so. */
enum { STEP_PAUSE = 100, STEP_HELD = 101 };
/* Of co_flags. */
enum { IS_COROUTINE = 0x80 | 0x100 | 0x200 };

/* A step that is under way. */
struct led {
  struct led *next;
  void *thread;
  object *own; /* the frame it began in */
  u32 step;    /* a STEP of table.h, or of above */
  u32 depth;   /* of that frame */
  u32 is_away; /* that frame waits for what it awaits */
  u32 line;    /* of STEP_UNTIL: where it ends at the latest */
  char path[MOST_STEP_PATH];
};

static struct led *all_led;
u32 stops_led, stops_led_anywhere;
static void (*follow)(void *thread);
static u32 paused[MOST_PAUSED], paused_count;

/* Threads of which another said where they stand wait for that. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static u32 let_go;

static struct led *led_of(const void *thread) {
  struct led *one = all_led;
  while (one && one->thread != thread) one = one->next;
  return one;
}

static void *thread_now(void) { return python.PyThreadState_GetUnchecked(); }

static int is_anywhere(const struct led *led) {
  return led->step != STEP_OVER && led->step != STEP_OUT;
}

static void lead_no_more(const void *thread) {
  struct led **at = &all_led, *one;
  while ((one = *at) && one->thread != thread) at = &one->next;
  if (!one) return;
  *at = one->next;
  stops_led--;
  stops_led_anywhere -= (u32)is_anywhere(one);
  if (one->step == STEP_HELD) {
    pthread_mutex_lock(&lock);
    let_go++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
  }
  free(one);
}

static void lead(void *thread, object *own, u32 step, const struct order *order) {
  struct led *one = calloc(1, sizeof *one);
  if (!one) return;
  one->thread = thread;
  one->own = own;
  one->step = step;
  one->depth = frames_depth(own);
  if (order) {
    one->line = order->line;
    strcpy(one->path, order->path);
  }
  one->next = all_led;
  all_led = one;
  stops_led++;
  stops_led_anywhere += (u32)is_anywhere(one);
}

int stops_is_led(const void *thread) { return stops_led && led_of(thread) != 0; }

void stops_forget(void) {
  while (all_led) lead_no_more(all_led->thread);
}

/* The thread stands, and is led on as it is told then. */
static int stand_there(const struct standing *at, const struct reason *why) {
  struct order order;
  lead_no_more(at->thread);
  if (stand(at, why, &order) && order.is_step) {
    object *own = at->from ? at->from->own : frames_of_thread(at->thread);
    lead(at->thread, own, order.step, &order);
  }
  return 1;
}

/* ── where it is led to ── */

static int is_at(const struct led *led, const struct frame *frame, u32 line) {
  struct source *source = led->line == line ? path_of(GET(frame->code, co_filename, object *)) : 0;
  return source && !strcmp(source->path, led->path);
}

/* Code that is in no file, such as that of the interpreter's own imports, is passed. */
static int is_shown(const struct frame *frame) {
  return *utf8_of(GET(frame->code, co_filename, object *)) != '<';
}

static int ends_at_line(struct led *led, const struct frame *frame, u32 line) {
  if (led->is_away && frame->own != led->own)
    return led->step == STEP_UNTIL && is_at(led, frame, line);
  if (led->is_away) led->depth = frames_depth(led->own);
  led->is_away = 0;
  switch (led->step) {
  case STEP_INTO: return is_shown(frame);
  case STEP_PAUSE: return 1;
  case STEP_OVER: return frames_depth(frame->own) <= led->depth;
  case STEP_UNTIL:
    if (is_at(led, frame, line)) return 1;
    break;
  default: break;
  }
  return frames_depth(frame->own) < led->depth;
}

int stops_at_line(const struct frame *frame, u32 line, const char *keys) {
  void *thread = thread_now();
  struct led *led = stops_led ? led_of(thread) : 0;
  if (stand_is_standing(thread)) return 0;
  if (!*keys && (!led || !ends_at_line(led, frame, line))) return 0;
  struct standing at = {.thread = thread, .from = frame, .line = line};
  struct reason why = {.keys = keys, .returned = ""};
  why.is_paused = !*keys && led && led->step == STEP_PAUSE;
  return stand_there(&at, &why);
}

static int is_coroutine(const struct frame *frame) {
  return (GET(frame->code, co_flags, int) & IS_COROUTINE) != 0;
}

/* Its frame ends: what it was led to is now in the caller. */
static void leave(struct led *led) {
  led->depth = frames_depth(led->own);
  if (led->depth) led->depth--;
  led->is_away = 0;
  led->own = 0;
}

void stops_at_unwind(const struct frame *frame) {
  struct led *led = stops_led ? led_of(thread_now()) : 0;
  if (led && led->is_away && led->own == frame->own) leave(led);
}

/* A step out ends in the caller, where it stands in its call. */
static int ends_at_return(struct led *led, const struct frame *frame, int is_suspended) {
  int is_own = led->own == frame->own;
  if (is_suspended && is_own && is_coroutine(frame)) {
    led->is_away = led->step != STEP_INTO && led->step != STEP_PAUSE;
    return 0;
  }
  if (led->step == STEP_OUT &&
      (is_own || (!led->is_away && frames_depth(frame->own) == led->depth)))
    return 1;
  if (is_own && led->is_away) leave(led);
  return 0;
}

int stops_at_return(const struct frame *frame, object *value, int is_suspended) {
  void *thread = thread_now();
  struct led *led = stops_led ? led_of(thread) : 0;
  if (!led || stand_is_standing(thread) || !ends_at_return(led, frame, is_suspended)) return 0;
  object *back = frames_back(frame->own);
  if (!back) return 0;
  struct line *said = calloc(1, sizeof *said);
  struct capture capture = {0};
  if (value && said) {
    capture_within(&capture, value, SAID_WORDS);
    frames_say_bytes(said, capture.words, capture.used);
  }
  struct frame caller = frames_at(back);
  struct standing at = {.thread = thread, .from = &caller};
  struct reason why = {.keys = "", .returned = said ? said->text : ""};
  int has_stood = stand_there(&at, &why);
  free(said);
  return has_stood;
}

/* ── exceptions ── */

int stops_at_raise(const struct frame *frame, object *type, object *value, object *traceback) {
  char keys[MOST_RAISE_KEYS] = "";
  void *thread = thread_now();
  if (!raises_wanted || stand_is_standing(thread)) return 0;
  raised_at(frame, type, traceback, keys);
  if (!*keys) return 0;
  struct standing at = {.thread = thread, .from = frame};
  struct reason why = {.keys = keys, .returned = "", .raised_type = type, .value = value};
  return stand_there(&at, &why);
}

int stops_at_uncaught(const struct ended *ended) {
  char keys[MOST_RAISE_KEYS] = "";
  void *thread = thread_now();
  if (!raises_wanted || !ended->type || stand_is_standing(thread)) return 0;
  raises_add(ended->type, 1, keys);
  if (!*keys) return 0;
  struct standing at = {.thread = thread, .traceback = ended->traceback};
  struct reason why = {keys, 0, "", ended->type, ended->value};
  struct order order;
  lead_no_more(thread);
  return stand(&at, &why, &order);
}

/* ── pauses ── */

void stops_pause(u32 tid, void (*by)(void *thread)) {
  follow = by;
  paused_count = 0;
  for (void *one = threads_first(); one; one = threads_next(one)) {
    u32 number = threads_tid(one);
    struct led *led = led_of(one);
    if ((tid && number != tid) || stand_is_standing(one) || (led && led->step >= STEP_PAUSE))
      continue;
    object *own = frames_of_thread(one);
    if (!own || paused_count == MOST_PAUSED) continue;
    lead_no_more(one);
    lead(one, own, STEP_PAUSE, 0);
    paused[paused_count++] = number;
  }
}

u32 stops_paused(u32 *tids, u32 most) {
  u32 count = paused_count < most ? paused_count : most;
  memcpy(tids, paused, count * sizeof *tids);
  return count;
}

u32 stops_awaited(void) {
  u32 count = 0;
  for (struct led *one = all_led; one; one = one->next) count += one->step == STEP_PAUSE;
  return count;
}

/* Speaks for a thread, until that may continue. */
static void *speak(void *thread) {
  prctl(PR_SET_NAME, THREAD_SPEAKER);
  int state = python.PyGILState_Ensure();
  struct led *led = led_of(thread);
  if (led && led->step == STEP_HELD && threads_is_there(thread)) {
    struct standing at = {.thread = thread, .tid = threads_tid(thread)};
    struct reason why = {.keys = "", .is_paused = 1, .returned = ""};
    struct order order;
    int stood = stand(&at, &why, &order);
    lead_no_more(thread);
    object *own = stood && threads_is_there(thread) ? frames_of_thread(thread) : 0;
    if (own && order.is_step) lead(thread, own, order.step, &order);
    follow(thread);
  }
  python.PyGILState_Release(state);
  return 0;
}

void stops_speak_for_awaited(void) {
  for (struct led *one = all_led; one; one = one->next) {
    if (one->step != STEP_PAUSE) continue;
    one->step = STEP_HELD;
    if (!helper_thread_start(speak, one->thread)) one->step = STEP_PAUSE;
  }
}

void stops_come_in(void) {
  void *thread = thread_now();
  for (;;) {
    struct led *led = stops_led ? led_of(thread) : 0;
    if (!led || led->step != STEP_HELD) return;
    pthread_mutex_lock(&lock);
    u32 before = let_go;
    pthread_mutex_unlock(&lock);
    void *saved = python.PyEval_SaveThread();
    pthread_mutex_lock(&lock);
    while (let_go == before) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    python.PyEval_RestoreThread(saved);
  }
}
