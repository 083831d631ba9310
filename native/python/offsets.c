#include "offsets.h"

#include <string.h>

struct offsets offsets;

static const struct offsets table[] = {
#include "offsetTable.inc"
};

/* _Py_DebugOffsets, which grows at its end and in its middle from version to version: what lies
 * before its first difference. */
struct debug_offsets {
  char cookie[8];
  uint64_t version, free_threaded;
};

static const char cookie[8] = "xdebugpy";

/* Rows of _Py_DebugOffsets whose places are the same from 3.13 on, as far as they are needed: a
 * build that was patched moves what follows the first members. Found by value, as the structure
 * has no names: `size` of a code object is followed by where its file name lies. */
static int agrees(const struct debug_offsets *debug, const struct offsets *own) {
  const uint64_t *words = (const uint64_t *)debug;
  const uint64_t code[] = {(uint64_t)own->co_filename, (uint64_t)own->co_name,
                           (uint64_t)own->co_qualname};
  enum { MOST_WORDS = 96, FEWEST_WORDS = 24 };
  for (unsigned at = FEWEST_WORDS; at < MOST_WORDS; at++)
    if (!memcmp(words + at, code, sizeof code))
      return words[at + 4] == (uint64_t)own->co_firstlineno &&
             words[at + 5] == (uint64_t)own->co_argcount &&
             words[at + 6] == (uint64_t)own->co_names_of_locals &&
             words[at + 7] == (uint64_t)own->co_kinds_of_locals &&
             words[at + 8] == (uint64_t)own->co_code &&
             /* Behind the size of an object; from 3.14 on a code object has one more member. */
             words[at + (own->minor >= 14 ? 11 : 10)] == (uint64_t)own->ob_type;
  return 0;
}

enum offsets_problem offsets_choose(int minor, const void *debug_offsets) {
  const struct debug_offsets *debug = debug_offsets;
  const struct offsets *found = 0;
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].minor == minor) found = &table[i];
  if (!found) return OFFSETS_UNKNOWN;
  if (debug) {
    if (memcmp(debug->cookie, cookie, sizeof cookie)) return OFFSETS_PATCHED;
    if (debug->free_threaded) return OFFSETS_FREE_THREADED;
    if (!agrees(debug, found)) return OFFSETS_PATCHED;
  }
  offsets = *found;
  return OFFSETS_FIT;
}
