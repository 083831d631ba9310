/* The functions that are wanted, as the daemon's table has them (src/protocol/pythonTracer.ts), and
 * which of them a code object is. All of it needs the interpreter lock. */
#ifndef STROBE_PYTHON_FUNCTIONS_H
#define STROBE_PYTHON_FUNCTIONS_H

#include "sites.h"

enum { MOST_WATCHES = 32 };

/* An expression whose value is recorded when its function is called, or returns. */
struct watch {
  u32 number, at;
  struct code_text code;
};

/* One of a source file; it stays where it is for as long as the process lives. */
struct function {
  struct function *next; /* of its file */
  struct file *file;
  const char *name, *qualname;
  u32 first_line, line, column, offset;
  u32 number; /* 0: it was not called yet, or cannot be defined */
  u32 is_refused;
  u32 has_self; /* its first parameter is `self` */
  u32 is_wanted;
  u32 is_undecided; /* what is asked of a call could not be known, and the daemon knows */
  u32 is_plain;     /* nothing is asked of its calls but their values */
  u32 every, first, left, depth, levels;
  u64 least_ns;
  struct code_text when, start, stop, when_return;
  struct watch *watches;
  u32 watch_count;
  u32 watched_at; /* what they ask for, together */
  struct sites sites;
};

/* How often the table was changed. */
extern u32 functions_generation;
/* How many are wanted, have breakpoints in their lines, and whether a call of one starts the
 * recording. */
extern u32 functions_wanted, functions_sited, functions_start;
/* Another number when other calls start or stop it; 0: none do. */
extern u64 functions_triggers;

/* Replaces what is wanted. Returns 0 for a table that cannot be read, which changes nothing. */
int functions_set(const u8 *table, u32 bytes);
/* The wanted function that a code object is, or null. */
struct function *functions_find(object *code);
/* Defines one without a number; returns whether it has one then. */
int functions_define_new(struct function *function, object *code);
/* Defines it, if it was not yet; the same. */
static inline int functions_define(struct function *function, object *code) {
  return function->number || functions_define_new(function, code);
}
/* Whether a code object of it has the lines that its file has now. */
int functions_is_same(const struct function *function, const object *code);
/* Tells the daemon of the modules that were imported already. */
void functions_note_modules(void);
/* Parameters whose values an enter carries. */
u32 functions_parameters(const object *code);

#endif
