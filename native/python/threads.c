#include "threads.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void *threads_first(void) {
  return python.PyInterpreterState_ThreadHead(python.PyInterpreterState_Head());
}

void *threads_next(void *thread) { return GET(thread, thread_next, void *); }

int threads_is_there(const void *thread) {
  void *one = threads_first();
  while (one && one != thread) one = threads_next(one);
  return one != 0;
}

/* What the C library has of a thread begins there; where it keeps the number is seen at our own. */
static u32 in_library(const u8 *thread) {
  enum { MOST_BYTES = 1024 };
  static size_t at;
  u32 own = (u32)syscall(SYS_gettid), tid;
  const u8 *self = (const u8 *)pthread_self();
  for (; !at || memcmp(self + at, &own, sizeof own) != 0; at += sizeof own)
    if (at > MOST_BYTES) return 0;
  memcpy(&tid, thread + at, sizeof tid);
  return tid;
}

u32 threads_tid(void *thread) {
  if (offsets.thread_native_id != NO_MEMBER) return GET(thread, thread_native_id, u32);
  const u8 *library = GET(thread, thread_id, const u8 *);
  return library ? in_library(library) : 0;
}
