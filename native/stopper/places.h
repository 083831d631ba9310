/* Breakpoints: where to stop, and which of the hits. */
#ifndef STROBE_STOPPER_PLACES_H
#define STROBE_STOPPER_PLACES_H

#include "data.h"
#include <sys/user.h>

#define MOST_MET 16
#define MOST_KINDS 256

/* THROWS: it is where C++ throws. ASKS: which of the types are wanted is asked once of each. */
enum raise { RAISE_NONE, RAISE_THROWS, RAISE_ASKS };

struct place {
  u32 number, words, is_vector;
  enum raise raise;
  enum touch touch; /* else it is a place in code */
  u32 bytes;
  u64 before, last; /* what was there at the hit before, and at the last */
  u64 address;
  u64 island;             /* of the engine, which a thread that comes there runs: nothing stops */
  u64 thread;             /* only this one; 0: see the name */
  char name[16];          /* only threads of this name; empty: all */
  u64 after, every, most; /* of the hits that meet the condition, see probeEntry */
  u64 hits, met;
  u64 code[POLICY_MAX_WORDS];
};

/* Returns 0 or an error number. One of the same number is replaced. */
int place_add(const struct place *place);
void place_remove(u32 number);
/* A thread comes to an address: counts, and collects the numbers of those that want a stop. A
 * condition that cannot be evaluated wants one. */
u32 places_met(u64 address, const struct user_regs_struct *registers, int tid,
               u32 numbers[MOST_MET]);
/* The number of a place that has to know first whether the type of what is thrown there is wanted;
 * 0: none has. */
u32 places_ask(u64 address, u64 type);
void place_answer(u32 number, u64 type, int is_wanted);
/* The island that a thread which comes to an address runs; 0: none. */
u64 places_island(u64 address);
int is_throw(u32 number);
/* Null: there is none of this number. */
struct place *place_numbered(u32 number);
void places_tell(void (*tell)(const struct place *));

#endif
