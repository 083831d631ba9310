/* How a thread goes on: freely, or towards a goal. */
#ifndef STROBE_STOPPER_STEPS_H
#define STROBE_STOPPER_STEPS_H

#include "threads.h"

/* What became of a thread that stopped: it runs on, or stands where its goal is. CALLED: a call led
 * out of the ranges of an INTO. */
enum step { STEP_GOES_ON, STEP_REACHED, STEP_CALLED, STEP_PLACE };

/* Lets a stopped thread run on, over what stands where it is; its registers are known. Returns what
 * is to be told instead. */
enum step thread_go(struct thread *thread);
/* A single step, or the int3 of its goal, has stopped it. */
enum step thread_stepped(struct thread *thread);
/* Whether an int3 where it is belongs to its goal. */
int is_goal(const struct thread *thread);
/* A signal comes while it steps: its handler runs first. */
void thread_signalled(struct thread *thread, int signal);
void goal_begin(struct thread *thread, enum goal goal);
int goal_until(struct thread *thread, u64 address);
void goal_end(struct thread *thread);

#endif
