/* A process whose tracer is a stopper of ours (../stopper) cannot be held at its exec by the
 * supervisor. So the stopper parks it there (parked.h) and lets it go, and the supervisor, which
 * waits for that, takes it over. Which ones it waits for both see in <session folder>/output.log: a
 * lock of the byte that has the number of the process. It is gone when no one is left who would let
 * the process go. */
#ifndef STROBE_HANDOVER_H
#define STROBE_HANDOVER_H

#include <stdbool.h>
#include <sys/types.h>

/* `path`: the log. For the others of these. */
void handover_open(const char *path);
void handover_await(pid_t pid);
void handover_forget(pid_t pid);
/* Whether a process is a stopper that belongs to this supervisor's build. */
bool handover_is_stopper(pid_t pid);
/* Of the other side. */
bool handover_is_awaited(pid_t pid);

#endif
