/* Fault signals.
 *
 * The instrumentation handles fault signals, and its handler is wrapped. A handler of the program's
 * is called here, as the kernel would: the instrumentation's keeps neither its mask nor
 * SA_RESETHAND (a crash reporter that returns would be called for ever), and is a frame that no
 * unwinder passes.
 *
 * For a signal that the program leaves to its default action the instrumentation puts the default
 * back and returns, so that the faulting instruction faults again and the program dies as it
 * should. Where the default is back afterwards, the program is about to die, and what it was doing
 * is written down. A signal that was sent (raise, kill, abort), a breakpoint and a forbidden system
 * call do not come again: the program would live on. They are sent once more, as they were, and
 * arrive when the handler returns. */
#include "sentSignals.h"
#include "context.h"
#include "cpu.h"
#include "crash.h"
#include "forked.h"
#include "ownThreads.h"
#include "process.h"
#include "raw.h"
#include "reads.h"
#include "signalStack.h"
#include "signals.h"
#include "sites.h"
#include "traps.h"

#define LARGEST_SIGNAL 32
#define SMALL_STACK 0x20000ul
/* A program's handler that sets an action goes through the instrumentation, which takes more than
 * 12 KB. */
#define ROOM_FOR_HANDLER 0x8000ul
#define SIGNAL_TRAP 5
#define SIGNAL_SYSTEM_CALL 31

struct fault_action {
  void (*handler)(int, void *, void *);
  u64 flags;
  void (*restorer)(void);
  u64 mask;
};

/* As the C library's sigaction has it. */
struct program_action {
  void (*handler)(int, void *, void *);
  u64 mask[16];
  u32 flags;
  void (*restorer)(void);
};
#define RESETS_HANDLER 0x80000000u /* SA_RESETHAND */
#define MAY_NEST 0x40000000u       /* SA_NODEFER */
#define BLOCK_SIGNALS 0

struct sent_information {
  int number, error, code;
};

static const u8 fault_signals[] = {
    4 /* ILL */, 5 /* TRAP */, 6 /* ABRT */, 7 /* BUS */, 8 /* FPE */, 11 /* SEGV */, 31 /* SYS */};
static void (*wrapped[LARGEST_SIGNAL])(int, void *, void *);
/* The C library's, in which the instrumentation keeps the program's own actions; null where it is
 * not known. */
static int (*program_sigaction)(int, const struct program_action *, struct program_action *);

/* What of ucontext_t is needed. */
struct interrupted {
  u64 flags, link;
  u64 stack_base;
  u64 stack_flags;
  u64 stack_bytes;
};

/* The kernel refuses it while the stack it would replace is in use. */
static void use_signal_stack(int number, void *wanted, void *unused) {
  (void)number;
  (void)unused;
  raw2(__NR_sigaltstack, wanted, 0);
}

static int is_default(int number) {
  struct fault_action now;
  if (raw4(__NR_rt_sigaction, number, 0, &now, sizeof now.mask) != 0) return 0;
  return now.handler == 0;
}

#define INFORMATION_ADDRESS 2 /* word of siginfo_t */

/* A program that looks a fault's place up must find its own code there, not where we moved it. It
 * goes on where it was, or, where the handler set another place, there. */
static void call_handler(void (*handler)(int, void *, void *), int number, void *information,
                         void *context) {
  u64 *pc = (u64 *)context + CONTEXT_PC, *address = (u64 *)information + INFORMATION_ADDRESS;
  u64 island = *pc, original = sites_original(island);
  if (original != island && *address == island) *address = original;
  *pc = original;
  handler(number, information, context);
  *pc = *pc == original ? island : sites_move(*pc);
}

#define DEFAULT 0
#define IGNORE 1

/* What the program wants done in this thread; by default where that is not known. */
static u64 wish_of_program(int number, struct program_action *action) {
  if (!program_sigaction || thread_is_ignored((u32)raw0(__NR_gettid))) return DEFAULT;
  return program_sigaction(number, 0, action) == 0 ? (u64)action->handler : DEFAULT;
}

static void put_default_back(int number) {
  static const struct fault_action unset;
  raw4(__NR_rt_sigaction, number, &unset, 0, sizeof unset.mask);
}

/* As the kernel does, which restores the mask when the handler has returned. */
static void call_program(const struct program_action *action, int number, void *information,
                         void *context) {
  static const struct program_action unset;
  u64 blocked = action->mask[0] | (action->flags & MAY_NEST ? 0 : 1ul << (number - 1));
  if (action->flags & RESETS_HANDLER) program_sigaction(number, &unset, 0);
  raw4(__NR_rt_sigprocmask, BLOCK_SIGNALS, &blocked, 0, sizeof blocked);
  call_handler(action->handler, number, information, context);
}

