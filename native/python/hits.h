/* What becomes of it when a call comes to a breakpoint. Needs the interpreter lock. */
#ifndef STROBE_PYTHON_HITS_H
#define STROBE_PYTHON_HITS_H

#include "moment.h"
#include "reader.h"

enum { MOST_SITE_VALUES = 64, MOST_KEY = 64 };

/* An expression whose value a hit carries. */
struct site_value {
  char *text;
  struct code_text code;
};

/* What an invariant was last, in all its places together. */
enum holding { HOLDS, IS_BROKEN, IS_UNKNOWN };
struct hit_check {
  struct hit_check *next;
  char *key;
  enum holding last;
};

/* A breakpoint: those of a function that are wanted, or were. */
struct site {
  struct site *next;
  char *key, *name, *probe;
  u32 line, column, offset;
  u32 after, every, most; /* of hits that meet the condition, which are wanted */
  u32 levels, is_at_return;
  u32 stops; /* the thread stands still there */
  struct hit_check *check;
  struct code_text condition;
  u32 count;
  struct site_value *values;
  u32 number; /* 0: it was not reached yet, or cannot be defined */
  u32 is_refused, is_wanted;
  u32 is_undecided; /* its condition could not be known, and the daemon knows */
  u32 met;
  const char *told; /* a SITE of table.h */
};

/* It is reached: recorded, or counted. Returns whether it is a hit that is wanted. */
int hits_take(struct site *site, const struct moment *moment);

#endif
