/* See stops.h. */
#define _GNU_SOURCE
#include "stops.h"
#include "../engine/thrown.h"
#include "../supervisor/handover.h"
#include "../supervisor/park.h"
#include "copies.h"
#include "data.h"
#include "memory.h"
#include "pass.h"
#include "places.h"
#include "plants.h"
#include "steps.h"
#include "table.h"
#include "waits.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_STRANGERS 64
#define LEAVE_TURNS 2000
/* What it costs to wake a processor that sleeps, of a virtual machine. */
#define SOON_NS 50000

static pid_t process;
static int has_executed, is_early;
/* Stopped before their parent's stop said what they are. */
static pid_t strangers[MOST_STRANGERS];
static u32 stranger_count;
static u64 diverted_ns; /* when a thread was last */

void stops_begin(pid_t pid, int early) {
  process = pid;
  is_early = early;
}

static u64 monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

int stops_come_soon(void) { return monotonic_ns() - diverted_ns < SOON_NS; }

int stops_seize(void) {
  is_early = 0;
  return threads_seize(process);
}

static void tell_registers(const struct thread *thread) {
  const struct user_regs_struct *r = &thread->registers;
  const u64 in_order[] = {r->rax, r->rdx, r->rcx, r->rbx,    r->rsi,    r->rdi, r->rbp,
                          r->rsp, r->r8,  r->r9,  r->r10,    r->r11,    r->r12, r->r13,
                          r->r14, r->r15, r->rip, r->eflags, r->fs_base};
  struct user_fpregs_struct vectors;
  for (u32 i = 0; i < sizeof in_order / 8; i++) printf(" %llx", (unsigned long long)in_order[i]);
  printf(" ");
  if (ptrace(PTRACE_GETFPREGS, thread->tid, 0, &vectors)) memset(&vectors, 0, sizeof vectors);
  for (u32 i = 0; i < sizeof vectors.xmm_space; i++)
    printf("%02x", ((const u8 *)vectors.xmm_space)[i]);
  printf("\n");
}

/* What is thrown where the thread stands: its type as the linker spells it, and its message. */
static void tell_thrown(const struct thread *thread) {
  u8 type[EXCEPTION_TYPE_BYTES], message[EXCEPTION_MESSAGE_BYTES];
  struct thrown thrown = {.pid = (u32)process, .type = type, .message = message};
  thrown_object(&thrown, thread->registers.rsi, thread->registers.rdi);
  printf("thrown %d ", thread->tid);
  for (u32 i = 0; i < thrown.type_bytes; i++) printf("%02x", type[i]);
  printf(" %u ", thrown.message_is);
  for (u32 i = 0; i < thrown.message_bytes; i++) printf("%02x", message[i]);
  printf("\n");
}

static void tell_touched(const struct thread *thread, u32 number) {
  struct place *place = place_numbered(number);
  if (!place || !place->touch) return;
  printf("touched %d %u %llx %llx\n", thread->tid, number, (unsigned long long)place->before,
         (unsigned long long)place->last);
}

/* `numbers` of the places that were met, when it is by them. */
static void hold(struct thread *thread, const char *why, const u32 *numbers, u32 count) {
  goal_end(thread);
  thread->state = THREAD_HELD;
  thread->is_wanted = 0;
  if (count && is_throw(numbers[0] & ~PLACE_UNDECIDED)) tell_thrown(thread);
  for (u32 i = 0; i < count; i++) tell_touched(thread, numbers[i] & ~PLACE_UNDECIDED);
  printf("stopped %d %s ", thread->tid, why);
  for (u32 i = 0; i < count; i++)
    printf("%s%u%s", i ? "," : "", numbers[i] & ~PLACE_UNDECIDED,
           numbers[i] & PLACE_UNDECIDED ? "?" : "");
  if (!count) printf("-");
  tell_registers(thread);
}

static void take_step(struct thread *thread, enum step step);

