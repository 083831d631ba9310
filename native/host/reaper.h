#pragma once
#include <sys/types.h>

/* A thread of another process that this one holds by ptrace, from PTRACE_SEIZE on. */
void reaper_watch(pid_t tid);

/* It was let go. */
void reaper_leave(pid_t tid);

/* The wait status of a thread that ended while it was held; 0 when there is none. Told once. */
int reaper_status(pid_t tid);
