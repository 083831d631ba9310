/* The interpreter keeps class, value and traceback of the exception on its stack while it calls the
 * profile hook. They are looked for there, a little above: the traceback says by its frame that it
 * is the one, the others lie beside it. What is on the stack may be anything, so that nothing is
 * taken for an object before it was read safely and is seen to be one. */
#include "raised.h"
#include "engine.h"

enum { MOST_WORDS = 512, MOST_TRACEBACKS = 16 };
#define MOST_REFERENCES (1ul << 32)

static int read_word(const void *from, u64 *word) {
  return engine.read(word, (u64)from, sizeof *word) == sizeof *word;
}

static int may_be_object(u64 word) { return word > 0xffff && word >> 47 == 0 && (word & 7) == 0; }

static object *safe_type(u64 word) {
  u64 type;
  if (!may_be_object(word) || !read_word(&AT((void *)word, offsets.ob_type, u8), &type)) return 0;
  return may_be_object(type) ? (object *)type : 0;
}

static u64 safe_flags(const object *type) {
  u64 flags;
  return type && read_word(&AT(type, offsets.tp_flags, u8), &flags) ? flags : 0;
}

static int is_traceback(u64 word, const object *frame) {
  u64 own;
  return safe_type(word) == python.PyTraceBack_Type &&
         read_word(&AT((void *)word, offsets.traceback_frame, u8), &own) && own == (u64)frame;
}

static int is_type(u64 word) { return !!(safe_flags(safe_type(word)) & TYPE_IS_TYPE); }

/* A class of exceptions. */
static int is_class(u64 word) {
  return is_type(word) && safe_flags((object *)word) & TYPE_IS_EXCEPTION;
}

/* Whether a word leads to an object that lives: its memory would begin otherwise once it is free.
 */
static int is_alive(u64 word) {
  u64 references;
  return is_type((u64)safe_type(word)) && read_word((void *)word, &references) &&
         references - 1 < MOST_REFERENCES;
}

/* What lies between a class and a traceback, the surest first: an instance, what it will be made
 * with, nothing. Other words look like a class with something beside it, too. */
enum sureness { INSTANCE, ANY_OBJECT, NOTHING, SURENESSES };

static int is_value(u64 word, enum sureness sureness) {
  if (sureness == NOTHING) return word == 0;
  if (!is_alive(word)) return 0;
  return sureness == ANY_OBJECT || !!(safe_flags(safe_type(word)) & TYPE_IS_EXCEPTION);
}

/* Beside the traceback at words[at]. */
static int find_beside(const u64 *words, u32 count, u32 at, enum sureness sureness,
                       struct raised *found) {
  for (int side = -1; side <= 1; side += 2) {
    u32 near = at + (u32)side, far = at + (u32)(2 * side);
    if (near >= count || far >= count) continue;
    if (!is_value(words[near], sureness) || !is_class(words[far])) continue;
    found->type = (object *)words[far];
    found->value = (object *)words[near];
    return 1;
  }
  return 0;
}

int raised_find(const object *frame, struct raised *found) {
  u64 words[MOST_WORDS];
  u32 count = engine.read(words, (u64)__builtin_frame_address(0), sizeof words) / sizeof *words;
  u32 tracebacks[MOST_TRACEBACKS], met = 0;
  for (u32 at = 0; at < count && met < MOST_TRACEBACKS; at++)
    if (is_traceback(words[at], frame)) tracebacks[met++] = at;
  for (u32 sureness = INSTANCE; sureness < SURENESSES; sureness++)
    for (u32 i = 0; i < met; i++)
      if (find_beside(words, count, tracebacks[i], (enum sureness)sureness, found)) return 1;
  return 0;
}