/* It stands at a planted address: of those who planted it some may want it. */
static void arrive(struct thread *thread, const char *why) {
  u32 numbers[MOST_MET];
  u32 met = places_met(thread->registers.rip, &thread->registers, thread->tid, numbers);
  if (met) hold(thread, "break", numbers, met);
  else if (why) hold(thread, why, 0, 0);
  else take_step(thread, thread_go(thread));
}

static void take_step(struct thread *thread, enum step step) {
  int is_at_place = is_planted(thread->registers.rip);
  if (step == STEP_PLACE) arrive(thread, 0);
  else if (step == STEP_REACHED && is_at_place) arrive(thread, "step");
  else if (step == STEP_REACHED) hold(thread, "step", 0, 0);
  else if (step == STEP_CALLED) hold(thread, "called", 0, 0);
}

void stops_resume(struct thread *thread) { take_step(thread, thread_go(thread)); }

void stops_interrupt(struct thread *thread) {
  if (thread->state == THREAD_HELD) return;
  thread->is_wanted = 1;
  ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
}

/* Were we killed now, the program would get this signal: then it goes on where the int3 is (see
 * ../engine/traps.c), unless the registers say already where. */
static void mark_signal(struct thread *thread, siginfo_t *why) {
  why->si_code = TRAP_TRACE;
  why->si_addr = (void *)(thread->registers.rip - 1);
  ptrace(PTRACE_SETSIGINFO, thread->tid, 0, why);
}

/* It stands at an int3. */
static void take_arrival(struct thread *thread) {
  u32 numbers[MOST_MET];
  const struct user_regs_struct *r = &thread->registers;
  int is_ours = is_goal(thread);
  u32 asked = places_ask(r->rip, r->rsi);
  if (asked) {
    thread->state = THREAD_ASKS;
    printf("asks %d %u %llx\n", thread->tid, asked, (unsigned long long)r->rsi);
    return;
  }
  u32 met = places_met(r->rip, r, thread->tid, numbers);
  if (met) hold(thread, "break", numbers, met);
  else if (is_ours) take_step(thread, thread_stepped(thread));
  else stops_resume(thread);
}

void stops_answer(u32 number, u64 type, int is_wanted) {
  place_answer(number, type, is_wanted);
  for (struct thread *thread = thread_next(0), *next; thread; thread = next) {
    next = thread_next(thread);
    if (thread->state == THREAD_ASKS && thread->registers.rsi == type) take_arrival(thread);
  }
}

static u64 island_for(const struct thread *thread, u64 address) {
  /* Where an int3 was copied its island was as well. */
  return places_island(address, thread->fork ? thread->copied : places_now());
}

/* What is recorded by a trap may come often: no more is asked and set of such a thread than it
 * needs. */
static int divert(struct thread *thread, siginfo_t *why) {
  if (thread->state != THREAD_RUNS || thread->goal != GOAL_NONE || !pc_read(thread)) return 0;
  u64 at = thread->registers.rip - 1, island = island_for(thread, at);
  if (!island || (!thread->is_child && places_stop(at))) return 0;
  mark_signal(thread, why);
  pc_write(thread, island);
  ptrace(PTRACE_CONT, thread->tid, 0, 0);
  diverted_ns = monotonic_ns();
  return 1;
}

static void take_breakpoint(struct thread *thread, siginfo_t *why) {
  mark_signal(thread, why);
  thread->registers.rip--;
  registers_write(thread);
  if (thread->fork) ptrace(PTRACE_CONT, thread->tid, 0, 0);
  else if (thread->is_child) stops_resume(thread);
  else take_arrival(thread);
}

/* An int3 that is ours, or was until a moment ago: the program's own stays where it is. */
static int is_our_breakpoint(const struct thread *thread) {
  u8 now = 0;
  u64 at = thread->registers.rip - 1;
  if (thread->fork)
    return island_for(thread, at) ||
           (memory_read_in(thread->fork, at, &now, 1) == 1 && now != BREAKPOINT_BYTE);
  return is_planted(at) || (memory_read(at, &now, 1) == 1 && now != BREAKPOINT_BYTE);
}

/* The second is what the kernel says behind a call of the system. */
static int is_step_code(int code) { return code == TRAP_TRACE || code == TRAP_BRKPT; }

