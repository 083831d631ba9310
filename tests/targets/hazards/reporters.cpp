/* Fault handlers as crash reporters and others have them. By the argument: "reset" writes its report, is reset by the
 * kernel and returns into the fault; "raise" puts the default back and raises the signal again; "throw" throws the
 * fault as an exception; "ignore" ignores a signal that is sent, then faults with it. */
#include <csignal>
#include <cstdio>
#include <cstring>
#include <execinfo.h>
#include <stdexcept>

static void report(int number, siginfo_t *info, void *) {
  void *frames[32];
  sigset_t now;
  sigprocmask(SIG_BLOCK, nullptr, &now);
  // From the handler through the signal to main and what called it.
  bool isWhole = backtrace(frames, 32) >= 5;
  fprintf(stderr, "signal %d, code %d, at %p, itself %s, SIGUSR1 %s, stack %s\n", number, info->si_code, info->si_addr,
          sigismember(&now, number) ? "blocked" : "open", sigismember(&now, SIGUSR1) ? "blocked" : "open",
          isWhole ? "whole" : "cut");
}
static void report_and_raise(int number, siginfo_t *info, void *context) {
  report(number, info, context);
  signal(number, SIG_DFL);
  raise(number);
}
static void throw_it(int) { throw std::runtime_error("null"); }

static void handle(void (*handler)(int, siginfo_t *, void *), int flags) {
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | flags;
  sigaddset(&action.sa_mask, SIGUSR1);
  sigaction(SIGSEGV, &action, nullptr);
}
__attribute__((noinline)) long balance_of(long *account) {
  long balance = *account;
  return balance + 1;
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "reset";
  long *nobody = argc > 9 ? reinterpret_cast<long *>(argv) : nullptr;
  if (!strcmp(way, "reset")) handle(report, SA_RESETHAND);
  if (!strcmp(way, "raise")) handle(report_and_raise, 0);
  if (!strcmp(way, "ignore")) {
    signal(SIGSEGV, SIG_IGN);
    raise(SIGSEGV);
    puts("ignored");
    fflush(stdout);
  }
  if (!strcmp(way, "throw")) {
    struct sigaction action{};
    action.sa_handler = throw_it;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr);
  }
  for (int i = 0; i < 2; i++) {
    try {
      printf("%ld\n", balance_of(nobody));
    } catch (const std::exception &problem) {
      printf("caught %s\n", problem.what());
    }
  }
}
