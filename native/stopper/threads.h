/* The threads of the process that is debugged. */
#ifndef STROBE_STOPPER_THREADS_H
#define STROBE_STOPPER_THREADS_H

#include "../engine/types.h"
#include <sys/types.h>
#include <sys/user.h>

struct copy;

#define MOST_RANGES 32
#define MOST_UNTIL 16

/* STEP: while it is within ranges, over what is called. INTO: the same up to a call. ONE: one
 * instruction. RUN: to one of some addresses, no deeper than a stack pointer. */
enum goal { GOAL_NONE, GOAL_STEP, GOAL_INTO, GOAL_ONE, GOAL_RUN };
/* ASKS: it stands at a place that waits for an answer. */
enum state { THREAD_RUNS, THREAD_STEPS, THREAD_HELD, THREAD_ASKS };

struct range {
  u64 start, end;
};

struct thread {
  pid_t tid;
  u8 state, goal;
  u8 is_wanted;      /* it was asked to stop */
  u8 is_child;       /* of another process: never held. It shares our memory up to its exec, or */
  pid_t fork;        /* that of this process, which is a copy of ours; 0: no copy */
  u64 copied;        /* when it was copied, see places_now */
  int signal;        /* that it gets when it runs on */
  u64 lifted;        /* the int3 that is out while it steps */
  struct copy *copy; /* through which it was sent, and it has not stopped since */
  struct user_regs_struct registers;
  u64 from, from_sp; /* where the instruction is that it steps over */
  struct range ranges[MOST_RANGES];
  u32 range_count;
  u64 until[MOST_UNTIL]; /* planted */
  u64 until_sp;          /* the least stack pointer there */
  u32 until_count;
};

struct thread *thread_find(pid_t tid);
struct thread *thread_add(pid_t tid);
void thread_remove(struct thread *thread);
/* The next after one, the first after null. */
struct thread *thread_next(const struct thread *thread);
/* Seizes all threads of a process, of which none is stopped by that. Returns how many; with a
 * negative sign an error number. */
int threads_seize(pid_t pid);
/* Whether a thread belongs to the process. */
int is_thread_of(pid_t pid, pid_t tid);
/* Whether two processes have one memory; negative: not known. */
int shares_memory(pid_t pid, pid_t other);
/* The letter of proc(5). */
char thread_letter(pid_t tid);
int registers_read(struct thread *thread);
void registers_write(struct thread *thread);
/* The same of the program counter alone, which costs a fifth. */
int pc_read(struct thread *thread);
void pc_write(struct thread *thread, u64 pc);
/* `number`: by DWARF, of a thread that is held. Returns whether there is such a register. */
int register_set(struct thread *thread, u32 number, u64 value);

#endif
