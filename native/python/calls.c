#include "calls.h"
#include "condition.h"
#include "engine.h"
#include "plain.h"
#include "tasks.h"
#include "values.h"
#include "watches.h"

enum { MOST_ARGUMENTS = 32, MOST_NESTED = 64, SELF_WORDS = 40 };
/* Open recorded calls of functions whose depth is limited, the outermost first. */
static __thread struct {
  u64 open[MOST_NESTED];
  u32 count;
} nested;

/* Up to 3.10 a parameter that an inner function uses has moved to a cell. */
static object *moved_argument(const object *code, object *const *locals, u32 at) {
  const ssize_t *arguments = GET(code, co_cell2arg, const ssize_t *);
  if (!arguments) return 0;
  ssize_t cells = GET(GET(code, co_cellvars, object *), ob_size, ssize_t);
  int first = GET(code, co_nlocals, int);
  for (ssize_t i = 0; i < cells; i++)
    if (arguments[i] == (ssize_t)at && locals[first + i])
      return GET(locals[first + i], cell_content, object *);
  return 0;
}

static u32 read_arguments(const struct frame *frame, object **arguments) {
  const object *code = frame->code;
  object *const *locals = frame->locals;
  u32 count = functions_parameters(code);
  const u8 *kinds = 0;
  if (offsets.co_kinds_of_locals != NO_MEMBER)
    kinds = &GET(GET(code, co_kinds_of_locals, object *), bytes_value, const u8);
  for (u32 i = 0; i < count; i++) {
    object *one = locals ? untagged(locals[i]) : 0;
    if (locals && !one && !kinds) one = moved_argument(code, locals, i);
    else if (one && kinds && kinds[i] & CODES_IS_CELL && type_of(one) == python.PyCell_Type)
      one = GET(one, cell_content, object *);
    arguments[i] = one;
  }
  return count;
}

/* ── which calls are recorded ── */

enum choice { RECORDED, COUNTED, IGNORED };

static int is_met(struct function *function, const struct code_text *code,
                  const struct moment *moment) {
  return code->length != 0 &&
         condition_is_met(code, moment, function->name, &function->is_undecided);
}

/* Whether a call starts or stops the recording. */
static int has_triggered(struct function *function, const struct moment *moment) {
  int is_on = (int)engine.is_recording();
  if (!is_met(function, is_on ? &function->stop : &function->start, moment)) return 0;
  engine.switch_recording(!is_on);
  return 1;
}

static int is_too_deep(const struct function *function) {
  return function->depth && (nested.count >= function->depth || nested.count >= MOST_NESTED);
}

/* Only the end of a call says whether it is recorded. */
static int is_decided_late(const struct function *function) {
  return function->least_ns || function->when_return.length;
}

static enum choice choose(struct function *function, const struct moment *moment) {
  int has_triggers = function->start.length || function->stop.length;
  if (has_triggers && has_triggered(function, moment)) return RECORDED;
  if (!engine.is_recording()) return IGNORED;
  if (function->when.length && !is_met(function, &function->when, moment)) return COUNTED;
  if (is_too_deep(function)) return COUNTED;
  if (!function->first) return RECORDED;
  if (!function->left) return COUNTED;
  /* Then it is one of the first only when that is decided. */
  if (!is_decided_late(function)) function->left--;
  return RECORDED;
}

static void begin_nested(const struct function *function, u64 activation) {
  if (function->depth && nested.count < MOST_NESTED) nested.open[nested.count++] = activation;
}

/* What lies above it has ended with it. */
static void end_nested(const struct function *function, u64 activation) {
  if (!function->depth) return;
  for (u32 i = nested.count; i > 0; i--)
    if (nested.open[i - 1] == activation) {
      nested.count = i - 1;
      return;
    }
}

/* Each has its share of the room; what a method is called on is seen in all its calls, and has
 * little. */
static void capture_arguments(struct capture *capture, const struct function *function,
                              object *const *arguments, u32 count) {
  for (u32 i = 0; i < count; i++) {
    u32 share = (MOST_VALUE_WORDS - capture->used) / (count - i);
    int is_self = i == 0 && count > 1 && function->has_self && !function->levels;
    capture_within(capture, arguments[i], is_self && share > SELF_WORDS ? SELF_WORDS : share);
  }
}

/* Whether the enter is kept back. That it will be recorded for sure once it has taken long enough
 * can be said only where nothing else is asked of it. */
static int is_kept_back(const struct function *function, u64 activation,
                        const struct capture *capture) {
  u64 promised = function->first || function->when_return.length ? 0 : function->least_ns;
  return is_decided_late(function) &&
         engine.waits(function->number, activation, capture->words, capture->used, promised);
}

