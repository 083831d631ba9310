/* The memory that is taken in the program (target/area.h): code that records, stubs, their rows and
 * switches. */
#ifndef STROBE_OUTSIDE_BLOCK_H
#define STROBE_OUTSIDE_BLOCK_H

#include "image.h"

#define STUB_BYTES (16ul << 20)

struct head;

struct options {
  const char *code_path; /* of what target/ was built to */
  const char *ring_path;
  const char *exceptions_path; /* null: panics are not recorded */
  u32 slot_count, ring_bytes;
  u32 goroutine_number, creator_number, panic_frame;
  u32 thread_number; /* of a program of C: where a thread has its number; else 0 */
};

/* With all threads stopped: takes memory in the program and the ring file with it; that of a block
 * which an earlier tracer left, if one of `dead`, which nothing uses, is of our kind. Returns 0 or
 * an error number. */
int block_put(pid_t pid, const struct image *image, const struct options *options, const u64 *dead,
              u32 dead_count);
int block_is_there(void);
/* Where it is, and what is where in it (target/area.h). */
u64 block_address(void);
const struct head *block_head(void);
/* Where the stubs of a block that begins there are, STUB_BYTES of them. */
u64 block_stubs_of(u64 at, const struct head *head);
/* Whether the program is one of C, not of Go. */
int block_is_c(void);
/* Tells the reader that hooks were removed. */
void block_removed(void);
/* Writes the cycle counter and CLOCK_MONOTONIC down together, once more. Also in a signal handler.
 */
void block_clock(void);
/* Steps of walks, from index `first` on. */
int block_steps(u32 first, const u8 *table, u32 count);

/* Where the row of a function is (armEntry); 0: there is no room. */
u64 block_row(const u8 *row);
/* Where a stub of at most `bytes` may begin; 0: there is no room. */
u64 block_stub_place(u32 bytes);
/* Keeps a stub that begins there. */
void block_stub(u64 at, const u8 *bytes, u32 count);
/* With all threads stopped: whether one is in code that was put into the program. */
int block_is_used(void);
/* Writes stubs, rows and switches as they are now. Returns 0 or an error number. */
int block_flush(void);
/* Where runtime.gopanic is, and by which walk its value is copied (walk.ts). */
int block_panics(u64 begin, u64 end);
int block_panic_walk(u32 step);
/* Where runtime.cgocall is. */
int block_calls_of_c(u64 begin, u64 end);
/* What code in the program takes the reasons to wait for that the runtime numbers. */
int block_reasons(const u8 *codes, u32 count);
/* The number of a function's row of counted calls; 0: there is no room for one. */
int block_counted_row(u32 fn, u16 *number);
/* Whether anything is recorded. */
int block_recording(int is_on);
/* The address of a switch. */
u64 block_switch_place(u32 number);
/* Whether calls are recorded where a switch decides it. */
void block_switch(u32 number, int is_on);

#endif
