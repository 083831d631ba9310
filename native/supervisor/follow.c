/*
 * Following the execs of the tree. A filter in the target makes the kernel ask before each execve
 * and execveat of it and all its descendants (seccomp user notification); the caller waits
 * meanwhile:
 *
 *   notice  →  no program             let go
 *              nobody wants to know   let go, written to the log
 *              the daemon is asked    go: let go
 *                                     hold: PTRACE_SEIZE, let go, at its exec event SIGSTOP,
 *                                     at the group stop DETACH, then told: it stands before
 *                                     its first instruction
 *
 * Every wait has a limit, after which the program goes on. Nothing here depends on an answer.
 */
#define _GNU_SOURCE
#include "follow.h"
#include "borrow.h"
#include "bytes.h"
#include "clock.h"
#include "execFilter.h"
#include "exits.h"
#include "program.h"
#include "stackRoom.h"
#include "standbyLine.h"
#include "target.h"
#include "tree.h"
#include "wire.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
/* An exec that was let go while seized and did not happen by then has failed. */
enum { EXEC_MS = 2000, SETTLE_MS = 1000, TELL_MS = 250 };
enum { PASSED_FILES = 256 };

enum { WAITING_EXECS = 64, HELD_PROCESSES = 256 };

struct held {
  pid_t thread, process; /* process 0 = free */
  uint32_t number;
  uint64_t until_ns, since_ns;
  enum { SEIZED, GIVEN_UP, STEPPING, BORROWED, STOPPING, SETTLING, HELD } at;
  struct borrowed borrowed;
};

/* What must be known when the supervisor is killed: who waits for an answer, who is stopped, who
 * lives. */
struct shared {
  uint32_t number;                             /* of the last exec that was asked about */
  struct seccomp_notif waiting[WAITING_EXECS]; /* id 0 = free */
  pid_t held[HELD_PROCESSES];                  /* 0 = free */
  struct exits exits;
  struct cost {
    uint32_t programs;
    uint64_t waited_ns;
  } cost; /* of following, to those who execute programs */
};

static struct {
  struct follower to;
  int listener;
  bool no_new_privs, ask,
      deaf; /* deaf: the daemon let a decision pass, and is not asked until it speaks */
  struct shared *shared;
  struct {
    uint32_t number;
    bool is_told;
    uint64_t until_ns;
    struct file file;
  } asked[WAITING_EXECS];
  uint64_t taken_ns[WAITING_EXECS];
  struct cost told;
  uint64_t tell_ns;                 /* 0: nothing new to tell */
  struct file passed[PASSED_FILES]; /* not asked about again until the daemon says `ask` anew */
  uint32_t passed_at;
  struct held held[HELD_PROCESSES];
  pid_t root;
} own = {.listener = -1};

const size_t follow_shared_bytes = sizeof(struct shared);

void follow_prepare(struct shared *shared) {
  own.shared = shared;
  shared->exits.events = -1;
}

void follow_begin(int line, struct target *target) {
  filter_begin(line, target, &own.shared->waiting[0]);
}

static void tell_begin(const struct target *target) {
  uint8_t payload[8];
  put32(payload, (uint32_t)target->unfollowed);
  put32(payload + 4, target->no_new_privs);
  own.to.log(own.to.supervisor, LOG_FOLLOW, payload, sizeof payload);
}

static void begin(const struct target *target, const struct follower *follower) {
  own.to = *follower;
  own.root = target->pid;
  own.listener = target->listener;
  own.no_new_privs = target->no_new_privs;
}

void follow_start(const struct target *target, const struct follower *follower) {
  begin(target, follower);
  tell_begin(target);
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
}

static void ask_daemon(uint32_t number, const struct kin *kin, const struct program *program) {
  uint8_t payload[12 + WIRE_MAX_PROGRAM_BYTES];
  put32(payload, number);
  put32(payload + 4, (uint32_t)kin->process);
  put32(payload + 8, (uint32_t)kin->parent);
  own.to.tell(own.to.supervisor, EVENT_EXEC, payload, put_program(payload, 12, program));
}

static int free_slot(void) {
  for (int i = 0; i < WAITING_EXECS; i++)
    if (own.shared->waiting[i].id == 0) return i;
  return -1;
}

