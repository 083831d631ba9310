/* See policy.h. The rows are written by the tracer while no thread of the program runs; one may
 * have been stopped in the middle of what reads them, which ends with any words. */
#include "policy.h"
#include "../../engine/condition.c"
#include "../../engine/raw.h"
#include "strand.h"

struct policy {
  u32 fn, every, first, words;
  u64 least; /* cycles */
  u32 depth, triggers, start_words, stop_words, return_words;
  u32 left; /* of the first */
  u64 code[POLICY_MAX_WORDS], start_code[POLICY_MAX_WORDS], stop_code[POLICY_MAX_WORDS],
      return_code[POLICY_MAX_WORDS];
};
_Static_assert(sizeof(struct policy) == POLICY_BYTES, "the row is the contract's");
_Static_assert(__builtin_offsetof(struct policy, return_code) == POLICY_RETURN_CODE,
               "the row is the contract's");

/* Nothing is recorded until a call starts it. */
u32 outside_is_off;
/* By the number of a function's row in the table of counted calls. */
struct policy outside_policies[COUNTED_COUNT] __attribute__((visibility("hidden")));

/* Null: it has none. */
static struct policy *policy_of(u32 fn) {
  if (fn >= RECORD_MAX_FUNCTIONS || !(RELAXED(outside_ways[fn]) & WAY_HAS_POLICY)) return 0;
  struct policy *policy = &outside_policies[RELAXED(outside_rows[fn]) % COUNTED_COUNT];
  return policy->fn == fn ? policy : 0;
}

/* Returns whether there was one left. */
static int take_one(struct policy *policy) {
  u32 left = RELAXED(policy->left);
  while (left && !__atomic_compare_exchange_n(&policy->left, &left, left - 1, 1, __ATOMIC_RELAXED,
                                              __ATOMIC_RELAXED)) {
  }
  return left != 0;
}

static int is_met(const u64 *code, u32 words, const struct registers *r, u64 sp) {
  return !words || condition_met(code, words, r, sp);
}

/* Whether a call starts or stops the recording. */
static int has_triggered(const struct policy *policy, const struct registers *r, u64 sp) {
  u32 is_off = RELAXED(outside_is_off);
  if (!(policy->triggers & (is_off ? POLICY_START_TRIGGER : POLICY_STOP_TRIGGER))) return 0;
  if (is_off ? !is_met(policy->start_code, policy->start_words, r, sp)
             : !is_met(policy->stop_code, policy->stop_words, r, sp))
    return 0;
  SET_RELAXED(outside_is_off, !is_off);
  return 1;
}

static int waits(const struct policy *policy) { return policy->least || policy->return_words; }

static int wants(struct policy *policy, const struct registers *r, u64 sp) {
  if (!is_met(policy->code, policy->words, r, sp)) return 0;
  if (!policy->first) return 1;
  return waits(policy) ? RELAXED(policy->left) != 0 : take_one(policy);
}

enum verdict policy_enters(u8 *slot, u32 fn, u64 key, u64 place, const struct registers *r,
                           u64 sp) {
  struct policy *policy = policy_of(fn);
  int has_started = policy && policy->triggers && has_triggered(policy, r, sp);
  if (!has_started && RELAXED(outside_is_off)) return POLICY_IS_OFF;
  if (!policy) return POLICY_RECORDS;
  if (!has_started && !wants(policy, r, sp)) return POLICY_PASSES;
  if (policy->every > 1 && !counted_is_due(slot, fn, policy->every)) return POLICY_PASSES;
  if (policy->depth && strand_is_too_deep(key, place, policy->depth)) return POLICY_PASSES;
  return waits(policy) ? POLICY_WAITS : POLICY_RECORDS;
}

int policy_keeps(u32 fn, u64 took, const struct registers *r, u64 sp) {
  const struct policy *policy = policy_of(fn);
  if (!policy) return 1;
  if (took < policy->least || (policy->first && !RELAXED(policy->left))) return 0;
  return !r || is_met(policy->return_code, policy->return_words, r, sp);
}

void policy_took(u32 fn) {
  struct policy *policy = policy_of(fn);
  if (policy && policy->first) take_one(policy);
}
