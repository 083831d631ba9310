#include "heating.h"

static const int slack = 1;

void boiler_step(struct boiler *boiler, int minute, int degrees) {
  int target = plan_target(boiler->plan, minute);
  if (!boiler->is_on && degrees < target - slack) {
    boiler->is_on = 1;
    boiler->starts++;
#if FAULT == 2
  } else if (boiler->is_on && degrees > target + slack) {
#else
  } else if (boiler->is_on && degrees >= target + slack) {
#endif
    boiler->is_on = 0;
  }
}

int boiler_run(struct boiler *boiler, const int *degrees, int count) {
  for (int hour = 0; hour < count; hour++) boiler_step(boiler, hour * 60, degrees[hour]);
  return boiler->starts;
}
