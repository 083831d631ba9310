/* See held.h. Every step has a limit; nothing here waits. */
#define _GNU_SOURCE
#include "held.h"
#include "clock.h"
#include "handover.h"
#include "park.h"
#include "program.h"
#include "wire.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
enum { LOOK_MS = 1, SETTLE_MS = 2000, AGAIN_MS = 20, RARELY_MS = 1000 };

static struct {
  struct held *all;
  struct held_listener to;
  int filters; /* of seccomp, that hold for all of the tree */
} own;

const size_t held_shared_bytes = HELD_PROCESSES * sizeof(struct held);

#define EACH(held)                                                           \
  for (struct held *held = own.all; held < own.all + HELD_PROCESSES; held++) \
    if (held->process)

void held_prepare(void *memory) { own.all = memory; }

void held_begin(const struct held_listener *listener) {
  own.to = *listener;
  own.filters = filters_of(getpid()) + 1;
}

static struct held *fresh(pid_t process, pid_t thread) {
  for (struct held *held = own.all; held < own.all + HELD_PROCESSES; held++) {
    if (held->process) continue;
    *held = (struct held){.thread = thread, .since_ns = monotonic_ns(), .until_ns = UINT64_MAX};
    held->process = process;
    return held;
  }
  errno = EAGAIN;
  return NULL;
}

void held_interrupt(const struct held *held) { ptrace(PTRACE_INTERRUPT, held->thread, NULL, NULL); }

struct held *held_find(pid_t pid) {
  struct held *found = NULL;
  EACH(held) {
    if (held->thread == pid) return held;
    if (held->process == pid) found = held;
  }
  return found;
}

unsigned held_index(const struct held *held) { return (unsigned)(held - own.all); }

bool held_is_held(const struct held *held) { return held->at == HELD; }

struct held *held_question(uint32_t number) {
  EACH(held) if (held->at == ASKED && held->number == number) return held;
  return NULL;
}

struct held *held_untold(void) {
  EACH(held) if (held->at == ASKED && !held->is_told) return held;
  return NULL;
}

struct held *held_overdue(uint64_t now_ns) {
  EACH(held) if (held->at == ASKED && now_ns >= held->until_ns) return held;
  return NULL;
}

static void await(struct held *held, bool is_awaited) {
  if (held->is_awaited == is_awaited) return;
  held->is_awaited = is_awaited;
  (is_awaited ? handover_await : handover_forget)(held->process);
}

void held_forget(struct held *held) {
  struct held was = *held;
  await(held, false);
  held->process = 0;
  own.to.freed(&was, monotonic_ns() - was.since_ns);
}

void held_executes(pid_t process) {
  /* It is let go, although who let it go has not said so yet. */
  EACH(held) if (held->process == process && !held->is_seized) held_forget(held);
}

/* Under a filter of the program's own a call of ours may end it. */
static bool is_filtered(const struct held *held) { return filters_of(held->process) > own.filters; }

static bool hand_over(struct held *held) {
  if (is_filtered(held) || !handover_is_stopper(tracer_of(held->thread))) return false;
  held->at = HANDED;
  held->until_ns = monotonic_ns() + SETTLE_MS * MS;
  await(held, true);
  return true;
}

struct held *held_seize(pid_t thread, pid_t process) {
  struct held *held = fresh(process, thread);
  if (!held) return NULL;
  held->at = EXECUTING;
  held->is_seized = ptrace(PTRACE_SEIZE, thread, NULL, (void *)(intptr_t)PTRACE_O_TRACEEXEC) == 0;
  int error = errno;
  if (held->is_seized || (error == EPERM && hand_over(held))) return held;
  held->process = 0;
  errno = error;
  return NULL;
}

static void detach(struct held *held) {
  ptrace(PTRACE_DETACH, held->thread, NULL, NULL);
  held->is_seized = false;
}

static void go_to(struct held *held, unsigned at, uint64_t limit_ms) {
  held->at = at;
  held->until_ns = monotonic_ns() + limit_ms * MS;
}

/* Not one that somebody has let go meanwhile: its calls would be cut short. False: it is held by
 * another, or not known to be parked, which may pass. */
static bool stop_parked(struct held *held) {
  enum parked_state state = park_look(held->process, &held->place);
  if (state == PARKED_AWAY) {
    held_forget(held);
    return true;
  }
  if (state == PARKED_UNKNOWN || (state == PARKED_BUSY && held->at != STOPPING)) return false;
  if (ptrace(PTRACE_SEIZE, held->process, NULL, NULL) < 0) return false;
  held->is_seized = true;
  held_interrupt(held);
  return true;
}

void held_let_go(struct held *held) {
  if (held->place.code == 0) {
    detach(held);
    held_forget(held);
    return;
  }
  if (held->at == STOPPING || held->at == GIVING) return;
  go_to(held, STOPPING, WIRE_HOLD_MS);
  if (held->is_seized) return; /* its stop is on the way */
  stop_parked(held);
}

void held_answer_all(void) { EACH(held) if (held->at == ASKED) held_let_go(held); }

/* The stop of those that are on their way finds that nobody is to be asked. */
void held_let_all_go(void) {
  EACH(held)
  if (!held->is_launched && held->at != EXECUTING && held->at != HANDED) held_let_go(held);
}