static void count_wait(uint32_t programs, uint64_t since_ns) {
  uint64_t now = monotonic_ns();
  own.shared->cost.programs += programs;
  own.shared->cost.waited_ns += now - since_ns;
  if (own.tell_ns == 0) own.tell_ns = now + TELL_MS * MS;
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

/* The exec that waits here goes on. */
static void let_go(int slot) {
  filter_let_go(own.listener, &own.shared->waiting[slot]);
  own.asked[slot].number = 0;
  count_wait(1, own.taken_ns[slot]);
}

/* Not while no more can be taken. */
int follow_listener(void) { return own.listener >= 0 && free_slot() >= 0 ? own.listener : -1; }

static bool was_passed(const struct file *file) {
  for (int i = 0; i < PASSED_FILES; i++)
    if (memcmp(&own.passed[i], file, sizeof *file) == 0) return true;
  return false;
}

static void take_notice(int slot) {
  struct seccomp_notif *notice = &own.shared->waiting[slot];
  struct program program;
  struct kin kin;
  memset(notice, 0, sizeof *notice);
  if (ioctl(own.listener, SECCOMP_IOCTL_NOTIF_RECV, notice) < 0) {
    notice->id = 0;
    return;
  }
  own.taken_ns[slot] = monotonic_ns();
  bool told =
      kin_of((pid_t)notice->pid, &kin) && program_asked_for(notice, own.no_new_privs, &program);
  /* What was read is of this caller only if it still waits. */
  bool waits = ioctl(own.listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &notice->id) >= 0;
  if (waits) stack_room_take_back((pid_t)notice->pid);
  if (!told || !waits) {
    filter_let_go(own.listener, notice);
    return;
  }
  tell_ancestors(kin.parent, own.root);
  log_exec(kin.process, kin.parent, &program);
  if (kin.process != own.root) exits_watch(&own.shared->exits, kin.process);
  /* The main process is always asked about: what it becomes counts as the program itself. */
  bool passed = kin.process != own.root && was_passed(&program.file);
  if (!own.ask || passed || own.deaf || !own.to.connected(own.to.supervisor)) {
    let_go(slot);
    return;
  }
  own.asked[slot].number = ++own.shared->number;
  own.asked[slot].is_told = false;
  own.asked[slot].until_ns = monotonic_ns() + WIRE_DECIDE_MS * MS;
  own.asked[slot].file = program.file;
}

/* What it is about is read again here: it waits, and stays as it was. */
void follow_tell_asked(void) {
  for (int slot = 0; slot < WAITING_EXECS && own.listener >= 0; slot++) {
    struct seccomp_notif *notice = &own.shared->waiting[slot];
    struct program program;
    struct kin kin;
    if (!own.asked[slot].number || own.asked[slot].is_told) continue;
    if (!own.to.has_room(own.to.supervisor)) return;
    if (kin_of((pid_t)notice->pid, &kin) && program_asked_for(notice, own.no_new_privs, &program))
      ask_daemon(own.asked[slot].number, &kin, &program);
    own.asked[slot].is_told = true;
  }
}

void follow_listener_ready(short events) {
  int slot = free_slot();
  if (events & POLLIN && slot >= 0) take_notice(slot);
  if (events & POLLIN) return;
  /* No process of the tree is left that could ask. */
  close(own.listener);
  own.listener = -1;
  standby_drop(KEPT_LISTENER);
}

static void tell_held(const struct held *held, int error) {
  uint8_t payload[12 + 4 * TAKEN_NUMBERS];
  uint32_t taken = error ? 0 : held->borrowed.taken;
  put32(payload, held->number);
  put32(payload + 4, (uint32_t)held->process);
  put32(payload + 8, (uint32_t)error);
  for (uint32_t i = 0; i < taken; i++) put32(payload + 12 + 4 * i, held->borrowed.numbers[i]);
  own.to.tell(own.to.supervisor, EVENT_HELD, payload, 12 + 4 * taken);
}

static void hold(int slot) {
  pid_t thread = (pid_t)own.shared->waiting[slot].pid;
  struct held failed = {.number = own.asked[slot].number};
  struct kin kin = {thread, 0};
  int at = 0;
  while (at < HELD_PROCESSES && own.held[at].process) at++;
  int error = at == HELD_PROCESSES ? EAGAIN : kin_of(thread, &kin) ? 0 : ESRCH;
  failed.process = kin.process;
  if (!error && ptrace(PTRACE_SEIZE, thread, NULL, (void *)(intptr_t)PTRACE_O_TRACEEXEC) < 0)
    error = errno;
  if (!error)
    own.held[at] = (struct held){.thread = thread,
                                 .process = kin.process,
                                 .number = own.asked[slot].number,
                                 .until_ns = monotonic_ns() + EXEC_MS * MS,
                                 .since_ns = monotonic_ns(),
                                 .at = SEIZED};
  let_go(slot);
  if (error) tell_held(&failed, error);
}

int follow_decide(uint32_t number, uint32_t decision) {
  for (int slot = 0; slot < WAITING_EXECS; slot++) {
    if (own.asked[slot].number != number || number == 0) continue;
    if (decision == DECISION_PASS)
      own.passed[own.passed_at++ % PASSED_FILES] = own.asked[slot].file;
    if (decision == DECISION_HOLD) hold(slot);
    else let_go(slot);
    return 0;
  }
  return ENOENT;
}

static struct held *find_held(pid_t pid) {
  for (int i = 0; i < HELD_PROCESSES; i++)
    if (own.held[i].process && (own.held[i].process == pid || own.held[i].thread == pid))
      return &own.held[i];
  return NULL;
}

static void free_held(struct held *held) {
  own.shared->held[held - own.held] = 0;
  held->process = 0;
  count_wait(0, held->since_ns);
}

static void give_back(struct held *held, pid_t pid, int error) {
  ptrace(PTRACE_DETACH, pid, NULL, NULL);
  tell_held(held, error);
  free_held(held);
}

/* After the detach it runs for a moment, on its way from one kind of stop to the other; who
   attached then would take it for a running one. */
static bool settle(struct held *held) {
  if (!is_stopped(held->process) && monotonic_ns() < held->until_ns) return false;
  held->at = HELD;
  held->until_ns = monotonic_ns() + WIRE_HOLD_MS * MS;
  tell_held(held, 0);
  return true;
}

static void stop_before_start(struct held *held, pid_t pid) {
  held->at = STOPPING;
  own.shared->held[held - own.held] = held->process;
  kill(held->process, SIGSTOP);
  ptrace(PTRACE_CONT, pid, NULL, NULL);
}

bool follow_stopped(pid_t pid, int status) {
  struct held *held = find_held(pid);
  int signal = WSTOPSIG(status), event = status >> 16;
  if (!held) {
    ptrace(PTRACE_DETACH, pid, NULL, NULL);
    return false;
  }
  if (event == PTRACE_EVENT_EXEC && held->at == SEIZED) {
    /* Here the thread bears the number of its process, whichever it was. */
    /* The end of execve sets registers; the step leads behind it. */
    if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) == 0) held->at = STEPPING;
  } else if (held->at == STEPPING && event == 0 && signal == SIGTRAP) {
    if (begin_borrowing(pid, &held->borrowed)) held->at = BORROWED;
    else stop_before_start(held, pid);
  } else if (held->at == BORROWED && event == 0 && signal == SIGTRAP) {
    end_borrowing(pid, &held->borrowed);
    stop_before_start(held, pid);
  } else if (event == PTRACE_EVENT_EXEC) {
    give_back(held, pid, ETIMEDOUT);
  } else if (event == PTRACE_EVENT_STOP && held->at == STOPPING && signal == SIGSTOP) {
    held->at = SETTLING;
    held->until_ns = monotonic_ns() + SETTLE_MS * MS;
    ptrace(PTRACE_DETACH, pid, NULL, NULL);
    settle(held);
  } else if (event == PTRACE_EVENT_STOP && held->at == GIVEN_UP) {
    give_back(held, pid, ENOEXEC);
  } else if (event == PTRACE_EVENT_STOP &&
             (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU)) {
    ptrace(PTRACE_LISTEN, pid, NULL, NULL);
  } else {
    ptrace(held->at == STEPPING ? PTRACE_SINGLESTEP : PTRACE_CONT, pid, NULL,
           (void *)(intptr_t)(event == 0 ? signal : 0));
  }
  return true;
}

