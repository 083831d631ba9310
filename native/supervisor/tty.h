/* The target's pseudo-terminal. */
#ifndef STROBE_TTY_H
#define STROBE_TTY_H

#include "spec.h"
#include "target.h"

int tty_open(const struct spec *spec, struct target *target); /* 0 or errno */
int tty_take(int terminal); /* in the child, a session's leader: 0 or -1 with errno */
void tty_close(struct target *target);

#endif
