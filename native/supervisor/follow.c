/*
 * Following the execs of the tree. A filter in the target makes the kernel ask before each execve
 * and execveat of it and all its descendants (seccomp user notification); the caller waits
 * meanwhile:
 *
 *   notice  →  no program             let go
 *              nobody wants to know   written to the log, let go
 *              else                   seized, let go; its new program stands at its first
 *                                     instruction (held.h), is written to the log, and the daemon
 *                                     is asked
 *
 * So a caller waits for us alone, for some microseconds; what takes longer is after its exec, where
 * no signal can end a call that is not ended untraced. Every wait has a limit, after which the
 * program goes on. Nothing here depends on an answer.
 */
#define _GNU_SOURCE
#include "follow.h"
#include "bytes.h"
#include "clock.h"
#include "execFilter.h"
#include "exits.h"
#include "held.h"
#include "program.h"
#include "soon.h"
#include "stackRoom.h"
#include "standbyLine.h"
#include "target.h"
#include "tree.h"
#include "wire.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
enum { TELL_MS = 250, PASSED_FILES = 256 };

/* What must be known when the supervisor is killed: who waits for an answer, who lives. */
struct shared {
  uint32_t number;             /* of the last exec that was asked about */
  struct seccomp_notif notice; /* id 0: nobody waits */
  struct exits exits;
  struct cost {
    uint32_t programs;
    uint64_t waited_ns;
  } cost; /* of following, to those who execute programs */
};

static struct {
  struct follower to;
  int listener;
  bool no_new_privs, waits_killable, ask,
      deaf; /* deaf: the daemon let a decision pass, and is not asked until it speaks */
  struct shared *shared;
  struct cost told;
  uint64_t tell_ns;                 /* 0: nothing new to tell */
  struct file passed[PASSED_FILES]; /* not asked about again until the daemon says `ask` anew */
  uint32_t passed_at;
  struct program programs[HELD_PROCESSES]; /* which those that are held execute */
  pid_t root;
} own;

const size_t follow_shared_bytes = sizeof(struct shared);

void follow_prepare(struct shared *shared) {
  own.shared = shared;
  own.listener = -1;
  shared->exits.events = -1;
}

void follow_begin(int line, struct target *target) {
  filter_begin(line, target, &own.shared->notice);
}

static void tell_begin(const struct target *target) {
  uint8_t payload[8];
  put32(payload, (uint32_t)target->unfollowed);
  put32(payload + 4, target->no_new_privs);
  own.to.log(own.to.supervisor, LOG_FOLLOW, payload, sizeof payload);
}

static void count_wait(uint32_t programs, uint64_t waited_ns) {
  own.shared->cost.programs += programs;
  own.shared->cost.waited_ns += waited_ns;
  if (own.tell_ns == 0) own.tell_ns = monotonic_ns() + TELL_MS * MS;
}

void follow_tell_cost(void) {
  uint8_t payload[16] = {0};
  struct cost *cost = &own.shared->cost;
  own.tell_ns = 0;
  if (cost->programs == 0 || memcmp(cost, &own.told, sizeof *cost) == 0) return;
  own.told = *cost;
  put32(payload, cost->programs);
  put64(payload + 8, cost->waited_ns);
  own.to.log(own.to.supervisor, LOG_WAITED, payload, sizeof payload);
}

static void tell_held(const struct held *held, int error) {
  uint8_t payload[12];
  put32(payload, held->number);
  put32(payload + 4, (uint32_t)held->process);
  put32(payload + 8, (uint32_t)error);
  own.to.tell(own.to.supervisor, EVENT_HELD, payload, sizeof payload);
}

static void on_freed(const struct held *held, uint64_t waited_ns) {
  if (!held->is_launched) count_wait(1, waited_ns);
}

static const struct held_listener listener;

static void begin(const struct target *target, const struct follower *follower) {
  own.to = *follower;
  own.root = target->pid;
  own.listener = target->listener;
  own.no_new_privs = target->no_new_privs;
  own.waits_killable = target->waits_killable;
  /* Until we have seen an exec its caller's wait is ended by signals. */
  if (own.listener >= 0) come_soon();
  held_begin(&listener);
}

void follow_start(const struct target *target, const struct follower *follower) {
  begin(target, follower);
  tell_begin(target);
  if (target->place.code) held_target(target->pid, &target->place);
  if (own.listener < 0) return;
  if (exits_open(&own.shared->exits) != 0) own.shared->exits.events = -1;
}

int follow_exits(void) { return own.shared->exits.events; }

/* `room` bytes before the program are the caller's. */
static uint32_t put_program(uint8_t *payload, uint32_t room, const struct program *program) {
  memcpy(payload + room, program->text, program->bytes);
  return room + program->bytes;
}

