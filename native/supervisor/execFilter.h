/* The filter that makes the kernel ask before each exec of the tree. */
#ifndef STROBE_EXEC_FILTER_H
#define STROBE_EXEC_FILTER_H

#include "target.h"
#include <linux/seccomp.h>

/* In the target, just before its exec: says over `line` what became of it. */
void filter_enter(int line);
/* In the supervisor, until the target's own exec is let go, which `notice` is about meanwhile. */
void filter_begin(int line, struct target *target, struct seccomp_notif *notice);
/* The exec goes on. */
void filter_let_go(int listener, struct seccomp_notif *notice);

#endif
