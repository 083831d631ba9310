/* The kernel's records of writes to one place, by all threads of a process. */
#ifndef SPOTTER_RINGS_H
#define SPOTTER_RINGS_H

#include "store.h"

#define STACK_BYTES 1024u
#define MOST_CPUS 1024

struct hit {
  uint64_t time, stream, seen_at;
  uint32_t tid, stack_bytes;
  int is_behind_loss; /* writes before it may be missing */
  struct processor processor;
  uint8_t stack[STACK_BYTES];
};

struct rings {
  int pid;
  uint64_t address;
  uint32_t bytes;
  uint32_t cpus, ring_bytes;
  int leader[MOST_CPUS]; /* the descriptor whose ring all events of this processor use; -1: none */
  uint8_t *memory[MOST_CPUS];
  uint64_t last[MOST_CPUS];    /* time of the last record of a write that was taken */
  uint8_t was_full[MOST_CPUS]; /* when it was drained last: writes may be missing after `last` */
  int *events;                 /* all of them */
  uint32_t event_count, event_room;
  uint32_t threads; /* that are watched */
  int refused;      /* error number of what could not be opened */
  uint32_t refused_threads;
};

/* Code that was mapped while it was watched. */
struct mapped {
  uint64_t start, bytes, offset;
  const char *path;
};

/* Opens events on all threads of the process; those that start later have them, too. 0 when none
 * could be. */
int rings_open(struct rings *rings);

struct sink {
  void (*hit)(const struct hit *);
  void (*mapped)(const struct mapped *);
  uint64_t lost;        /* what the kernel or the taker had no room for, in all */
  uint64_t got;         /* records of writes that were taken, in all */
  uint64_t whole_until; /* of what was handed over last, nothing may be missing before this time */
};

/* Hands over what came since, oldest first per processor. */
void rings_drain(struct rings *rings, struct sink *sink);

/* How often the place was written to in all. What is missing at the end no record tells. */
uint64_t rings_count(const struct rings *rings);

/* Whether the place was written to, or may have been, since they were drained. */
int rings_hold_writes(const struct rings *rings);

#endif
