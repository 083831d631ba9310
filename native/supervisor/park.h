/* Parking a process, see parked.h. But for park_look it must be stopped by its tracer. */
#ifndef STROBE_PARK_H
#define STROBE_PARK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct parking {
  uint64_t block, code; /* code 0: it is not parked */
};
/* Before its first instruction. Its timer stands still from then on. 0 or errno. */
int park_begin(pid_t pid, struct parking *place);
/* Takes the descriptors that its own files would get next, and lets everybody attach. */
int park_take(pid_t pid, const struct parking *place);
/* False for one that was let go already, by who entered it. */
bool park_is_parked(pid_t pid, const struct parking *place);
/* Gives back what was taken. False: nothing was, and it has not to run for it. */
bool park_give_back(pid_t pid, const struct parking *place);
/* It will begin with these words, each with a NUL, in its environment, in place of those that have
 * their names. /proc/<pid>/environ stays as it is. 0 or errno. */
int park_environ(pid_t pid, const struct parking *place, const uint8_t *words, uint32_t bytes);
/* It stands at its first instruction again. */
void park_end(pid_t pid, const struct parking *place);
/* AWAY: it was let go, or is gone. BUSY: it has not run yet what it was to run. */
enum parked_state { PARKED_WAITS, PARKED_BUSY, PARKED_AWAY, PARKED_UNKNOWN };
/* Also of one that runs. */
enum parked_state park_look(pid_t pid, const struct parking *place);
/* Where another has parked it, if it WAITS; UNKNOWN: that may be seen later. */
enum parked_state park_find(pid_t pid, struct parking *place);

#endif
