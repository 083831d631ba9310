/* Starting the target. */
#ifndef STROBE_LAUNCH_H
#define STROBE_LAUNCH_H

#include "spec.h"
#include "target.h"
#include <signal.h>

struct inherited_signals {
  struct sigaction actions[NSIG];
  sigset_t mask;
};
/* Ignores what must not end the supervisor; blocks SIGCHLD. */
void signals_shield(struct inherited_signals *saved);
/* Neither a terminal or a pipe of the caller's stays open, nor a mounted folder. */
void let_go_of_caller(void);
void launch(const struct spec *spec, const struct inherited_signals *saved, struct target *target);

#endif
