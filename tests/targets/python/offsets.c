/* Chooses the offsets of a version beside what an interpreter would say of itself (_Py_DebugOffsets), forged as the
 * first argument says, and prints the verdict. */
#include "../../../native/python/offsets.c"

#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 128, CODE_AT = 40, OTHER_MEMBERS = 5 };

/* What a usual build of a version says. */
static void forge(uint64_t *words, const struct offsets *own) {
  const uint64_t code[] = {
      (uint64_t)own->co_filename,        (uint64_t)own->co_name,
      (uint64_t)own->co_qualname,        136,
      (uint64_t)own->co_firstlineno,     (uint64_t)own->co_argcount,
      (uint64_t)own->co_names_of_locals, (uint64_t)own->co_kinds_of_locals,
      (uint64_t)own->co_code,
  };
  memcpy(words, cookie, sizeof cookie);
  memcpy(words + CODE_AT, code, sizeof code);
  /* From 3.14 on one more member, then the size of an object. */
  words[CODE_AT + (own->minor >= 14 ? 11 : 10)] = (uint64_t)own->ob_type;
}

int main(int count, char **arguments) {
  static const char *const verdicts[] = {"fits", "unknown", "free-threaded", "patched"};
  uint64_t words[WORDS] = {0};
  const char *how = count > 2 ? arguments[2] : "";
  int minor = count > 1 ? atoi(arguments[1]) : 0;
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].minor == minor) forge(words, &table[i]);
  if (!strcmp(how, "free-threaded")) words[2] = 1;
  if (!strcmp(how, "cookie")) words[0]++;
  if (!strcmp(how, "moved")) words[CODE_AT + OTHER_MEMBERS] += 8;
  puts(verdicts[offsets_choose(minor, minor >= 13 ? words : 0)]);
  return 0;
}
