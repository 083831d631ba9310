#include <stdlib.h>
#include "lift.h"

void lift_call(struct lift *lift, int floor) {
  for (int at = 0; at < lift->count; at++)
    if (lift->calls[at] == floor) return;
  lift->calls[lift->count++] = floor;
}

static void answered(struct lift *lift, int floor) {
  int kept = 0;
  for (int at = 0; at < lift->count; at++)
    if (lift->calls[at] != floor) lift->calls[kept++] = lift->calls[at];
  lift->count = kept;
}

int lift_move(struct lift *lift) {
  int next = lift_next(lift);
  if (next < 0) return -1;
  lift->travelled += abs(next - lift->floor);
  lift->way = next > lift->floor ? 1 : next < lift->floor ? -1 : lift->way;
  lift->floor = next;
  answered(lift, next);
  return next;
}

int lift_serve(struct lift *lift) {
  while (lift->count > 0) lift_move(lift);
  lift->way = 0;
  return lift->travelled;
}
