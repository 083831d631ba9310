#include "heating.h"

void plan_add(struct plan *plan, int from, int degrees) {
  int at = plan->count++;
  while (at > 0 && plan->periods[at - 1].from > from) {
    plan->periods[at] = plan->periods[at - 1];
    at--;
  }
  plan->periods[at].from = from;
  plan->periods[at].degrees = degrees;
}

static int period_at(const struct plan *plan, int minute) {
  int found = plan->count - 1;
  for (int at = 0; at < plan->count; at++)
    if (plan->periods[at].from <= minute) found = at;
#if FAULT == 1
  return found > 0 && plan->periods[0].from > minute ? 0 : found;
#else
  return found;
#endif
}

int plan_target(const struct plan *plan, int minute) {
  return plan->periods[period_at(plan, minute % 1440)].degrees;
}

int plan_next_change(const struct plan *plan, int minute) {
  for (int at = 0; at < plan->count; at++)
    if (plan->periods[at].from > minute) return plan->periods[at].from;
  return plan->periods[0].from + 1440;
}
