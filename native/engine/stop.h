/* Stopping the other threads of the process while code is written. */
#ifndef STROBE_STOP_H
#define STROBE_STOP_H

#include "raw.h"

#define STOP_WAIT_NS 2000000000ul
#define STOP_MAX_THREADS 1024

/* What is done while the threads are stopped. */
struct stop_work {
  void (*run)(void *argument); /* must use no libc and take no lock */
  void *argument;
  u64 (*move)(u64 pc); /* where a stopped thread goes on */
};

/* Runs the work with every other thread stopped that is running user code; a thread that waits in
 * a system call is left there. Returns how many were stopped; negative, with nothing done, when not
 * all of them could be within some seconds (they get no processor). One caller at a time. */
int stop_threads(const struct stop_work *work);

/* The two ways, with the same answers, two seconds a try. By ptrace: no system call is interrupted;
 * STOP_HELD where another traces the threads, or nobody can (an emulator). By signal, for those
 * alone: a thread that begins to wait just then may see EINTR. */
#define STOP_LATE (-1)
#define STOP_HELD (-2)
int stop_by_trace(const struct stop_work *work);
int stop_by_signal(const struct stop_work *work);

/* A thread may be in a handler of the program's own, and the signal may have come between
 * instructions that are replaced now: moves the place where the handler returns to. `sp`: of the
 * thread, which does not run. */
void stop_move_handlers(u64 sp, u64 (*move)(u64 pc));

/* Calls `visit` for each thread of the process. */
void stop_each_thread(void (*visit)(u32 tid, void *argument), void *argument);
/* Calls `visit` for each entry of an open folder that is called by a number. */
void stop_each_number(long directory, void (*visit)(u32 number, void *argument), void *argument);
/* Whether the thread runs user code, or stands, waiting for memory, where it is to be moved. */
int stop_is_needed(u32 tid, u64 (*move)(u64 pc));
/* The stack pointer of a thread that waits in a system call; 0 when it does not. */
u64 stop_waiting_at(u32 tid);
u64 stop_now(void);

#endif
