/* Linked beside the engine: says at the end how often it stopped threads by ptrace, and how often by signal. */
#include <stdio.h>

struct stop_work;
int __real_stop_by_trace(const struct stop_work *work);
int __real_stop_by_signal(const struct stop_work *work);
static int traced, signalled;

int __wrap_stop_by_trace(const struct stop_work *work) {
  int stopped = __real_stop_by_trace(work);
  traced += stopped >= 0;
  return stopped;
}

int __wrap_stop_by_signal(const struct stop_work *work) {
  signalled++;
  return __real_stop_by_signal(work);
}

__attribute__((destructor)) static void tell(void) { printf("stops %d %d\n", traced, signalled); }
