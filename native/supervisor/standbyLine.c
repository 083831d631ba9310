/* See standbyLine.h. */
#include "standbyLine.h"
#include "passing.h"

#include <stdint.h>

static int line = -1; /* to the standby; in the supervisor alone */

void standby_listens(int to) { line = to; }

/* A standby that was killed is not there to hear it. */
static void tell(uint8_t kind, uint8_t which, int fd) {
  if (line < 0) return;
  struct message message = {kind, which};
  pass_send(line, &message, sizeof message, fd);
}

void standby_give(enum kept which, int fd) {
  if (fd >= 0) tell(GIVEN, (uint8_t)which, fd);
}

void standby_drop(enum kept which) { tell(DROPPED, (uint8_t)which, -1); }
void standby_launched(void) { tell(LAUNCHED, 0, -1); }
