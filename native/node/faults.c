#include "faults.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stddef.h>

static const int fault_signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};

/* v8::TryHandleWebAssemblyTrapPosix() and node::ResetStdio(): what Node's own handler does. */
static _Bool (*take_trap)(int number, siginfo_t *information, void *context);
static void (*reset_stdio)(void);

static void put_default_back(int number) {
  struct sigaction unset = {.sa_handler = SIG_DFL};
  sigaction(number, &unset, NULL);
}

/* The engine calls it, and where the default is back afterwards, writes down what the program was
 * doing. Accesses beyond the memory of WebAssembly are ends of its checks. */
static void on_fault(int number, siginfo_t *information, void *context) {
  if (number == SIGSEGV && take_trap && take_trap(number, information, context)) return;
  if (reset_stdio) reset_stdio();
  put_default_back(number);
}

struct pair {
  ElfW(Addr) one, other;
  int are_together;
};

static int find_pair(struct dl_phdr_info *image, size_t size, void *data) {
  struct pair *pair = data;
  (void)size;
  for (int i = 0; i < image->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &image->dlpi_phdr[i];
    ElfW(Addr) start = image->dlpi_addr + part->p_vaddr;
    if (part->p_type != PT_LOAD || pair->one - start >= part->p_memsz) continue;
    pair->are_together = pair->other - start < part->p_memsz;
    return 1;
  }
  return 0;
}

/* Whether a handler is the one that Node has for its WebAssembly. dladdr(3) would go through all of
 * Node's symbols. */
static int is_of_node(const struct sigaction *now) {
  void *handler = now->sa_flags & SA_SIGINFO ? (void *)now->sa_sigaction : (void *)now->sa_handler;
  struct pair pair = {(ElfW(Addr))handler, (ElfW(Addr))take_trap, 0};
  if (take_trap) dl_iterate_phdr(find_pair, &pair);
  return pair.are_together;
}

void faults_begin(void (*pass_sent_signals)(void *sigaction)) {
  *(void **)&take_trap =
      dlsym(RTLD_DEFAULT, "_ZN2v829TryHandleWebAssemblyTrapPosixEiP9siginfo_tPv");
  *(void **)&reset_stdio = dlsym(RTLD_DEFAULT, "_ZN4node10ResetStdioEv");
  struct sigaction ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  for (size_t i = 0; i < sizeof fault_signals / sizeof fault_signals[0]; i++) {
    struct sigaction now;
    if (sigaction(fault_signals[i], NULL, &now) != 0) continue;
    int is_unset = !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL;
    if (is_unset || (fault_signals[i] == SIGSEGV && is_of_node(&now)))
      sigaction(fault_signals[i], &ours, NULL);
  }
  pass_sent_signals(NULL);
}