/* A debug register says that the thread wrote or read a place, one instruction ago. */
static void take_touch(struct thread *thread, u32 number) {
  u32 numbers[MOST_MET];
  const struct place *place = place_numbered(number);
  u32 met = place && !thread->is_child
                ? places_met(place->address, &thread->registers, thread->tid, numbers)
                : 0;
  if (met) hold(thread, "break", numbers, met);
  else if (thread->state == THREAD_STEPS) take_step(thread, thread_stepped(thread));
  else ptrace(PTRACE_CONT, thread->tid, 0, 0);
}

static void take_signal(struct thread *thread, int signal) {
  siginfo_t why;
  memset(&why, 0, sizeof why);
  ptrace(PTRACE_GETSIGINFO, thread->tid, 0, &why);
  if (signal == SIGTRAP && why.si_code == SI_KERNEL && divert(thread, &why)) return;
  int is_trap = signal == SIGTRAP && registers_read(thread);
  if (is_trap && why.si_code == SI_KERNEL && is_our_breakpoint(thread))
    take_breakpoint(thread, &why);
  else if (is_trap && is_step_code(why.si_code) && thread->state == THREAD_STEPS)
    take_step(thread, thread_stepped(thread));
  else if (is_trap && data_told(&why)) take_touch(thread, data_told(&why));
  else {
    registers_read(thread);
    thread_signalled(thread, signal);
  }
}

