#include "canal.h"

int lock_volume(const struct lock *lock) { return (lock->upper - lock->lower) * lock->area; }

static int lock_set(struct lock *lock, int level) {
  int fall = lock->level - level;
#if FAULT == 1
  if (fall > 0) lock->level = level;
#else
  lock->level = level;
#endif
  return fall > 0 ? fall * lock->area : 0;
}

int lock_ready(struct lock *lock, enum direction direction) {
  return lock_set(lock, direction == UP ? lock->lower : lock->upper);
}

int lock_pass(struct lock *lock, enum direction direction) {
  return lock_set(lock, direction == UP ? lock->upper : lock->lower);
}
