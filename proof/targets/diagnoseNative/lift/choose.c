#include <stdlib.h>
#include "lift.h"

static int is_ahead(const struct lift *lift, int floor) {
  return lift->way == 0 || (floor - lift->floor) * lift->way >= 0;
}

static int nearest(const struct lift *lift, int only_ahead) {
  int found = -1;
  for (int at = 0; at < lift->count; at++) {
    if (only_ahead && !is_ahead(lift, lift->calls[at])) continue;
#if FAULT == 1
    if (found < 0 || lift->calls[at] < found) found = lift->calls[at];
#else
    if (found < 0 || abs(lift->calls[at] - lift->floor) < abs(found - lift->floor)) found = lift->calls[at];
#endif
  }
  return found;
}

int lift_next(const struct lift *lift) {
  int found = nearest(lift, 1);
  return found < 0 ? nearest(lift, 0) : found;
}