static int is_job_stop(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/* Where the kernel does not say it, what CLONE_VFORK starts shares memory, as what clone starts
 * without SIGCHLD. */
static int is_copy(pid_t memory, pid_t child, int event) {
  int shares = shares_memory(memory, child);
  return shares < 0 ? event == PTRACE_EVENT_FORK : !shares;
}

/* A process that shares our memory keeps our int3s up to its exec. One that has a copy keeps those
 * that lead to islands, and we stay with it for as long as it has them. */
static void take_child(const struct thread *parent, pid_t child, int event) {
  pid_t memory = parent->fork ? parent->fork : process;
  u64 copied = parent->fork ? parent->copied : places_now();
  int copies = is_copy(memory, child, event), stays = !copies || places_begin_in(child);
  struct thread *thread = stays ? thread_add(child) : 0;
  if (thread) {
    thread->is_child = 1;
    thread->fork = copies ? child : parent->fork;
    thread->copied = copied;
  } else if (copies) places_leave_in(child, copied);
  ptrace(thread ? PTRACE_CONT : PTRACE_DETACH, child, 0, 0);
}

/* The first stop of what a thread of ours started. */
static void take_stranger(pid_t pid) {
  struct thread *thread = is_thread_of(process, pid) ? thread_add(pid) : 0;
  if (thread) {
    data_begin(pid);
    ptrace(PTRACE_CONT, pid, 0, 0);
    return;
  }
  if (stranger_count < MOST_STRANGERS) strangers[stranger_count++] = pid;
}

static void take_birth(struct thread *parent, int event) {
  unsigned long child = 0;
  int status;
  ptrace(PTRACE_GETEVENTMSG, parent->tid, 0, &child);
  ptrace(PTRACE_CONT, parent->tid, 0, 0);
  if (!child || is_thread_of(process, (pid_t)child)) return;
  u32 at = 0;
  while (at < stranger_count && strangers[at] != (pid_t)child) at++;
  if (at < stranger_count) strangers[at] = strangers[--stranger_count];
  else if (waitpid((pid_t)child, &status, __WALL) != (pid_t)child || !WIFSTOPPED(status)) return;
  take_child(parent, (pid_t)child, event);
}

/* The supervisor asks whether the new program is to be traced: it is parked there meanwhile. */
static void hand_over(pid_t pid) {
  struct parking place;
  if (handover_is_awaited(pid)) park_begin(pid, &place);
}

static void take_event(struct thread *thread, int event, int signal) {
  switch (event) {
  case PTRACE_EVENT_CLONE:
  case PTRACE_EVENT_FORK:
  case PTRACE_EVENT_VFORK: take_birth(thread, event); return;
  case PTRACE_EVENT_EXEC:
    hand_over(thread->tid);
    ptrace(PTRACE_DETACH, thread->tid, 0, 0);
    if (thread->is_child) thread_remove(thread);
    else has_executed = 1;
    return;
  default:
    if (is_job_stop(signal)) ptrace(PTRACE_LISTEN, thread->tid, 0, 0);
    else if (thread->is_wanted && registers_read(thread)) hold(thread, "paused", 0, 0);
    else ptrace(thread->state == THREAD_STEPS ? PTRACE_SINGLESTEP : PTRACE_CONT, thread->tid, 0, 0);
  }
}

static void take(pid_t pid, int status) {
  struct thread *thread = thread_find(pid);
  if (thread) pass_end(thread);
  if (!WIFSTOPPED(status)) {
    if (!thread) return;
    goal_end(thread);
    data_end(pid);
    printf("gone %d\n", pid);
    thread_remove(thread);
    return;
  }
  if (!thread) take_stranger(pid);
  else if (status >> 16) take_event(thread, status >> 16, WSTOPSIG(status));
  else take_signal(thread, WSTOPSIG(status));
}

/* Whether its stop is not over. */
static int stands(pid_t pid) {
  const struct thread *thread = thread_find(pid);
  return thread && (thread->state == THREAD_HELD || thread->state == THREAD_ASKS);
}

int stops_take(void) {
  int status;
  pid_t pid;
  while (!has_executed && (pid = wait_look(P_ALL, 0, &status)) > 0) {
    take(pid, status);
    if (stands(pid)) wait_end(pid);
  }
  if (!has_executed) return is_early || thread_next(0) != 0;
  printf("executed\n");
  return 0;
}

/* A running thread may have met an int3 that was taken out since. One that sleeps in a call of the
 * system has not, and is not woken: its call would end early. */
static int must_stop(const struct thread *thread) {
  char letter = thread_letter(thread->tid);
  return thread->state == THREAD_STEPS || letter == 'R' || letter == 't';
}

static void let_go(struct thread *thread, int signal) {
  ptrace(PTRACE_DETACH, thread->tid, 0, (void *)(long)signal);
}

/* Its stop is the last we see of it. */
static void leave_stopped(struct thread *thread, int status) {
  pass_end(thread);
  int signal = status >> 16 ? 0 : WSTOPSIG(status);
  siginfo_t why;
  memset(&why, 0, sizeof why);
  if (signal == SIGTRAP && registers_read(thread)) {
    ptrace(PTRACE_GETSIGINFO, thread->tid, 0, &why);
    int is_ours = why.si_code == SI_KERNEL && is_our_breakpoint(thread);
    if (is_ours) {
      mark_signal(thread, &why);
      thread->registers.rip--;
      registers_write(thread);
    }
    if (is_ours || is_step_code(why.si_code) || data_told(&why)) signal = 0;
  }
  let_go(thread, signal);
}

static int wait_for(struct thread *thread, int *status) {
  const struct timespec turn = {0, 100000};
  for (u32 i = 0; i < LEAVE_TURNS; i++) {
    pid_t came = wait_look(P_PID, thread->tid, status);
    if (came == thread->tid) return WIFSTOPPED(*status);
    if (came < 0) return 0;
    /* It has gone to sleep: the stop comes when it wakes, and finds nobody. */
    nanosleep(&turn, 0);
  }
  return 0;
}

void stops_leave(void) {
  int status;
  for (struct thread *thread = thread_next(0); thread; thread = thread_next(thread))
    if (thread->fork) places_leave_in(thread->fork, thread->copied);
  plants_lift_all();
  data_leave_all();
  for (struct thread *thread = thread_next(0); thread; thread = thread_next(thread)) {
    if (thread->state == THREAD_HELD || thread->state == THREAD_ASKS) {
      let_go(thread, thread->signal);
      continue;
    }
    if (!must_stop(thread)) continue;
    if (thread->state != THREAD_STEPS) ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
    if (wait_for(thread, &status)) leave_stopped(thread, status);
  }
  copies_clear();
}
