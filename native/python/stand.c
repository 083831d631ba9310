#include "stand.h"
#include "../engine/unseenCalls.h"
#include "awaits.h"
#include "condition.h"
#include "frames.h"
#include "hold.h"
#include "notes.h"
#include "results.h"
#include "runs.h"
#include "uncaught.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_FRAMES = 48 };
/* Bytes of what is said up to which there are variables, and words of each: of the newest frame,
 * and of the others. */
enum { MOST_BYTES_WITH_VARIABLES = 40000, MOST_NEWEST = 96, MOST_OLDER = 24 };

static struct one {
  struct one *next;
  const void *thread;
} *all_standing;

int stand_is_standing(const void *thread) {
  const struct one *one = all_standing;
  while (one && one->thread != thread) one = one->next;
  return one != 0;
}

static void stands_no_more(struct one *one) {
  struct one **at = &all_standing;
  while (*at != one) at = &(*at)->next;
  *at = one->next;
}

/* ── its frames ── */

/* Whose frames are meant: the thread's, or those of a task that is suspended. */
struct meant {
  const struct standing *at;
  object *coroutine; /* null: the thread's */
};

static object *newest_of(const struct meant *whose) {
  if (whose->coroutine) return awaits_newest(whose->coroutine);
  return whose->at->from ? whose->at->from->own : frames_of_thread(whose->at->thread);
}

static object *back(const struct meant *whose, object *own) {
  return whose->coroutine ? awaits_back(whose->coroutine, own) : frames_back(own);
}

/* The frame of that number, counted from the newest that is shown. */
static object *numbered(const struct meant *whose, u32 number) {
  if (!whose->coroutine && whose->at->traceback)
    return uncaught_frame(whose->at->traceback, number);
  object *own = newest_of(whose);
  while (own && number--) own = back(whose, own);
  return own;
}

static void say_frames(struct line *line, const struct meant *whose) {
  u32 said = 0, first = whose->coroutine ? 0 : whose->at->line;
  for (object *own = newest_of(whose); own && said < MOST_FRAMES; own = back(whose, own), said++) {
    struct frame frame = frames_at(own);
    int number = said == 0 && first ? (int)first : frames_line(own, frame.code);
    u32 words = said == 0 ? MOST_NEWEST : MOST_OLDER;
    frames_say(line, frame.code, number);
    frames_say_variables(line, &frame, words, MOST_BYTES_WITH_VARIABLES);
    frames_say_globals(line, &frame, words, MOST_BYTES_WITH_VARIABLES);
  }
}

/* Head of a stop: src/collector/python/pythonStanding.ts. */
static void say_stop(struct line *line, const struct standing *at, const struct reason *why) {
  const struct meant thread = {at, 0};
  object *own = newest_of(&thread);
  long tid = at->tid ? (long)at->tid : syscall(SYS_gettid);
  u32 depth = at->traceback ? uncaught_depth(at->traceback) : frames_depth(own);
  say(line, "%s" FIELD "%d" FIELD "%ld" FIELD "%s" FIELD "%u" FIELD "%lx" FIELD "%s", notes_path(),
      getpid(), tid, why->keys, depth, (u64)own, why->returned);
  say(line, FIELD "%s", why->is_paused ? at->tid ? "waits" : "paused" : "");
  if (why->raised_type) uncaught_say_what(line, why->raised_type, why->value);
  say(line, EXCEPTION);
  if (at->traceback) uncaught_say_frames(line, at->traceback);
  else say_frames(line, &thread);
}

/* ── what the daemon asks ── */

/* Returns whether it is there. */
static int whose_is_read(const struct standing *at, struct reader *from, struct meant *whose) {
  u64 task = reader_long(from), coroutine = reader_long(from);
  *whose = (struct meant){at, task ? awaits_coroutine(task, coroutine) : 0};
  return !task || whose->coroutine;
}

static void evaluate(const struct standing *at, struct reader *from, struct line *line) {
  struct meant whose;
  int is_there = whose_is_read(at, from, &whose);
  u32 number = reader_word(from);
  object *own = is_there ? numbered(&whose, number) : 0;
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

static void look(const struct standing *at, struct reader *from, struct line *line) {
  struct meant whose;
  if (whose_is_read(at, from, &whose)) say_frames(line, &whose);
}

static void run(const struct standing *at, struct reader *from, struct line *line) {
  const struct meant thread = {at, 0};
  object *own = numbered(&thread, reader_word(from));
  char *text = reader_text(from);
  if (own && text && !from->is_damaged) {
    struct frame frame = frames_at(own);
    runs_text(text, &frame, line);
  }
  free(text);
}

static void step(struct reader *from, struct order *order) {
  order->step = reader_word(from);
  order->line = reader_word(from);
  char *path = reader_text(from);
  order->is_step = path && !from->is_damaged && strlen(path) < sizeof order->path;
  if (order->is_step) strcpy(order->path, path);
  free(path);
}

/* Returns whether it stands on; then `line` is the answer. */
static int answer(const struct standing *at, struct reader *from, struct line *line,
                  struct order *order) {
  line->length = 0;
  line->text[0] = 0;
  switch (reader_word(from)) {
  case ASK_EVALUATE: evaluate(at, from, line); return 1;
  case ASK_RUN: run(at, from, line); return 1;
  case ASK_LOOK: look(at, from, line); return 1;
  case ASK_STEP: step(from, order); return 0;
  default: return 0;
  }
}

/* Until the daemon lets it go, or is gone. */
static void serve(int connection, const struct standing *at, struct line *line,
                  struct order *order) {
  void *thread = python.PyEval_SaveThread();
  int is_there = hold_say(connection, line->text, line->length);
  while (is_there) {
    u32 length = 0;
    u8 *request = hold_next(connection, &length);
    python.PyEval_RestoreThread(thread);
    struct reader from = {request, request + length, 0};
    is_there = request && answer(at, &from, line, order);
    free(request);
    thread = python.PyEval_SaveThread();
    if (is_there) is_there = hold_say(connection, line->text, line->length);
  }
  unseen_close(connection);
  python.PyEval_RestoreThread(thread);
}

int stand(const struct standing *at, const struct reason *why, struct order *order) {
  int error = errno, connection = hold_open();
  struct line *line = connection < 0 ? 0 : malloc(sizeof *line);
  order->is_step = 0;
  if (!line) {
    if (connection >= 0) unseen_close(connection);
    notes_write(NOTE_UNHELD, why->keys);
    errno = error;
    return 0;
  }
  struct one one = {all_standing, at->thread};
  all_standing = &one;
  line->length = 0;
  say_stop(line, at, why);
  serve(connection, at, line, order);
  stands_no_more(&one);
  free(line);
  errno = error;
  return 1;
}
