/* See callers.h. One caller at a time (the agent's thread). */
#include "callers.h"
#include "readSafely.h"

#define MOST_CALLERS 4096

/* A function that looks at its caller, or a word through which it is called before the loader has
 * found it. */
struct caller {
  u64 address;
  u64 looks_further;
};

static struct caller callers[MOST_CALLERS];
static u32 count;

static enum looks looks_at(u64 address) {
  for (u32 i = 0; i < count; i++)
    if (callers[i].address == address)
      return callers[i].looks_further ? LOOKS_FURTHER : LOOKS_AT_CALLER;
  return LOOKS_AT_NONE;
}

enum looks callers_looks_of(u64 word) {
  u64 function;
  enum looks looks = looks_at(word);
  if (looks != LOOKS_AT_NONE || read_safely(&function, word, 8) != 8) return looks;
  return looks_at(function);
}

/* Replaces all. */
EXPORT void engine_set_callers(const struct caller *table, u32 all) {
  count = all < MOST_CALLERS ? all : MOST_CALLERS;
  for (u32 i = 0; i < count; i++) callers[i] = table[i];
}
