/* See watchSample.h. No libc, no locks, general registers only. */
#include "watchSample.h"
#include "captureText.h"
#include "condition.h"
#include "walk.h"

/* Not in `watch_sample`'s own frame: most samples are small, and the stack the program's. */
static __attribute__((noinline)) void sample_tree(record_writer *write, u8 *slot,
                                                  const struct watch *watch, u32 tag, u64 address,
                                                  u64 sp) {
  u64 words[WATCH_TREE_WORDS];
  words[0] = address;
  u32 count = walk_value(words, 1, WATCH_TREE_WORDS, watch->where, 0, address, watch->limit);
  write(slot, EVENT_WATCH, tag, sp, words, count);
}

void watch_sample(record_writer *write, u8 *slot, const struct watch *watch, u32 flags,
                  const struct registers *r, u64 entry_sp, u64 sp) {
  u64 words[WATCH_TEXT_WORDS + 3], copies[CONDITION_COPY_WORDS], number = 0, address = 0;
  u32 count = 1;
  int is_known = condition_value(watch->code, watch->words, r, entry_sp, copies, &number, &address);
  flags |= watch->form & (WATCH_FLAG_ADDRESS | WATCH_FLAG_TEXT | WATCH_FLAG_TREE);
  if (!is_known) {
    flags = (flags & WATCH_FLAG_AT_RETURN) | WATCH_FLAG_UNREADABLE;
    words[0] = address;
  } else if (watch->form & WATCH_FLAG_TREE) {
    return sample_tree(write, slot, watch, watch->number | flags << WATCH_NUMBER_BITS, number, sp);
  } else if (watch->form & WATCH_FLAG_TEXT) {
    words[0] = watch->where ? number : address;
    count = capture_text(words, 1, WATCH_TEXT_WORDS + 3, number, watch->where, watch->limit);
  } else {
    words[0] = number;
    words[1] = address;
    if (flags & WATCH_FLAG_ADDRESS) count = 2;
  }
  write(slot, EVENT_WATCH, watch->number | flags << WATCH_NUMBER_BITS, sp, words, count);
}
