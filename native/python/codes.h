/* Code objects that were looked at: which wanted function each is. What is known of one lies in the
 * object itself, so that another at its address is not taken for it. */
#ifndef STROBE_PYTHON_CODES_H
#define STROBE_PYTHON_CODES_H

#include "functions.h"

/* Of co_localspluskinds. */
enum { CODES_IS_CELL = 0x40 };

/* A code object of a function that is, or was, wanted. */
struct code {
  struct code *next, *previous;
  object *object;
  struct function *function;
  u32 is_armed;   /* its own events are on */
  u32 parameters; /* whose values an enter carries */
  u32 has_cells;  /* a parameter's value may lie in a cell */
  u32 has_sites;  /* breakpoints are in its lines */
};

/* Takes a place for that in code objects; returns whether there is one. */
int codes_begin(void);
/* The function it is whose calls are wanted or in whose lines breakpoints are, or null. */
struct code *codes_known(object *code);
/* The same where its calls are wanted. */
struct code *codes_find(object *code);
/* Looks for breakpoints in its lines, and tells what became of them. */
void codes_meet_sites(struct code *code);
/* The first of those that are known. */
struct code *codes_first(void);

#endif
