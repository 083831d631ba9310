/* What is put into the program: code that records, a stub for each site, and the memory of both
 * (target/area.h). */
#ifndef STROBE_OUTSIDE_BLOCK_H
#define STROBE_OUTSIDE_BLOCK_H

#include "../engine/probeRow.h"
#include "image.h"
#include "sites.h"

struct options {
  const char *code_path; /* of what target/ was built to */
  const char *ring_path;
  const char *exceptions_path; /* null: panics are not recorded */
  u32 slot_count, ring_bytes;
  u32 goroutine_number, creator_number, panic_frame;
  u32 thread_number; /* of a program of C: where a thread has its number; else 0 */
};

/* With all threads stopped: takes memory in the program and the ring file with it. Returns 0 or an
 * error number. */
int block_put(pid_t pid, const struct image *image, const struct options *options);
int block_is_there(void);
/* Where it is, and what is where in it (target/area.h). */
u64 block_address(void);
const struct head *block_head(void);
/* Tells the reader that hooks were removed. */
void block_removed(void);
/* Writes the cycle counter and CLOCK_MONOTONIC down together, once more. Also in a signal handler.
 */
void block_clock(void);
/* Steps of walks, from index `first` on. */
int block_steps(u32 first, const u8 *table, u32 count);

#define MOST_MOVES 24

/* A statement that is recorded among the instructions that a site displaces. */
struct guest {
  u64 address;
  u32 number; /* of its switch */
  u8 row[ARM_BYTES];
};

/* A stub for a site: where it begins, and where instructions of the site's that are behind its
 * first continue. */
struct stub {
  u64 address;
  u32 moves;
  u64 from[MOST_MOVES], to[MOST_MOVES];
};

/* Where the row of a function is (armEntry); 0: there is no room. */
u64 block_row(const u8 *row);
/* What a stub calls. */
struct recorder {
  u32 number;                 /* of a switch */
  u8 flags;                   /* ARM_, of what a goroutine waits or leaves calls by */
  u64 row;                    /* 0: nothing at its entry and its end */
  const struct guest *guests; /* in the order of their addresses */
  u32 guest_count;
};

/* Makes the stub of a site. Returns a VERDICT_ code. */
u32 block_stub(const u8 *code, const struct site *site, const struct recorder *by,
               struct stub *stub);
/* With all threads stopped: whether one is in code that was put into the program. */
int block_is_used(void);
/* Writes stubs, rows and switches as they are now. Returns 0 or an error number. */
int block_flush(void);
/* Where runtime.gopanic is, and by which walk its value is copied (walk.ts). */
int block_panics(u64 begin, u64 end);
int block_panic_walk(u32 step);
/* What code in the program takes the reasons to wait for that the runtime numbers. */
int block_reasons(const u8 *codes, u32 count);
/* The number of a function's row of counted calls; 0: there is no room for one. */
int block_counted_row(u32 fn, u16 *number);
/* Whether anything is recorded. */
int block_recording(int is_on);
/* Whether calls are recorded where a switch decides it. */
void block_switch(u32 number, int is_on);

#endif
