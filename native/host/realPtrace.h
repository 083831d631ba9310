#pragma once
#include <dlfcn.h>
#include <sys/ptrace.h>
#include <sys/types.h>

typedef long ptrace_call(enum __ptrace_request, pid_t, void *, void *);

/* That of libc. */
static inline ptrace_call *real_ptrace(void) {
  static ptrace_call *next;
  if (!next) next = (ptrace_call *)dlsym(RTLD_NEXT, "ptrace");
  return next;
}