static void log_forked(pid_t pid, pid_t parent) {
  struct program program;
  uint8_t payload[8 + WIRE_MAX_PROGRAM_BYTES];
  program_running(pid, &program);
  put32(payload, (uint32_t)pid);
  put32(payload + 4, (uint32_t)parent);
  own.to.log(own.to.supervisor, LOG_FORKED, payload, put_program(payload, 8, &program));
  exits_watch(&own.shared->exits, pid);
}

/* Processes between this one and those that are known: they forked and have not called exec. */
static void tell_ancestors(pid_t parent, pid_t target) {
  pid_t line[16];
  pid_t above[16];
  int count = 0;
  struct kin kin;
  while (count < 16 && parent > 1 && parent != getpid() && parent != target &&
         !exits_known(&own.shared->exits, parent)) {
    if (!kin_of(parent, &kin)) break;
    line[count] = parent;
    above[count++] = kin.parent;
    parent = kin.parent;
  }
  while (count-- > 0) log_forked(line[count], above[count]);
}

static void log_exec(pid_t pid, pid_t parent, const struct program *program) {
  uint8_t payload[12 + WIRE_MAX_PROGRAM_BYTES];
  put32(payload, (uint32_t)pid);
  put32(payload + 4, (uint32_t)parent);
  put32(payload + 8, program->flags);
  own.to.log(own.to.supervisor, LOG_EXEC, payload, put_program(payload, 12, program));
  if (pid != own.root) exits_watch(&own.shared->exits, pid);
}

/* Why the daemon was not asked about a program that it may have wanted to trace. */
static void log_unasked(pid_t pid, int error) {
  uint8_t payload[8];
  put32(payload, (uint32_t)pid);
  put32(payload + 4, (uint32_t)error);
  own.to.log(own.to.supervisor, LOG_UNASKED, payload, sizeof payload);
}

static void ask_daemon(const struct held *held) {
  uint8_t payload[12 + WIRE_MAX_PROGRAM_BYTES];
  put32(payload, held->number);
  put32(payload + 4, (uint32_t)held->process);
  put32(payload + 8, (uint32_t)held->parent);
  own.to.tell(own.to.supervisor, EVENT_EXEC, payload,
              put_program(payload, 12, &own.programs[held_index(held)]));
}

int follow_listener(void) { return own.listener; }

static bool was_passed(const struct file *file) {
  for (int i = 0; i < PASSED_FILES; i++)
    if (memcmp(&own.passed[i], file, sizeof *file) == 0) return true;
  return false;
}

static bool is_heard(void) { return own.ask && own.to.connected(own.to.supervisor); }

/* The main process is always asked about: what it becomes counts as the program itself. */
static bool is_to_ask(const struct kin *kin, const struct program *program) {
  return is_heard() && (kin->process == own.root || !was_passed(&program->file));
}

static void let_go(uint64_t since_ns) {
  filter_let_go(own.listener, &own.shared->notice);
  if (since_ns) count_wait(1, monotonic_ns() - since_ns);
}

/* Stops it behind its exec. Where a signal ends its wait, so would this: then it comes afterwards.
 */
static bool seize(const struct kin *kin, const struct program *program) {
  struct seccomp_notif *notice = &own.shared->notice;
  struct held *held = held_seize((pid_t)notice->pid, kin->process);
  if (!held) return false;
  held->parent = kin->parent;
  own.programs[held_index(held)] = *program;
  if (own.waits_killable && held->is_seized) held_interrupt(held);
  let_go(0);
  if (!own.waits_killable && held->is_seized) held_interrupt(held);
  return true;
}

static void take_notice(void) {
  struct seccomp_notif *notice = &own.shared->notice;
  struct program program;
  struct kin kin;
  memset(notice, 0, sizeof *notice);
  if (ioctl(own.listener, SECCOMP_IOCTL_NOTIF_RECV, notice) < 0) {
    notice->id = 0;
    return;
  }
  uint64_t since = monotonic_ns();
  bool told = kin_of((pid_t)notice->pid, &kin) &&
              program_asked_for(notice, kin.process, own.no_new_privs, &program);
  /* What was read is of this caller only if it still waits. */
  bool waits = ioctl(own.listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &notice->id) >= 0;
  if (waits) stack_room_take_back((pid_t)notice->pid);
  if (waits) held_executes(kin.process);
  if (!told || !waits) {
    let_go(0);
    return;
  }
  tell_ancestors(kin.parent, own.root);
  bool asks = is_to_ask(&kin, &program);
  if (asks && !own.deaf && seize(&kin, &program)) return;
  int error = own.deaf ? ETIMEDOUT : errno;
  log_exec(kin.process, kin.parent, &program);
  if (asks) log_unasked(kin.process, error);
  let_go(since);
}

