/* What an exec is about. */
#ifndef STROBE_PROGRAM_H
#define STROBE_PROGRAM_H

#include "wire.h"
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct file {
  uint64_t device, number, changed_ns;
};
struct program {
  struct file file; /* as named: of a script, the script */
  uint32_t flags;
  uint32_t bytes; /* of text: path, then argv, each with a NUL */
  char text[WIRE_MAX_PROGRAM_BYTES];
};
struct kin {
  pid_t process, parent;
};
bool kin_of(pid_t thread, struct kin *kin);
bool is_stopped(pid_t pid);
int filters_of(pid_t thread);  /* of seccomp; 0 where the kernel does not say */
pid_t tracer_of(pid_t thread); /* 0: none; -1: it has ended */
/* False: the kernel would refuse it, so there is nothing to tell. */
bool program_asked_for(const struct seccomp_notif *notice, pid_t process, bool no_new_privs,
                       struct program *program);
/* What a process runs now, from /proc. */
void program_running(pid_t pid, struct program *program);

#endif
