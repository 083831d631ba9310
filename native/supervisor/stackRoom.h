/* The room on its stack that tracing made for a process (src/protocol/supervisor.ts). */
#ifndef STROBE_SUPERVISOR_STACK_ROOM_H
#define STROBE_SUPERVISOR_STACK_ROOM_H

#include <sys/types.h>

/* Before the process executes another program, which gets the limit that it would have alone. */
void stack_room_take_back(pid_t pid);

#endif