bool follow_reaped(pid_t pid) {
  struct held *held = find_held(pid);
  if (held) free_held(held);
  return exits_reaped(&own.shared->exits, pid);
}

int follow_resume(pid_t pid, bool runs) {
  struct held *held = find_held(pid);
  if (!held || held->at != HELD) return ESRCH;
  int error = !runs && kill(pid, SIGCONT) < 0 ? errno : 0;
  free_held(held);
  return error;
}

void follow_ask(bool ask) {
  own.ask = ask;
  memset(own.passed, 0, sizeof own.passed);
  for (int slot = 0; !ask && slot < WAITING_EXECS; slot++)
    if (own.asked[slot].number) let_go(slot);
}

void follow_heard(void) { own.deaf = false; }

/* Whoever comes next says anew whether it wants to be asked. */
void follow_left(void) {
  if (own.listener < 0) return;
  follow_ask(false);
  own.deaf = false;
  for (int i = 0; i < HELD_PROCESSES; i++)
    if (own.held[i].process && own.held[i].at == HELD) follow_resume(own.held[i].process, false);
}

static uint64_t due_asked(uint64_t now) {
  uint64_t next = UINT64_MAX;
  for (int slot = 0; slot < WAITING_EXECS; slot++) {
    if (!own.asked[slot].number) continue;
    if (now >= own.asked[slot].until_ns) {
      own.deaf = true;
      let_go(slot);
    } else if (own.asked[slot].until_ns < next) next = own.asked[slot].until_ns;
  }
  return next;
}