static void write_if_dying(int number, void *information, void *context) {
  const struct sent_information *info = information;
  /* Neither comes again by itself: what was sent, and a trap behind its instruction. */
  int is_once = info->code <= 0 || number == SIGNAL_TRAP || number == SIGNAL_SYSTEM_CALL;
  if (!is_default(number)) return;
  forked_open_crash();
  crash_write(number, information, context);
  if (is_once)
    raw4(__NR_rt_tgsigqueueinfo, raw0(__NR_getpid), raw0(__NR_gettid), number, information);
}

/* These on the stack that is to be used, see below. */
static void by_default(int number, void *information, void *context) {
  call_handler(wrapped[number], number, information, context);
  write_if_dying(number, information, context);
}

/* What was sent is ignored; a fault cannot be. */
static void ignored(int number, void *information, void *context) {
  const struct sent_information *info = information;
  if (info->code <= 0) return;
  put_default_back(number);
  write_if_dying(number, information, context);
}

static void by_program(int number, void *information, void *context) {
  struct program_action action;
  if (wish_of_program(number, &action) > IGNORE)
    call_program(&action, number, information, context);
}

struct asked {
  u64 wish;
  struct program_action action;
};

static void ask(int number, void *to, void *unused) {
  struct asked *asked = to;
  (void)unused;
  asked->wish = wish_of_program(number, &asked->action);
}

/* Returns the wish, asked for on a stack where there is room; signals that came meanwhile would
 * take the small one for unused. */
static u64 ask_with_room(int number, struct asked *asked, u64 stack) {
  u64 before;
  if (!stack) {
    ask(number, asked, 0);
    return asked->wish;
  }
  signals_block(&before);
  context_call_on(number, asked, 0, stack + HANDLER_STACK_BYTES, ask);
  signals_set(&before);
  return asked->wish;
}

/* A signal stack is often as small as it may be (Rust makes one for every thread), and the
 * instrumentation needs more: it would overflow there, and the program would die by another signal.
 * Then a stack of our own is used; until the handler returns, signals that nest use its other half,
 * because the kernel takes the small one for unused. Returning restores what was set. A handler of
 * the program's that has room runs where it would run without us: Go's looks whether it does. */
static void on_fault_signal(int number, void *information, void *context) {
  const struct sent_information *info = information;
  if (info->code > 0 && reads_recover((u64 *)context + CONTEXT_PC)) return;
  if (number == SIGNAL_TRAP && traps_take(information, context)) return;
  const struct interrupted *old = context;
  u64 here = (u64)__builtin_frame_address(0);
  int is_on_small = here - old->stack_base < old->stack_bytes && old->stack_bytes < SMALL_STACK;
  u64 stack = is_on_small ? signal_stack_own() : 0;
  struct asked asked;
  u64 wish = ask_with_room(number, &asked, stack);
  if (wish > IGNORE && (!stack || old->stack_bytes >= ROOM_FOR_HANDLER)) {
    call_program(&asked.action, number, information, context);
    return;
  }
  void (*work)(int, void *, void *) = wish > IGNORE    ? by_program
                                      : wish == IGNORE ? ignored
                                                       : by_default;
  if (!stack) {
    work(number, information, context);
    return;
  }
  struct {
    u64 base;
    int flags;
    u64 bytes;
  } half = {stack, 0, HANDLER_STACK_BYTES / 2};
  context_call_on(number, &half, 0, stack + HANDLER_STACK_BYTES, use_signal_stack);
  context_call_on(number, information, context, stack + HANDLER_STACK_BYTES, work);
}

/* What it answers is of no use. */
void signals_before_fork(void) {
  struct program_action action;
  if (program_sigaction) program_sigaction(fault_signals[0], 0, &action);
}

/* Our handler of SIGTRAP; none: there is none. */
static struct fault_action of_traps;

void signals_after_trap(void) {
  u64 blocked = 1ul << (SIGNAL_TRAP - 1);
  if (!of_traps.handler || engine_sandboxed || !is_default(SIGNAL_TRAP)) return;
  raw4(__NR_rt_sigaction, SIGNAL_TRAP, &of_traps, 0, sizeof of_traps.mask);
  raw4(__NR_rt_sigprocmask, BLOCK_SIGNALS, &blocked, 0, sizeof blocked);
}

/* To be called once the instrumentation's handlers are in place; with the C library's `sigaction`,
 * or null. */
EXPORT void engine_pass_sent_signals(void *sigaction) {
  program_sigaction =
      (int (*)(int, const struct program_action *, struct program_action *))sigaction;
  for (u32 i = 0; i < sizeof fault_signals; i++) {
    int number = fault_signals[i];
    struct fault_action action;
    if (raw4(__NR_rt_sigaction, number, 0, &action, sizeof action.mask) != 0) continue;
    if ((u64)action.handler <= 1 || action.handler == on_fault_signal) continue;
    wrapped[number] = action.handler;
    action.handler = on_fault_signal;
    if (number == SIGNAL_TRAP) of_traps = action;
    raw4(__NR_rt_sigaction, number, &action, 0, sizeof action.mask);
  }
  reads_set_handler((u64)on_fault_signal);
}
