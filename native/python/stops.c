#include "stops.h"
#include "condition.h"
#include "frames.h"
#include "hold.h"
#include "notes.h"
#include "paths.h"
#include "results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_FRAMES = 48, MOST_PATH = 4096 };
/* Bytes of what is said up to which there are variables, and words of each: of the newest frame,
 * and of the others. */
enum { MOST_BYTES_WITH_VARIABLES = 40000, MOST_NEWEST = 96, MOST_OLDER = 24 };

/* A step that is under way. */
struct led {
  struct led *next;
  void *thread;
  u32 step;  /* a STEP of table.h */
  u32 depth; /* of the frame it began in */
  u32 line;  /* of STEP_UNTIL: where it ends at the latest */
  char path[MOST_PATH];
};

static struct led *all_led;
u32 stops_led, stops_led_anywhere;

static struct led *led_of(void *thread) {
  struct led *one = all_led;
  while (one && one->thread != thread) one = one->next;
  return one;
}

static int is_anywhere(const struct led *led) {
  return led->step == STEP_INTO || led->step == STEP_UNTIL;
}

static void lead_no_more(void *thread) {
  struct led **at = &all_led, *one;
  while ((one = *at) && one->thread != thread) at = &one->next;
  if (!one) return;
  *at = one->next;
  stops_led--;
  stops_led_anywhere -= (u32)is_anywhere(one);
  free(one);
}

static void lead(u32 step, u32 depth, u32 line, const u8 *path, u32 length) {
  struct led *one = length < MOST_PATH ? calloc(1, sizeof *one) : 0;
  if (!one) return;
  one->thread = python.PyThreadState_GetUnchecked();
  one->step = step;
  one->depth = depth;
  one->line = line;
  memcpy(one->path, path, length);
  one->next = all_led;
  all_led = one;
  stops_led++;
  stops_led_anywhere += (u32)is_anywhere(one);
}

int stops_is_led(void) { return stops_led && led_of(python.PyThreadState_GetUnchecked()) != 0; }

void stops_forget(void) {
  while (all_led) lead_no_more(all_led->thread);
}

/* ── what the daemon asks of a thread that stands ── */

/* Where it stands, as the daemon sees it. */
struct standing {
  const struct frame *frame; /* the newest that is shown */
  u32 line;
};

/* The frame of that number, counted from the newest that is shown. */
static object *numbered(const struct standing *at, u32 number) {
  object *own = at->frame->own;
  while (own && number--) own = frames_back(own);
  return own;
}

static void evaluate(const struct standing *at, struct reader *from, struct line *line) {
  object *own = numbered(at, reader_word(from));
  struct code_text code = {0};
  reader_code(from, &code);
  if (own && code.length) {
    struct frame frame = frames_at(own);
    struct moment moment = {.frame = &frame};
    struct capture capture = {0};
    struct operand value = condition_value(&code, &moment, 0);
    if (result_capture(&capture, &value, MOST_VALUE_WORDS))
      frames_say_bytes(line, capture.words, capture.used);
  }
  free(code.bytes);
}

static void step(const struct standing *at, struct reader *from) {
  u32 kind = reader_word(from), line = reader_word(from);
  char *path = reader_text(from);
  if (path && !from->is_damaged)
    lead(kind, frames_depth(at->frame->own), line, (const u8 *)path, (u32)strlen(path));
  free(path);
}

/* Returns whether it stands on; then `line` is the answer. */
static int answer(const struct standing *at, struct reader *from, struct line *line) {
  line->length = 0;
  switch (reader_word(from)) {
  case ASK_EVALUATE: evaluate(at, from, line); return 1;
  case ASK_STEP: step(at, from); return 0;
  default: return 0;
  }
}

/* ── standing ── */

static void say_frames(struct line *line, const struct standing *at) {
  u32 said = 0;
  for (object *own = at->frame->own; own && said < MOST_FRAMES; own = frames_back(own), said++) {
    struct frame frame = frames_at(own);
    int number = said == 0 && at->line ? (int)at->line : frames_line(own, frame.code);
    u32 words = said == 0 ? MOST_NEWEST : MOST_OLDER;
    frames_say(line, frame.code, number);
    frames_say_variables(line, &frame, words, MOST_BYTES_WITH_VARIABLES);
    frames_say_globals(line, &frame, words, MOST_BYTES_WITH_VARIABLES);
  }
}

/* Head of a stop: src/collector/python/pythonStop.ts. */
static void say_stop(struct line *line, const struct standing *at, const char *keys,
                     const char *result) {
  say(line, "%s" FIELD "%d" FIELD "%ld" FIELD "%s" FIELD "%u" FIELD "%lx" FIELD "%s" EXCEPTION,
      notes_path(), getpid(), syscall(SYS_gettid), keys, frames_depth(at->frame->own),
      (u64)at->frame->own, result);
  say_frames(line, at);
}

/* Until the daemon lets it go, or is gone. */
static void serve(int connection, const struct standing *at, struct line *line) {
  void *thread = python.PyEval_SaveThread();
  int is_there = hold_say(connection, line->text, line->length);
  while (is_there) {
    u32 length = 0;
    u8 *request = hold_next(connection, &length);
    python.PyEval_RestoreThread(thread);
    struct reader from = {request, request + length, 0};
    is_there = request && answer(at, &from, line);
    free(request);
    thread = python.PyEval_SaveThread();
    if (is_there) is_there = hold_say(connection, line->text, line->length);
  }
  close(connection);
  python.PyEval_RestoreThread(thread);
}

static void stand(const struct standing *at, const char *keys, const char *result) {
  int error = errno, connection = hold_open();
  struct line *line = connection < 0 ? 0 : malloc(sizeof *line);
  lead_no_more(python.PyThreadState_GetUnchecked());
  if (!line) {
    if (connection >= 0) close(connection);
    notes_write(NOTE_UNHELD, keys);
  } else {
    line->length = 0;
    say_stop(line, at, keys, result);
    serve(connection, at, line);
  }
  free(line);
  errno = error;
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

static int ends_at_line(const struct led *led, const struct frame *frame, u32 line) {
  switch (led->step) {
  case STEP_INTO: return is_shown(frame);
  case STEP_OVER: return frames_depth(frame->own) <= led->depth;
  case STEP_UNTIL:
    if (is_at(led, frame, line)) return 1;
    break;
  default: break;
  }
  return frames_depth(frame->own) < led->depth;
}

int stops_at_line(const struct frame *frame, u32 line, const char *keys) {
  struct led *led = stops_led ? led_of(python.PyThreadState_GetUnchecked()) : 0;
  if (!*keys && (!led || !ends_at_line(led, frame, line))) return 0;
  struct standing at = {frame, line};
  stand(&at, keys, "");
  return 1;
}

/* A step out ends in the caller, where it stands in its call. */
int stops_at_return(const struct frame *frame, object *value) {
  struct led *led = stops_led ? led_of(python.PyThreadState_GetUnchecked()) : 0;
  if (!led || led->step != STEP_OUT || frames_depth(frame->own) != led->depth) return 0;
  object *back = frames_back(frame->own);
  if (!back) return 0;
  struct line *said = calloc(1, sizeof *said);
  struct capture capture = {0};
  if (value && said) {
    capture_within(&capture, value, MOST_OLDER);
    frames_say_bytes(said, capture.words, capture.used);
  }
  struct frame caller = frames_at(back);
  struct standing at = {&caller, 0};
  stand(&at, "", said ? said->text : "");
  free(said);
  return 1;
}
