/* Fault signals, see sentSignals.c. */
#ifndef STROBE_SENT_SIGNALS_H
#define STROBE_SENT_SIGNALS_H

/* Gives the thread that is about to fork what the instrumentation keeps of each
 * thread that calls the functions it replaced (signal, sigaction, _exit). A child could not have it
 * made: the lock of the instrumentation's memory may be held there for ever, by a thread that the
 * child does not have. */
void signals_before_fork(void);
/* The thread has met an int3 of the stopper. Where it blocks SIGTRAP, the kernel has unblocked that
 * and forgotten its handler: both are as before. */
void signals_after_trap(void);

#endif
