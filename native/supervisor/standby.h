/* Who goes on when the supervisor is killed. */
#ifndef STROBE_STANDBY_H
#define STROBE_STANDBY_H

#include "target.h"

enum standby_role {
  STANDBY_NONE,       /* there is none; errno says why */
  STANDBY_SUPERVISOR, /* the caller is the supervisor */
  /* It was killed: the caller is the supervisor from now on, with what it inherited. */
  STANDBY_TAKES_OVER,
};
enum standby_role standby_split(int answer, struct target *inherited);

#endif
