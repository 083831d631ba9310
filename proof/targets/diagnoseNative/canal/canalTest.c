#include <assert.h>
#include "canal.h"

static struct canal two_locks(void) {
  struct canal canal;
  canal_init(&canal);
  canal_add(&canal, 3, 200);
  canal_add(&canal, 2, 150);
  return canal;
}

static void reaches_have_heights(void) {
  struct canal canal = two_locks();
  assert(canal_height(&canal, 0) == 0);
  assert(canal_height(&canal, 2) == 5);
}

static void locks_hold_water(void) {
  struct canal canal = two_locks();
  assert(lock_volume(&canal.locks[1]) == 300);
}

static void the_way_up_needs_no_water(void) {
  struct canal canal = two_locks();
  assert(canal_travel(&canal, 0, 2) == 0);
}

static void the_way_back_does(void) {
  struct canal canal = two_locks();
  canal_travel(&canal, 0, 2);
  int water = canal_travel(&canal, 2, 0);
  assert(water == 900);
}

int main(void) {
  reaches_have_heights();
  locks_hold_water();
  the_way_up_needs_no_water();
  the_way_back_does();
  return 0;
}
