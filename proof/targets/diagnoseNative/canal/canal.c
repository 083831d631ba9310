#include "canal.h"
#include <string.h>

void canal_init(struct canal *canal) { memset(canal, 0, sizeof *canal); }

int canal_height(const struct canal *canal, int reach) {
  if (reach <= 0) return 0;
  return canal->locks[(reach < canal->count ? reach : canal->count) - 1].upper;
}

int canal_add(struct canal *canal, int rise, int area) {
  if (canal->count == LOCKS || rise <= 0) return -1;
  struct lock *lock = &canal->locks[canal->count];
  lock->lower = canal_height(canal, canal->count);
  lock->upper = lock->lower + rise;
  lock->level = lock->lower;
  lock->area = area;
  return canal->count++;
}

int canal_travel(struct canal *canal, int from, int to) {
  int water = 0;
  for (int at = from; at < to; at++) {
    water += lock_ready(&canal->locks[at], UP);
    water += lock_pass(&canal->locks[at], UP);
  }
  for (int at = from - 1; at >= to; at--) {
    water += lock_ready(&canal->locks[at], DOWN);
    water += lock_pass(&canal->locks[at], DOWN);
  }
  return water;
}
