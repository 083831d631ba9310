/* Following the execs of the tree. */
#ifndef STROBE_FOLLOW_H
#define STROBE_FOLLOW_H

#include "target.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* In the supervisor, until the target's own exec is let go. */
void follow_begin(int line, struct target *target);
struct follower {
  void *supervisor;
  void (*log)(void *supervisor, uint8_t type, const uint8_t *payload, uint32_t count);
  void (*tell)(void *supervisor, uint8_t type, const uint8_t *payload, uint32_t count);
  bool (*connected)(void *supervisor);
  bool (*has_room)(void *supervisor); /* for an exec to be told */
};
struct shared;
extern const size_t follow_shared_bytes;
void follow_prepare(struct shared *shared); /* memory that the standby sees */
void follow_start(const struct target *target, const struct follower *follower);
void follow_inherit(const struct target *target, const struct follower *follower);
int follow_listener(void); /* to poll, or -1 */
int follow_exits(void);    /* to poll, or -1 */
void follow_listener_ready(short events);
void follow_exits_ready(void);
bool follow_stopped(pid_t pid, int status); /* a stop of a process that is being held */
bool follow_reaped(pid_t pid);              /* true: its exit was told before */
uint64_t follow_due(uint64_t now);          /* does what is due; when to come again */
int follow_decide(uint32_t number, uint32_t decision);
void follow_tell_asked(void); /* as many as there is room for */
void follow_ask(bool ask);
void follow_heard(void);                 /* the daemon spoke */
void follow_left(void);                  /* who was connected is not any more */
int follow_resume(pid_t pid, bool runs); /* runs: whoever attached let it go already */
int follow_environ(pid_t pid, const uint8_t *words, uint32_t bytes); /* see park_environ */
void follow_scan(void);
void follow_tell_cost(void); /* to the log, if there is news */

#endif
