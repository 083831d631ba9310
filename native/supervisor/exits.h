/* Exits of processes that are no children of the supervisor. */
#ifndef STROBE_EXITS_H
#define STROBE_EXITS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { WATCHED_PROCESSES = 16384, REMEMBERED_EXITS = 256 };
struct exits {
  int events; /* to poll, or -1 */
  uint32_t count, told_at;
  struct watched {
    pid_t pid;
    int fd;
  } watched[WATCHED_PROCESSES];
  pid_t told[REMEMBERED_EXITS];
};
int exits_open(struct exits *exits);
bool exits_known(const struct exits *exits, pid_t pid);
void exits_watch(struct exits *exits, pid_t pid);
/* The supervisor reaped it: true when its exit was told before. */
bool exits_reaped(struct exits *exits, pid_t pid);
/* Calls `told` for each process that has ended; status -1 when nobody saw it. */
void exits_read(struct exits *exits, void (*told)(void *, pid_t, int), void *context);
/* Goes on with what a supervisor watched that was killed. */
void exits_inherit(struct exits *exits, void (*told)(void *, pid_t, int), void *context);

#endif
