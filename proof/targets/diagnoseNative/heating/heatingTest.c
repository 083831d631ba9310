#include <assert.h>
#include "heating.h"

static struct plan workday(void) {
  struct plan plan = {.count = 0};
  plan_add(&plan, 22 * 60, 16);
  plan_add(&plan, 6 * 60, 21);
  plan_add(&plan, 9 * 60, 18);
  return plan;
}

static void mornings_are_warm(void) {
  struct plan plan = workday();
  assert(plan_target(&plan, 7 * 60) == 21);
}

static void changes_come_in_order(void) {
  struct plan plan = workday();
  assert(plan_next_change(&plan, 7 * 60) == 9 * 60);
  assert(plan_next_change(&plan, 23 * 60) == (24 + 6) * 60);
}

static void cold_rooms_are_heated_once(void) {
  struct plan plan = workday();
  struct boiler boiler = {.plan = &plan};
  for (int minute = 600; minute < 640; minute += 10) boiler_step(&boiler, minute, 15);
  assert(boiler.starts == 1);
}

static void warm_rooms_are_left(void) {
  struct plan plan = workday();
  struct boiler boiler = {.plan = &plan};
  boiler_step(&boiler, 600, 15);
  boiler_step(&boiler, 620, 19);
  assert(boiler.is_on == 0);
}

static void nights_stay_cool(void) {
  struct plan plan = workday();
  struct boiler boiler = {.plan = &plan};
  const int degrees[] = {17, 17, 17, 16, 16, 16};
  int starts = boiler_run(&boiler, degrees, 6);
  assert(starts == 0);
}

int main(void) {
  mornings_are_warm();
  changes_come_in_order();
  cold_rooms_are_heated_once();
  warm_rooms_are_left();
  nights_stay_cool();
  return 0;
}
