#pragma once
#include "registers.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { MAX_HELD = 64, MAX_WORDS = 2048 };

/* A word of the program's code before it was changed. */
struct word {
  uint64_t at, before;
};

/* A thread that Frida holds, from PTRACE_SEIZE on: what another process must know of it to put it
 * back when this one is killed. Each member is written before what it tells of is done. */
struct held {
  pid_t tid; /* 0: free */
  enum { AT_HOME, LEAVING, CALLED, RETURNING } call;
  registers home; /* of the program, while it is not at home */
  bool is_quiet;  /* it blocks more signals than the program has it block, see quiet.h */
  uint64_t mask;  /* those of the program, while it is quiet */
  bool was_called;
  uint64_t late; /* CLOCK_MONOTONIC, ns: until then a wait for it goes on */
  bool is_asked; /* we interrupted it, and it has not stopped for that yet */
  uint64_t spin; /* where its calls return to: an instruction that jumps to itself; 0: not known */
  uint64_t trap; /* where such an instruction stands in place of a breakpoint of Frida's; 0: nowhere
                  */
  uint64_t entry; /* the word that entry.c changed; 0: none */
  uint32_t word_count;
  struct word words[MAX_WORDS];
};

/* In memory that a forked process shares; before all others. */
bool held_prepare(void);

struct held *held_begin(pid_t tid);
struct held *held_find(pid_t tid);
void held_end(pid_t tid);

/* Calls `each` for all of them. */
void held_each(void (*each)(struct held *));

/* Notes the word at a place that is about to change, unless it is noted. */
void held_note(struct held *held, uint64_t at, uint64_t current);

/* It is again what it was. */
void held_forget(struct held *held, uint64_t at);

/* The word at a place as it was; false when it was not changed. */
bool held_before(const struct held *held, uint64_t at, uint64_t *before);
