/* Fault signals that were sent (raise, kill, abort) and not caused by an instruction.
 *
 * The instrumentation handles fault signals. For one that the program leaves to its default
 * action it puts the default back and returns, so that the faulting instruction faults again
 * and the program dies as it should. A signal that was sent does not come again: the program
 * would live on. So its handler is wrapped: where the default is back afterwards and the signal
 * had been sent, it is sent once more, and arrives as soon as the handler returns. */
#include "raw.h"

#define LARGEST_SIGNAL 32

struct fault_action {
  void (*handler)(int, void *, void *);
  u64 flags;
  void (*restorer)(void);
  u64 mask;
};

struct sent_information {
  int number, error, code;
};

static const u8 fault_signals[] = {4 /* ILL */, 5 /* TRAP */, 6 /* ABRT */, 7 /* BUS */,
                                   8 /* FPE */, 11 /* SEGV */, 31 /* SYS */};
static void (*wrapped[LARGEST_SIGNAL])(int, void *, void *);

static int is_default(int number) {
  struct fault_action now;
  if (raw4(__NR_rt_sigaction, number, 0, &now, sizeof now.mask) != 0) return 0;
  return now.handler == 0;
}

static void on_fault_signal(int number, void *information, void *context) {
  const struct sent_information *info = information;
  int was_sent = info->code <= 0;
  wrapped[number](number, information, context);
  if (was_sent && is_default(number))
    raw3(__NR_tgkill, raw0(__NR_getpid), raw0(__NR_gettid), number);
}

/* To be called once the instrumentation's handlers are in place. */
EXPORT void engine_pass_sent_signals(void) {
  for (u32 i = 0; i < sizeof fault_signals; i++) {
    int number = fault_signals[i];
    struct fault_action action;
    if (raw4(__NR_rt_sigaction, number, 0, &action, sizeof action.mask) != 0) continue;
    if ((u64)action.handler <= 1 || action.handler == on_fault_signal) continue;
    wrapped[number] = action.handler;
    action.handler = on_fault_signal;
    raw4(__NR_rt_sigaction, number, &action, 0, sizeof action.mask);
  }
}
