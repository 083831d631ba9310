#include "profile.h"
#include "calls.h"
#include "codes.h"
#include "engine.h"
#include "notes.h"
#include "raised.h"
#include "raises.h"
#include "stops.h"

enum what { CALL = 0, EXCEPTION_EVENT = 1, LINE = 2, RETURN = 3 };
/* Bits of co_flags: a generator of some kind. */
enum { SUSPENDS = 0x2a0 };
/* Of a generator's frame: owned by it, and its states. */
enum { OF_GENERATOR = 1, IS_SUSPENDED = -1 };

static int is_on, is_setting;
/* Threads that have been made in the interpreter, when they were looked through last. */
static u64 seen_threads;

static u64 threads_made(void *interpreter) {
  return GET(interpreter, interpreter_next_thread, u64);
}

/* From 3.11 on the object that is handed in leads to it. */
static struct frame frame_of(object *given) {
  object *own = given;
  if (offsets.frame_object_frame != NO_MEMBER) own = GET(given, frame_object_frame, object *);
  return frame_at(own, GET(own, frame_code, object *));
}

/* Whether a generator goes on, and does not begin. */
static int goes_on(const struct frame *frame) {
  if (offsets.co_firsttraceable == NO_MEMBER) return GET(frame->own, frame_instruction, int) >= 0;
  const u8 *instruction = GET(frame->own, frame_instruction, const u8 *);
  const u8 *begin = &GET(frame->code, co_code, const u8);
  return (instruction - begin) / 2 > GET(frame->code, co_firsttraceable, int);
}

/* Whether it waits to go on, and has not ended. */
static int is_suspended(const struct frame *frame) {
  if (offsets.generator_frame != NO_MEMBER)
    return GET(frame->own, frame_owner, int8_t) == OF_GENERATOR &&
           AT(frame->own, offsets.generator_state - offsets.generator_frame, int8_t) ==
               IS_SUSPENDED;
  if (offsets.frame_state != NO_MEMBER) return GET(frame->own, frame_state, int8_t) == IS_SUSPENDED;
  return GET(frame->own, frame_stacktop, void *) != 0;
}

static int suspends(const struct frame *frame) {
  return (GET(frame->code, co_flags, int) & SUSPENDS) != 0;
}

static void set_all(void);

/* Its trace function: the field behind the profile hook. */
static profiler *tracer_of(void *thread) {
  return AT(thread, offsets.thread_profiler + (int)sizeof(profiler *), profiler *);
}

static void trace_where_free(void *thread);

/* Of code with breakpoints. */
static void reach(struct code *code, u32 line, const struct frame *frame,
                  struct stopping *stopping) {
  if (!code->is_armed) codes_meet_sites(code);
  code->is_armed = 1;
  struct sites *sites = &code->function->sites;
  if (code->has_sites && sites_are_at(sites, line))
    sites_reach(sites, code->function->file, line, frame, stopping);
}

/* `raised`: class, value and traceback, or null. */
static int at_raise(const struct frame *frame, object *raised) {
  object *const *parts = raised ? &GET(raised, tuple_items, object *) : 0;
  return parts && stops_at_raise(frame, parts[0], parts[1], parts[2]);
}

/* The object of a frame says best in which line it is. */
static int at_line(const struct frame *frame, object *given) {
  struct code *code = codes_known(frame->code);
  if (!code && !stops_led) return 0;
  u32 line = (u32)python.PyFrame_GetLineNumber(given);
  struct stopping stopping = {0};
  if (code) reach(code, line, frame, &stopping);
  return stops_at_line(frame, line, stopping.keys);
}

static int on_trace(object *self, object *given, int what, object *argument) {
  (void)self;
  stops_come_in();
  if (what == RETURN && !stops_led) return 0;
  struct frame frame = frame_of(given);
  int has_stood = 0;
  if (what == LINE) has_stood = at_line(&frame, given);
  else if (what == EXCEPTION_EVENT && raises_wanted) has_stood = at_raise(&frame, argument);
  else if (what == RETURN && argument)
    has_stood = stops_at_return(&frame, argument, suspends(&frame) && is_suspended(&frame));
  else if (what == RETURN) stops_at_unwind(&frame);
  if (has_stood) trace_where_free(python.PyThreadState_GetUnchecked());
  return 0;
}

