/* What is put into the program: code that records, a stub for each site, and the memory of both
 * (target/area.h). */
#ifndef STROBE_OUTSIDE_BLOCK_H
#define STROBE_OUTSIDE_BLOCK_H

#include "image.h"
#include "sites.h"

struct options {
  const char *code_path; /* of what target/ was built to */
  const char *ring_path;
  u32 slot_count, ring_bytes;
  u32 goroutine_number, creator_number;
  u32 thread_number; /* of a program of C: where a thread has its number; else 0 */
};

/* With all threads stopped: takes memory in the program and the ring file with it. Returns 0 or an
 * error number. */
int block_put(pid_t pid, const struct image *image, const struct options *options);
int block_is_there(void);
/* Tells the reader that hooks were removed. */
void block_removed(void);
/* Writes the cycle counter and CLOCK_MONOTONIC down together, once more. Also in a signal handler.
 */
void block_clock(void);
/* Steps of walks, from index `first` on. */
int block_steps(u32 first, const u8 *table, u32 count);

#define MOST_MOVES 24

/* A stub for a site: where it begins, and where instructions of the site's that are behind its
 * first continue. */
struct stub {
  u64 address;
  u32 moves;
  u64 from[MOST_MOVES], to[MOST_MOVES];
};

/* Where the row of a function is (armEntry); 0: there is no room. */
u64 block_row(const u8 *row);
/* Makes the stub of a site; `number` is that of a switch, `is_wait`: goroutines wait by it. Returns
 * a VERDICT_ code. */
u32 block_stub(const u8 *code, const struct site *site, u32 number, int is_wait, u64 row,
               struct stub *stub);
/* Writes stubs, rows and switches as they are now. Returns 0 or an error number. */
int block_flush(void);
/* What code in the program takes the reasons to wait for that the runtime numbers. */
int block_reasons(const u8 *codes, u32 count);
/* Of a function, WAY_…; the number of its row of counted calls, 0: there is no room for one; and
 * its policy, a policyEntry row as target/policy.c has it. */
int block_way(u32 fn, u8 way);
int block_counted_row(u32 fn, u16 *number);
int block_policy(u32 number, const u8 *row);
/* Whether anything is recorded. */
int block_recording(int is_on);
/* Whether calls are recorded where a switch decides it. */
void block_switch(u32 number, int is_on);

#endif
