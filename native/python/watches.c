#include "watches.h"
#include "condition.h"
#include "engine.h"
#include "results.h"

/* In place of an address: there is no value. */
#define NOWHERE (~0ul)

static void sample(const struct watch *watch, u32 at, u32 levels, const struct moment *moment) {
  struct capture capture = {.used = 0, .levels = levels};
  const object *holder;
  struct operand value = condition_value(&watch->code, moment, &holder);
  u32 flags = at == WATCH_AT_RETURN ? WATCH_FLAG_AT_RETURN : 0;
  capture_word(&capture, (u64)holder);
  if (result_capture(&capture, &value, MOST_VALUE_WORDS)) {
    flags |= WATCH_FLAG_TREE;
    if (holder) flags |= WATCH_FLAG_ADDRESS;
  } else {
    flags |= WATCH_FLAG_UNREADABLE;
    capture.words[0] = NOWHERE;
  }
  engine.record(EVENT_WATCH, watch->number | flags << WATCH_NUMBER_BITS, (u64)moment->frame->own,
                capture.words, capture.used);
}

void watches_sample(const struct function *function, u32 at, const struct moment *moment) {
  if (!(function->watched_at & at)) return;
  for (u32 i = 0; i < function->watch_count; i++)
    if (function->watches[i].at & at) sample(&function->watches[i], at, function->levels, moment);
}
