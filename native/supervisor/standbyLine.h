/* What the supervisor tells its standby. */
#ifndef STROBE_STANDBY_LINE_H
#define STROBE_STANDBY_LINE_H

#include <stdint.h>

/* What the standby holds open, so that it does not end with a supervisor that is killed. */
enum kept {
  KEPT_IN,
  KEPT_OUT,
  KEPT_ERR,
  KEPT_TERMINAL,
  KEPT_LISTENER,
  KEPT,
  KEPT_CALLER /* the terminal of a target that has its caller's */
};
enum { GIVEN, DROPPED, LAUNCHED };
struct message {
  uint8_t kind, which;
};
void standby_listens(int line);             /* -1: not any more */
void standby_give(enum kept which, int fd); /* -1: nothing to give */
void standby_drop(
    enum kept which); /* closed by the supervisor: the standby must not hold it open */
void standby_launched(void);

#endif
