#include <assert.h>
#include "kiln.h"

static void lasts_as_long_as_its_steps(void) {
  struct program program;
  assert(program_parse(&program, "bisque:600/60+10,950/90+25") == 2);
  int minutes = program_minutes(&program);
  assert(minutes == 185);
}

static void heats_step_by_step(void) {
  struct program program;
  assert(program_parse(&program, "glaze:600/58+10,950/70+25") == 2);
  assert(program_at(&program, 10) == 120);
  int heat = program_at(&program, 78);
  assert(heat == 650);
}

static void keeps_the_last_values(void) {
  struct log log = {{0}, 0, 0};
  for (int value = 100; value < 106; value++) log_put(&log, value);
  int mean = log_mean(&log);
  assert(mean == 102);
}

int main(void) {
  lasts_as_long_as_its_steps();
  heats_step_by_step();
  keeps_the_last_values();
  return 0;
}
