#pragma once
#include <stdbool.h>
#include <sys/types.h>

#include "registers.h"

/*
 * A process that its supervisor has parked at its first instruction (native/supervisor/parked.h).
 * Frida holds what it enters until it is resumed if, and only if, it is stopped by a signal before.
 * Such a stop would notify the parent of the process; so Frida reads that it is stopped, and
 * that it stands at its first instruction. In truth it stays in its loop until it is resumed: a
 * host that is killed while the code or the registers are changed leaves it parked.
 */

/* Whether a thread is parked, and remembered as such until it is let go. */
bool parked_is(pid_t tid);

/* Whether it was when Frida asked last. */
bool parked_was(pid_t tid);

/* It was seized: it stops. False: its supervisor let it go before that; it runs on without us. */
bool parked_seized(pid_t tid);

/* Whether it is seized and has not begun. `begins`, if not NULL: the registers that it begins with.
 */
bool parked_waits(pid_t tid, registers *begins);

/* It is resumed: it begins. */
void parked_starts(pid_t tid);

/* It is about to be let go: what was taken at its start is given back. */
void parked_leaves(pid_t tid);

/* Whether a signal that would have it run on is none that it needs. */
bool parked_needs_no_signal(pid_t pid);
