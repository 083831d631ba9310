/* Fault signals that end the program.
 *
 * The instrumentation handles fault signals. For one that the program leaves to its default
 * action it puts the default back and returns, so that the faulting instruction faults again
 * and the program dies as it should. So its handler is wrapped: where the default is back
 * afterwards, the program is about to die, and what it was doing is written down. A signal that
 * was sent (raise, kill, abort), a breakpoint and a forbidden system call do not come again: the
 * program would live on. They are sent once more, as they were, and arrive when the handler returns. */
#include "crash.h"
#include "sites.h"

#define LARGEST_SIGNAL 32
#define SMALL_STACK 0x20000ul
#define SIGNAL_TRAP 5
#define SIGNAL_SYSTEM_CALL 31

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

#define CONTEXT_PC (5 + 16)  /* word of ucontext_t */
#define INFORMATION_ADDRESS 2 /* word of siginfo_t */

/* A program that looks a fault's place up must find its own code there, not where we moved it. It
 * goes on where it was, or, where the handler set another place, there. */
static void call_wrapped(int number, void *information, void *context) {
  u64 *pc = (u64 *)context + CONTEXT_PC, *address = (u64 *)information + INFORMATION_ADDRESS;
  u64 island = *pc, original = sites_original(island);
  if (original != island && *address == island) *address = original;
  *pc = original;
  wrapped[number](number, information, context);
  *pc = *pc == original ? island : sites_move(*pc);
}

/* On the stack that is to be used, see below. */
static void handle(int number, void *information, void *context) {
  const struct sent_information *info = information;
  /* Neither comes again by itself: what was sent, and a trap behind its instruction. */
  int is_once = info->code <= 0 || number == SIGNAL_TRAP || number == SIGNAL_SYSTEM_CALL;
  call_wrapped(number, information, context);
  if (!is_default(number)) return;
  crash_write(number, information, context);
  if (is_once) raw4(__NR_rt_tgsigqueueinfo, raw0(__NR_getpid), raw0(__NR_gettid), number, information);
}

/* Calls `handle` with the stack pointer at `top`; unwinders find their way through it. */
__asm__(
    ".text\n.type handle_on, @function\nhandle_on:\n"
    ".cfi_startproc\n"
    "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n"
    "mov %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"
    "mov %rcx, %rsp\n"
    "call *%r8\n"
    "mov %rbp, %rsp\npop %rbp\n.cfi_def_cfa %rsp, 8\n"
    "ret\n.cfi_endproc\n.size handle_on, . - handle_on\n");
extern void handle_on(int number, void *information, void *context, u64 top, void (*work)(int, void *, void *))
    __attribute__((visibility("hidden")));

/* A signal stack is often as small as it may be (Rust makes one for every thread), and the
 * instrumentation's handler needs more: it would overflow there, and the program would die by another
 * signal. Then a stack of our own is used; until the handler returns, signals that nest use its other
 * half, because the kernel takes the small one for unused. Returning restores what was set. */
static void on_fault_signal(int number, void *information, void *context) {
  const struct interrupted *old = context;
  u64 here = (u64)__builtin_frame_address(0);
  int is_on_small = here - old->stack_base < old->stack_bytes && old->stack_bytes < SMALL_STACK;
  u64 stack = is_on_small ? crash_handler_stack() : 0;
  if (!stack) {
    handle(number, information, context);
    return;
  }
  struct {
    u64 base;
    int flags;
    u64 bytes;
  } half = {stack, 0, HANDLER_STACK_BYTES / 2};
  handle_on(number, &half, 0, stack + HANDLER_STACK_BYTES, use_signal_stack);
  handle_on(number, information, context, stack + HANDLER_STACK_BYTES, handle);
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
