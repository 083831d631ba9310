#ifndef CANAL_H
#define CANAL_H

#define LOCKS 6

struct lock {
  int upper;
  int lower;
  int level;
  int area;
};

struct canal {
  int count;
  struct lock locks[LOCKS];
};

enum direction { UP, DOWN };

void canal_init(struct canal *canal);
int canal_add(struct canal *canal, int rise, int area);
/* Water that a boat needs from one reach to another; reach 0 is the lowest. */
int canal_travel(struct canal *canal, int from, int to);
int canal_height(const struct canal *canal, int reach);

/* Water that flows down until the gate on a boat's side can open. */
int lock_ready(struct lock *lock, enum direction direction);
/* Water that flows down as the boat is lifted or lowered. */
int lock_pass(struct lock *lock, enum direction direction);
int lock_volume(const struct lock *lock);

#endif
