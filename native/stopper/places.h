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
  u64 since;              /* see places_now */
  u64 thread;             /* only this one; 0: see the name */
  char name[16];          /* only threads of this name; empty: all */
  u64 after, every, most; /* of the hits that meet the condition, see probeEntry */
  u64 hits, met;
  u64 code[POLICY_MAX_WORDS];
};

/* Returns 0 or an error number. One of the same number is replaced. */
int place_add(const struct place *place);
void place_remove(u32 number);
/* Beside the number of a place whose condition cannot be evaluated. */
#define PLACE_UNDECIDED 0x80000000u

/* A thread comes to an address: counts, and collects the numbers of those that want a stop. A
 * condition that cannot be evaluated wants one. */
u32 places_met(u64 address, const struct user_regs_struct *registers, int tid,
               u32 numbers[MOST_MET]);
/* The number of a place that has to know first whether the type of what is thrown there is wanted;
 * 0: none has. */
u32 places_ask(u64 address, u64 type);
void place_answer(u32 number, u64 type, int is_wanted);
/* A place that is added later has a later time. */
u64 places_now(void);
/* The island that a thread which comes to an address runs, of a place that was there then; 0: none.
 */
u64 places_island(u64 address, u64 then);
int places_stop(u64 address); /* whether a thread that comes there may have to stop */
/* A fork has a copy of islands and of the int3s that lead to them. Takes all others of our int3s
 * out of it, and returns how many are left. */
u32 places_begin_in(pid_t fork);
/* Takes out those that were there then. */
void places_leave_in(pid_t fork, u64 then);
int is_throw(u32 number);
/* Null: there is none of this number. */
struct place *place_numbered(u32 number);
void places_tell(void (*tell)(const struct place *));

#endif