/* Their tracer is gone; those that are not parked run on. */
void held_inherit(void) {
  EACH(held) {
    held->is_seized = false;
    if (held->at == HANDED) continue;
    if (held->place.code == 0) held->process = 0;
    else if (held->at == GIVING || held->at == STOPPING) go_to(held, STOPPING, WIRE_HOLD_MS);
    else if (!held->is_launched) held_let_go(held);
  }
}

static bool is_own_stop(int status) { return status >> 16 == PTRACE_EVENT_STOP; }

bool held_has_executed(struct held *held, int status, bool *is_done) {
  *is_done = status >> 16 == PTRACE_EVENT_EXEC;
  if (*is_done) held->thread = held->process; /* whichever it was bears that number now */
  return held->at == EXECUTING && (*is_done || is_own_stop(status));
}

void held_ask(struct held *held, uint32_t number, uint64_t until_ns) {
  held->number = number;
  held->until_ns = until_ns;
  held->is_told = false;
  if (held->place.code == 0)
    held->refusal = is_filtered(held) ? EACCES : park_begin(held->process, &held->place);
  held->at = ASKED;
  if (held->place.code) detach(held);
}

void held_hold(struct held *held) {
  if (held->place.code == 0) {
    own.to.held(held, held->refusal);
    held_let_go(held);
    return;
  }
  go_to(held, TAKING, SETTLE_MS);
  stop_parked(held);
}

void held_target(pid_t target, const struct parking *place) {
  struct held *held = fresh(target, target);
  if (!held) return;
  held->place = *place;
  held->is_launched = true;
  held->at = HELD;
}

static void take(struct held *held) {
  held->refusal = park_take(held->process, &held->place);
  detach(held);
  go_to(held, SETTLING, SETTLE_MS);
}

static void give(struct held *held) {
  if (park_is_parked(held->process, &held->place)) {
    if (park_give_back(held->process, &held->place)) {
      go_to(held, GIVING, WIRE_HOLD_MS);
      ptrace(PTRACE_CONT, held->process, NULL, NULL);
      return;
    }
    park_end(held->process, &held->place);
  }
  detach(held);
  held_forget(held);
}

void held_stopped(struct held *held, int status) {
  int signal = WSTOPSIG(status);
  if (!is_own_stop(status)) {
    ptrace(PTRACE_CONT, held->thread, NULL, (void *)(intptr_t)signal);
    return;
  }
  switch (held->at) {
  case TAKING: take(held); return;
  case STOPPING: give(held); return;
  case GIVING:
    park_end(held->process, &held->place);
    detach(held);
    held_forget(held);
    return;
  default: detach(held);
  }
}

static void not_held(struct held *held, int error) {
  own.to.held(held, error);
  held_let_go(held);
}

static void settle(struct held *held, uint64_t now_ns) {
  enum parked_state state = park_look(held->process, &held->place);
  if (held->refusal || (state != PARKED_WAITS && now_ns >= held->until_ns))
    not_held(held, held->refusal ? held->refusal : ETIMEDOUT);
  else if (state == PARKED_WAITS) {
    go_to(held, HELD, WIRE_HOLD_MS);
    own.to.held(held, 0);
  }
}

/* Without a tracer it is parked, will be in a moment, or runs: but a stopper may have come just
 * now, and know that it is awaited. */
static void find_handed(struct held *held) {
  bool has_tracer = tracer_of(held->process) > 0;
  enum parked_state state = park_find(held->process, &held->place);
  if (state != PARKED_WAITS && (has_tracer || state == PARKED_UNKNOWN)) return;
  if (state == PARKED_AWAY && held->is_awaited) {
    await(held, false);
    return;
  }
  await(held, false);
  held->thread = held->process;
  own.to.executed(held, state == PARKED_WAITS);
}

/* When to look again. What is seized comes by itself. */
static uint64_t due(struct held *held, uint64_t now_ns) {
  switch (held->at) {
  case TAKING:
    if (held->is_seized) return UINT64_MAX;
    if (now_ns >= held->until_ns) not_held(held, ETIMEDOUT);
    else stop_parked(held);
    return now_ns + LOOK_MS * MS;
  case HANDED:
    find_handed(held);
    return now_ns + (now_ns >= held->until_ns ? RARELY_MS : LOOK_MS) * MS;
  case SETTLING: settle(held, now_ns); return now_ns + LOOK_MS * MS;
  case HELD:
    if (now_ns < held->until_ns) return held->until_ns;
    held_let_go(held);
    return now_ns + AGAIN_MS * MS;
  case STOPPING:
    if (held->is_seized) return UINT64_MAX;
    /* Its tracer leaves it parked when it goes; a debugger may keep it for long. */
    stop_parked(held);
    return now_ns + (now_ns >= held->until_ns ? RARELY_MS : AGAIN_MS) * MS;
  case GIVING:
    if (park_look(held->process, &held->place) == PARKED_WAITS || now_ns >= held->until_ns)
      held_interrupt(held);
    return now_ns + LOOK_MS * MS;
  case ASKED: return held->until_ns;
  default: return UINT64_MAX;
  }
}

uint64_t held_due(uint64_t now_ns) {
  uint64_t next = UINT64_MAX;
  EACH(held) {
    uint64_t at = due(held, now_ns);
    if (held->process && at < next) next = at;
  }
  return next;
}
