#include "kiln.h"

int step_rate(const struct step *step, int from) {
  if (step->minutes == 0) return 0;
  return (step->target - from) / step->minutes;
}

int program_minutes(const struct program *program) {
  int minutes = 0;
  for (int at = 0; at < program->count; at++)
    minutes += program->steps[at].minutes + program->steps[at].hold;
  return minutes;
}

static int start_of(const struct program *program, int at) {
#if FAULT == 2
  return at == 0 ? 20 : program->steps[at].target;
#else
  return at == 0 ? 20 : program->steps[at - 1].target;
#endif
}

int program_at(const struct program *program, int minute) {
  for (int at = 0; at < program->count; at++) {
    const struct step *step = &program->steps[at];
    int from = start_of(program, at);
    if (minute < step->minutes) return from + step_rate(step, from) * minute;
    minute -= step->minutes;
    if (minute < step->hold) return step->target;
    minute -= step->hold;
  }
  return 20;
}