/* Of co_flags: a coroutine. */
enum { IS_COROUTINE = 0x80 };

static __attribute__((noinline)) void enter(struct function *function, const struct frame *frame) {
  object *arguments[MOST_ARGUMENTS];
  struct capture capture;
  if (!functions_define(function, frame->code)) return;
  u32 count = read_arguments(frame, arguments), number = function->number;
  u64 activation = (u64)frame->own;
  struct moment moment = {frame, arguments, count, 0};
  enum choice choice = choose(function, &moment);
  if (choice == IGNORED && engine.ignores(activation)) return;
  if (choice == COUNTED && engine.counts(number, activation)) return;
  if (!engine.takes(EVENT_ENTER, number, activation)) return;
  tasks_tell(GET(frame->code, co_flags, int) & IS_COROUTINE);
  capture.used = 0;
  capture.levels = function->levels;
  capture_arguments(&capture, function, arguments, count);
  begin_nested(function, activation);
  /* A sample would have it written. */
  if (is_kept_back(function, activation, &capture)) return;
  engine.record(EVENT_ENTER, number, activation, capture.words, capture.used);
  watches_sample(function, WATCH_AT_ENTER, &moment);
}

void calls_enter(const struct code *code, const struct frame *frame) {
  if (!plain_enter(code, frame)) enter(code->function, frame);
}

static int is_end(u32 kind) { return kind == EVENT_RETURN || kind == EVENT_UNWOUND; }

/* Whether the end of a call is to be recorded, where that is decided late. */
static int is_kept(struct function *function, u32 kind, const struct moment *moment) {
  int meets = kind != EVENT_RETURN || !function->when_return.length ||
              is_met(function, &function->when_return, moment);
  if (function->first && !function->left) meets = 0;
  if (!engine.ends(function->number, (u64)moment->frame->own, (u32)meets, function->least_ns))
    return 0;
  if (function->first && function->left) function->left--;
  return 1;
}

/* Whether an event of a call is to be recorded: its enter was, or is by now. */
static int takes(struct function *function, u32 kind, const struct moment *moment) {
  u64 activation = (u64)moment->frame->own;
  if (!function->number || !engine.takes(kind, function->number, activation)) return 0;
  if (!is_end(kind)) return 1;
  end_nested(function, activation);
  return !is_decided_late(function) || is_kept(function, kind, moment);
}

/* What an expression at a return may name. */
static u32 arguments_at(const struct function *function, u32 kind, const struct frame *frame,
                        object **arguments) {
  int is_asked =
      kind == EVENT_RETURN && (function->when_return.length ||
                               function->watched_at & WATCH_AT_RETURN || function->sites.returns);
  return is_asked ? read_arguments(frame, arguments) : 0;
}

static __attribute__((noinline)) void event(struct function *function, u32 kind,
                                            const struct frame *frame, object *value) {
  object *arguments[MOST_ARGUMENTS];
  struct capture capture;
  struct moment moment = {frame, arguments, arguments_at(function, kind, frame, arguments), value};
  if (kind == EVENT_RETURN && function->sites.returns)
    sites_return(&function->sites, function->file, &moment);
  if (!takes(function, kind, &moment)) return;
  if (kind == EVENT_RESUME || kind == EVENT_THROW_IN) tasks_tell(0);
  if (kind == EVENT_RETURN) watches_sample(function, WATCH_AT_RETURN, &moment);
  capture.used = 0;
  capture.levels = function->levels;
  if (value) capture_value(&capture, value);
  engine.record(kind, function->number, (u64)frame->own, capture.words, capture.used);
}

void calls_event(struct function *function, u32 kind, const struct frame *frame, object *value) {
  if (kind != EVENT_RETURN || !plain_return(function, frame, value))
    event(function, kind, frame, value);
}

void calls_unwound(struct function *function, const struct frame *frame, object *type,
                   object *value) {
  struct capture capture;
  struct moment moment = {.frame = frame};
  if (!takes(function, EVENT_UNWOUND, &moment)) return;
  capture.used = 0;
  capture.levels = function->levels;
  int is_made = value && type_of(value) == type;
  if (is_made) capture_value(&capture, value);
  else capture_exception(&capture, type, value);
  engine.record(EVENT_UNWOUND, function->number, (u64)frame->own, capture.words, capture.used);
}

void calls_exception(struct function *function, u32 kind, const struct frame *frame,
                     object *exception, u32 line) {
  struct capture capture;
  u64 activation = (u64)frame->own;
  if (!function->number || !engine.takes(kind, function->number, activation)) return;
  capture.used = 0;
  capture.levels = function->levels;
  capture_value(&capture, exception);
  capture_word(&capture, line);
  engine.record(kind, function->number, activation, capture.words, capture.used);
}