void follow_listener_ready(short events) {
  if (events & POLLIN) {
    take_notice();
    return;
  }
  /* No process of the tree is left that could ask. */
  close(own.listener);
  own.listener = -1;
  standby_drop(KEPT_LISTENER);
}

void follow_tell_asked(void) {
  for (;;) {
    struct held *held = held_untold();
    if (!held || !own.to.has_room(own.to.supervisor)) return;
    ask_daemon(held);
    held->is_told = true;
  }
}

static void on_executed(struct held *held, bool is_done) {
  if (is_done) log_exec(held->process, held->parent, &own.programs[held_index(held)]);
  if (is_done && is_heard())
    held_ask(held, ++own.shared->number, monotonic_ns() + WIRE_DECIDE_MS * MS);
  else held_let_go(held);
}

static void on_handed(struct held *held, bool is_parked) {
  if (is_parked) {
    on_executed(held, true);
    return;
  }
  log_exec(held->process, held->parent, &own.programs[held_index(held)]);
  log_unasked(held->process, EPERM);
  held_forget(held);
}

static const struct held_listener listener = {on_handed, tell_held, on_freed};

bool follow_stopped(pid_t pid, int status) {
  struct held *held = held_find(pid);
  if (!held || held->at == HANDED) {
    ptrace(PTRACE_DETACH, pid, NULL, NULL);
    return false;
  }
  bool is_done;
  if (held_has_executed(held, status, &is_done)) on_executed(held, is_done);
  else held_stopped(held, status);
  return true;
}

int follow_decide(uint32_t number, uint32_t decision) {
  struct held *held = held_question(number);
  if (!held) return ENOENT;
  if (decision == DECISION_PASS)
    own.passed[own.passed_at++ % PASSED_FILES] = own.programs[held_index(held)].file;
  if (decision == DECISION_HOLD) held_hold(held);
  else held_let_go(held);
  return 0;
}

bool follow_reaped(pid_t pid) {
  struct held *held = held_find(pid);
  if (held) held_forget(held);
  return exits_reaped(&own.shared->exits, pid);
}

int follow_resume(pid_t pid, bool runs) {
  struct held *held = held_find(pid);
  if (!held || !held_is_held(held)) return ESRCH;
  if (runs) held_forget(held);
  else held_let_go(held);
  return 0;
}

int follow_environ(pid_t pid, const uint8_t *words, uint32_t bytes) {
  struct held *held = held_find(pid);
  if (!held || !held_is_held(held)) return ESRCH;
  return park_environ(pid, &held->place, words, bytes);
}

void follow_ask(bool ask) {
  own.ask = ask;
  memset(own.passed, 0, sizeof own.passed);
  if (!ask) held_answer_all();
}

void follow_heard(void) { own.deaf = false; }

/* Whoever comes next says anew whether it wants to be asked. */
void follow_left(void) {
  own.ask = own.deaf = false;
  held_let_all_go();
}

uint64_t follow_due(uint64_t now) {
  for (struct held *held = held_overdue(now); held; held = held_overdue(now)) {
    own.deaf = true;
    log_unasked(held->process, ETIMEDOUT);
    held_let_go(held);
  }
  uint64_t next = held_due(now);
  if (own.tell_ns != 0 && now >= own.tell_ns) follow_tell_cost();
  return own.tell_ns != 0 && own.tell_ns < next ? own.tell_ns : next;
}

static void told_exit(void *context, pid_t pid, int status) {
  uint8_t payload[8];
  (void)context;
  struct held *held = held_find(pid);
  if (held) held_forget(held);
  put32(payload, (uint32_t)pid);
  put32(payload + 4, (uint32_t)status);
  own.to.log(own.to.supervisor, status == -1 ? LOG_GONE : LOG_EXITED, payload,
             status == -1 ? 4 : 8);
}

/* What waits or is held goes on, as nobody is left who would decide. */
void follow_inherit(const struct target *target, const struct follower *follower) {
  begin(target, follower);
  if (own.shared->notice.id) filter_let_go(own.listener, &own.shared->notice);
  held_inherit();
  if (own.shared->exits.events >= 0) exits_inherit(&own.shared->exits, told_exit, NULL);
}

void follow_exits_ready(void) {
  if (own.shared->exits.events >= 0) exits_read(&own.shared->exits, told_exit, NULL);
}

static void tell_unknown(void *context, pid_t pid, pid_t parent) {
  (void)context;
  if (pid != own.root && !exits_known(&own.shared->exits, pid)) log_forked(pid, parent);
}

void follow_scan(void) {
  if (own.shared->exits.events >= 0) tree_each(tell_unknown, NULL);
}
