#include <assert.h>
#include "lift.h"

static void it_waits_without_calls(void) {
  struct lift lift = {.floor = 2};
  assert(lift_move(&lift) == -1);
}

static void it_comes(void) {
  struct lift lift = {.floor = 2};
  lift_call(&lift, 5);
  assert(lift_move(&lift) == 5);
  assert(lift.travelled == 3);
}

static void it_goes_up_floor_by_floor(void) {
  struct lift lift = {.floor = 0};
  lift_call(&lift, 4);
  lift_call(&lift, 1);
  assert(lift_serve(&lift) == 4);
}

static void it_takes_the_short_way(void) {
  struct lift lift = {.floor = 6};
  lift_call(&lift, 1);
  lift_call(&lift, 7);
  lift_call(&lift, 5);
  int way = lift_serve(&lift);
  assert(way == 7);
}

int main(void) {
  it_waits_without_calls();
  it_comes();
  it_goes_up_floor_by_floor();
  it_takes_the_short_way();
  return 0;
}