static void trace(void *thread, profiler *hook) {
  is_setting = 1;
  if (python._PyEval_SetTrace(thread, hook, 0)) python.PyErr_Clear();
  is_setting = 0;
}

/* Each thread has one trace function: that of a debugger or of coverage is left to it. */
static void trace_where_free(void *thread) {
  profiler *has = tracer_of(thread);
  u32 is_wanted = functions_sited + stops_led + raises_wanted;
  if (is_wanted && !has) trace(thread, on_trace);
  else if (is_wanted && has != on_trace) notes_write(NOTE_TRACER, "");
  else if (!is_wanted && has == on_trace) trace(thread, 0);
}

static int on_event(object *self, object *given, int what, object *argument) {
  (void)self;
  void *thread = python.PyThreadState_GetUnchecked();
  if (threads_made(GET(thread, thread_interpreter, void *)) != seen_threads) set_all();
  if (what != CALL && what != RETURN) return 0;
  struct frame frame = frame_of(given);
  struct code *code = codes_find(frame.code);
  if (!code) {
    if (what != CALL || !uncaught_is_told_by(frame.code)) return 0;
    struct ended ended = uncaught_told(&frame);
    if (stops_at_uncaught(&ended)) trace_where_free(thread);
    return 0;
  }
  int may_wait = suspends(&frame);
  if (what == CALL) {
    if (may_wait && goes_on(&frame)) calls_event(code->function, EVENT_RESUME, &frame, 0);
    else calls_enter(code, &frame);
  } else if (!argument) {
    struct raised raised;
    if (raised_find(given, &raised))
      calls_unwound(code->function, &frame, raised.type, raised.value);
    else calls_event(code->function, EVENT_UNWOUND, &frame, 0);
  } else
    calls_event(code->function, may_wait && is_suspended(&frame) ? EVENT_SUSPEND : EVENT_RETURN,
                &frame, argument);
  return 0;
}

static void set(void *thread, profiler *hook) {
  is_setting = 1;
  if (python._PyEval_SetProfile(thread, hook, 0)) python.PyErr_Clear();
  is_setting = 0;
}

/* 3.11 links a thread's state before it fills it in, and native threads make theirs without the
 * lock that we hold: `_initialized` of struct _ts, behind prev, next and interp. */
static int is_ready(void *thread) {
  return python.minor != 11 || *(volatile int *)((u8 *)thread + 3 * sizeof(void *));
}

/* In each thread without a hook, however it was made. A new thread is met when one that has the
 * hook makes it, before it runs. */
static void set_all(void) {
  void *interpreter = python.PyInterpreterState_Head();
  seen_threads = threads_made(interpreter);
  void *thread = python.PyInterpreterState_ThreadHead(interpreter);
  for (; thread; thread = GET(thread, thread_next, void *)) {
    if (!is_ready(thread)) {
      seen_threads = 0; /* The next event looks again. */
      continue;
    }
    if (!GET(thread, thread_profiler, void *)) set(thread, on_event);
    trace_where_free(thread);
  }
}

static void unset_all(void) {
  void *thread = python.PyInterpreterState_ThreadHead(python.PyInterpreterState_Head());
  for (; thread; thread = GET(thread, thread_next, void *)) {
    if (!is_ready(thread)) continue;
    if (GET(thread, thread_profiler, profiler *) == on_event) set(thread, 0);
    if (tracer_of(thread) == on_trace) trace(thread, 0);
  }
}

const char *profile_begin(void) {
  if (!codes_begin()) return FAILURE_REFUSED;
  is_on = 1;
  profile_apply();
  return 0;
}

void profile_apply(void) {
  for (struct code *code = codes_first(); code; code = code->next) code->is_armed = 0;
  if (is_on && functions_wanted + functions_sited + stops_led + raises_wanted > 0) set_all();
  else unset_all();
}

void profile_follow(void *thread) {
  (void)thread;
  profile_apply();
}

void profile_end(void) {
  is_on = 0;
  stops_forget();
  unset_all();
}

void profile_trace_is_set(void) {
  u32 is_wanted = functions_sited + raises_wanted;
  if (is_on && !is_setting && is_wanted) notes_write(NOTE_TRACER, "");
}

void profile_is_set(void) {
  if (is_on && !is_setting && functions_wanted > 0) notes_write(NOTE_PROFILER, "");
}