uint64_t follow_due(uint64_t now) {
  uint64_t next = due_asked(now);
  if (own.tell_ns != 0 && now >= own.tell_ns) follow_tell_cost();
  if (own.tell_ns != 0 && own.tell_ns < next) next = own.tell_ns;
  for (int i = 0; i < HELD_PROCESSES; i++) {
    struct held *held = &own.held[i];
    if (!held->process) continue;
    if (held->at == SETTLING && !settle(held)) {
      next = now + MS;
      continue;
    }
    if (now >= held->until_ns && held->at == HELD) {
      follow_resume(held->process, false);
      continue;
    }
    /* Somebody stopped it meanwhile; it must not go on with what is not its own. */
    if (held->at == BORROWED) continue;
    if (now >= held->until_ns) {
      /* Its exec failed. The stop that follows lets it go. */
      held->at = GIVEN_UP;
      held->until_ns = now + EXEC_MS * MS;
      if (ptrace(PTRACE_INTERRUPT, held->thread, NULL, NULL) < 0) {
        free_held(held);
        continue;
      }
    }
    if (held->until_ns < next) next = held->until_ns;
  }
  return next;
}

static void told_exit(void *context, pid_t pid, int status) {
  uint8_t payload[8];
  (void)context;
  struct held *held = find_held(pid);
  if (held) free_held(held);
  put32(payload, (uint32_t)pid);
  put32(payload + 4, (uint32_t)status);
  own.to.log(own.to.supervisor, status == -1 ? LOG_GONE : LOG_EXITED, payload,
             status == -1 ? 4 : 8);
}

/* What waits or is held goes on, as nobody is left who would decide. */
void follow_inherit(const struct target *target, const struct follower *follower) {
  begin(target, follower);
  for (int slot = 0; slot < WAITING_EXECS; slot++)
    if (own.shared->waiting[slot].id) filter_let_go(own.listener, &own.shared->waiting[slot]);
  for (int i = 0; i < HELD_PROCESSES; i++) {
    if (own.shared->held[i]) kill(own.shared->held[i], SIGCONT);
    own.shared->held[i] = 0;
  }
  if (own.shared->exits.events >= 0) exits_inherit(&own.shared->exits, told_exit, NULL);
}

void follow_exits_ready(void) { exits_read(&own.shared->exits, told_exit, NULL); }

static void tell_unknown(void *context, pid_t pid, pid_t parent) {
  (void)context;
  if (pid != own.root && !exits_known(&own.shared->exits, pid)) log_forked(pid, parent);
}

void follow_scan(void) {
  if (own.shared->exits.events >= 0) tree_each(tell_unknown, NULL);
}
