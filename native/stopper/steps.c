/* See steps.h. Single steps are taken inside the ranges alone; what is called from there runs
 * freely up to an int3 at its return address. */
#define _GNU_SOURCE
#include "steps.h"
#include "copies.h"
#include "memory.h"
#include "pass.h"
#include "plants.h"
#include <sys/ptrace.h>

void goal_end(struct thread *thread) {
  while (thread->until_count) unplant(thread->until[--thread->until_count]);
  if (thread->lifted) plant_return(thread->lifted);
  thread->lifted = 0;
  thread->goal = GOAL_NONE;
}

void goal_begin(struct thread *thread, enum goal goal) {
  goal_end(thread);
  thread->goal = (u8)goal;
  thread->range_count = 0;
  thread->from = 0;
}

int goal_until(struct thread *thread, u64 address) {
  if (thread->until_count == MOST_UNTIL || plant(address)) return 0;
  thread->until[thread->until_count++] = address;
  return 1;
}

int is_goal(const struct thread *thread) {
  if (thread->registers.rsp < thread->until_sp) return 0;
  for (u32 i = 0; i < thread->until_count; i++)
    if (thread->until[i] == thread->registers.rip) return 1;
  return 0;
}

static int is_inside(const struct thread *thread) {
  for (u32 i = 0; i < thread->range_count; i++)
    if (thread->registers.rip - thread->ranges[i].start <
        thread->ranges[i].end - thread->ranges[i].start)
      return 1;
  return 0;
}

static int is_stepping(const struct thread *thread) {
  return thread->goal != GOAL_NONE && thread->goal != GOAL_RUN && !thread->until_count;
}

static void resume(struct thread *thread, int request) {
  thread->state = is_stepping(thread) ? THREAD_STEPS : THREAD_RUNS;
  ptrace(request, thread->tid, 0, (void *)(long)thread->signal);
  thread->signal = 0;
}

/* An interrupted call of the system is begun again behind its instruction, as it was. */
static int is_in_call(const struct thread *thread) { return (long)thread->registers.orig_rax >= 0; }

enum step thread_go(struct thread *thread) {
  int is_step = is_stepping(thread);
  u64 pc = thread->registers.rip;
  if (is_step) {
    thread->from = pc;
    thread->from_sp = thread->registers.rsp;
  }
  if (is_planted(pc) && !thread->signal && !is_in_call(thread)) {
    switch (pass(thread)) {
    case PASS_PASSED:
      if (is_step) return thread_stepped(thread);
      break;
    case PASS_THROUGH: break;
    case PASS_IN_PLACE:
      plant_lift(pc);
      thread->lifted = pc;
      resume(thread, PTRACE_SINGLESTEP);
      thread->state = THREAD_STEPS;
      return STEP_GOES_ON;
    }
  }
  resume(thread, is_step ? PTRACE_SINGLESTEP : PTRACE_CONT);
  return STEP_GOES_ON;
}

/* Where the call that it stepped over goes on; 0: it stepped over none. */
static u64 called_from(const struct thread *thread) {
  const struct user_regs_struct *r = &thread->registers;
  u64 back = 0;
  if (!thread->from || r->rsp != thread->from_sp - 8) return 0;
  if (r->rip - thread->from <= LONGEST_INSTRUCTION) return 0;
  if (memory_read(r->rsp, &back, sizeof back) != sizeof back) return 0;
  return back - thread->from - 1 < LONGEST_INSTRUCTION ? back : 0;
}

enum step thread_stepped(struct thread *thread) {
  if (thread->lifted) {
    plant_return(thread->lifted);
    thread->lifted = 0;
    if (!is_stepping(thread)) return thread_go(thread);
  }
  while (thread->until_count) unplant(thread->until[--thread->until_count]);
  if (thread->goal == GOAL_RUN || thread->goal == GOAL_ONE) return STEP_REACHED;
  u64 back = called_from(thread);
  thread->from = 0;
  if (back) {
    if (thread->goal == GOAL_INTO) return STEP_CALLED;
    thread->until_sp = thread->registers.rsp + 8;
    if (!goal_until(thread, back)) return STEP_REACHED;
    return thread_go(thread);
  }
  if (!is_inside(thread)) return STEP_REACHED;
  return is_planted(thread->registers.rip) ? STEP_PLACE : thread_go(thread);
}

void thread_signalled(struct thread *thread, int signal) {
  thread->signal = signal;
  if (is_stepping(thread)) {
    thread->until_sp = thread->registers.rsp;
    goal_until(thread, thread->registers.rip);
    thread->from = 0;
  }
  if (thread->lifted) plant_return(thread->lifted);
  thread->lifted = 0;
  resume(thread, PTRACE_CONT);
}
