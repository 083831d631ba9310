/*
 * Processes of the tree that are held at an exec. Each is seized while its call of execve waits for
 * us, and stops when its new program is in place, or behind the failure; there it is parked
 * (parked.h):
 *
 *   EXECUTING   on its way there
 *   HANDED      the same of one whose tracer is a stopper of ours, which parks it (handover.h)
 *   ASKED       until it is decided whether to hold it
 *   TAKING      to be held: stopped once more, in order to take
 *   SETTLING    descriptors out of a host's way
 *   HELD        a host may enter it
 *   STOPPING    to be let go: stopped once more, in order to give
 *   GIVING      back what was taken, and to stand at its first instruction
 */
#ifndef STROBE_HELD_H
#define STROBE_HELD_H

#include "park.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct held {
  pid_t process, thread, parent; /* process 0: free. thread: which called execve */
  uint32_t number;               /* of the question */
  enum { EXECUTING, HANDED, ASKED, TAKING, SETTLING, HELD, STOPPING, GIVING } at;
  bool is_launched; /* parked at its launch */
  bool is_told;     /* the daemon knows of the question */
  bool is_seized;
  bool is_awaited; /* whoever traces it parks it */
  uint64_t since_ns, until_ns;
  struct parking place;
  int refusal; /* errno: why it is not parked but stopped */
};

struct held_listener {
  void (*executed)(struct held *held, bool is_parked); /* one that was handed over */
  void (*held)(const struct held *held, int error);    /* what became of one that was to be held */
  void (*freed)(const struct held *held, uint64_t waited_ns); /* it ended, or runs on */
};

enum { HELD_PROCESSES = 256 };
extern const size_t held_shared_bytes;
void held_prepare(void *memory); /* which the standby sees */
void held_begin(const struct held_listener *listener);
void held_inherit(void); /* lets all go that were held at an exec */

/* NULL: errno says why not. `is_seized` false: its tracer hands it over. */
struct held *held_seize(pid_t thread, pid_t process);
void held_executes(pid_t process); /* what was known of it is over */
void held_interrupt(const struct held *held);
struct held *held_find(pid_t pid);
struct held *held_question(uint32_t number);
struct held *held_untold(void);               /* a question that the daemon does not know of */
struct held *held_overdue(uint64_t now_ns);   /* a question that was not answered */
unsigned held_index(const struct held *held); /* below HELD_PROCESSES */
bool held_is_held(const struct held *held);
/* Whether the stop says how its exec ended; `is_done`: that it runs the new program. */
bool held_has_executed(struct held *held, int status, bool *is_done);
void held_ask(struct held *held, uint32_t number, uint64_t until_ns);
void held_hold(struct held *held);
void held_let_go(struct held *held);
void held_forget(struct held *held); /* it ended, or was let go by who entered it */
void held_stopped(struct held *held, int status);
void held_target(pid_t target, const struct parking *place); /* parked at its launch */
void held_answer_all(void);         /* those that are asked about are let go */
void held_let_all_go(void);         /* but for what was parked at its launch */
uint64_t held_due(uint64_t now_ns); /* does what is due; when to come again */

#endif
