#include "hits.h"
#include "condition.h"
#include "engine.h"
#include "results.h"
#include "tasks.h"

enum choice { RECORDED, MET, UNMET };

static enum choice by_check(struct hit_check *check, enum truth truth) {
  enum holding now = truth == MAYBE ? IS_UNKNOWN : truth == TRUE ? HOLDS : IS_BROKEN;
  enum holding before = check->last;
  check->last = now;
  if (now == HOLDS) return UNMET;
  return now == before ? MET : RECORDED;
}

static enum choice choose(struct site *site, const struct moment *moment) {
  enum truth truth = TRUE;
  if (site->condition.length) {
    struct operand value = condition_value(&site->condition, moment, 0);
    truth = operand_is_true(&value);
  }
  if (site->check) return by_check(site->check, truth);
  if (!condition_counts(truth, site->name, &site->is_undecided)) return UNMET;
  u32 met = ++site->met;
  if (met <= site->after) return UNMET;
  u32 nth = met - site->after, step = site->every ? site->every : 1;
  return nth % step == 0 && (!site->most || nth / step <= site->most) ? RECORDED : UNMET;
}

/* It has no end: a hit is a call of its own only as long as this takes. */
static u64 activation_of(const struct site *site) { return (u64)site; }

/* One that did not meet what was asked is counted as a call that has an end. */
static void count(const struct site *site, int is_met) {
  u64 activation = activation_of(site);
  if (engine.counts(site->number, activation) && !is_met)
    engine.takes(EVENT_RETURN, site->number, activation);
}

static void record(const struct site *site, const struct moment *moment) {
  struct capture capture = {.used = 0, .levels = site->levels};
  u64 activation = activation_of(site);
  if (!engine.is_recording() || !engine.takes(EVENT_ENTER, site->number, activation)) return;
  tasks_tell(0);
  for (u32 i = 0; i < site->count; i++) {
    struct operand value = condition_value(&site->values[i].code, moment, 0);
    u32 share = (MOST_VALUE_WORDS - capture.used) / (site->count - i);
    if (!result_capture(&capture, &value, share)) capture_within(&capture, 0, share);
  }
  engine.record(EVENT_ENTER, site->number, activation, capture.words, capture.used);
}

int hits_take(struct site *site, const struct moment *moment) {
  enum choice choice = choose(site, moment);
  if (choice == RECORDED) record(site, moment);
  else count(site, choice == MET);
  return choice == RECORDED;
}
