#include "plain.h"
#include "engine.h"
#include "tasks.h"
#include "values.h"

enum { MOST_WORDS = 6 };

int plain_enter(const struct code *code, const struct frame *frame) {
  u64 words[MOST_WORDS];
  const struct function *function = code->function;
  u32 count = code->parameters;
  if (!function->is_plain || !function->number || code->has_cells) return 0;
  if (count > MOST_WORDS || !frame->locals || tasks_can_run()) return 0;
  for (u32 i = 0; i < count; i++)
    if (!capture_immediate(&words[i], untagged(frame->locals[i]))) return 0;
  engine.passes(EVENT_ENTER, function->number, (u64)frame->own, words, count);
  return 1;
}

int plain_return(const struct function *function, const struct frame *frame, object *value) {
  u64 word;
  if (!function->is_plain || !function->number || !value) return 0;
  if (!capture_immediate(&word, value)) return 0;
  engine.passes(EVENT_RETURN, function->number, (u64)frame->own, &word, 1);
  return 1;
}
