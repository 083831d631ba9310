/* The program's memory, read where an argument leads; see reads.c. */
#ifndef STROBE_READS_H
#define STROBE_READS_H

#include "cpu.h"
#include "rings.h"

/* As read_safely, and cheap where it was read shortly before. For threads of the program only. */
u64 read_quickly(void *to, u64 from, u64 length);
/* The same up to the first NUL, or a few bytes beyond it, at most `most` bytes. Returns how many
 * were copied. */
u32 read_text_quickly(u8 *to, u64 from, u32 most);

/* Of what that has copied: the place of the NUL, or `count`. There is room for whole words. */
static inline u32 text_length(const u64 *text, u32 count) {
  for (u32 at = count > 8 ? (count - 8) & ~7u : 0; at < count; at += 8) {
    u64 word = text[at / 8], zeros = (word - 0x0101010101010101) & ~word & 0x8080808080808080;
    if (!zeros) continue;
    u32 length = at + (u32)__builtin_ctzl(zeros) / 8;
    return length < count ? length : count;
  }
  return count;
}

/* The same of memory that is the program's from its start to its end (its own data, its threads'):
 * whether it is there is not asked before. */
u64 read_own(void *to, u64 from, u64 length);
/* The same of at most a word, of which the bytes beyond `length` may be anything. Returns whether
 * it was read. */
int read_own_word(u64 *word, u64 from, u64 length);
/* Once in a process. */
void reads_start(void);
/* The program makes a userfaultfd: whoever touches a page that is not there may wait for the very
 * thread that captures. What is not in memory is not read from now on. */
void reads_may_wait(void);

/* The kernel's handler of SIGSEGV and SIGBUS that asks `reads_recover`, once it is in place. */
void reads_set_handler(u64 handler);
/* From that handler, before anything else: the fault was a read of ours, and is undone. `pc`: where
 * the thread goes on. */
int reads_recover(u64 *pc);
enum { READS_UNKNOWN, READS_ASKING, READS_DIRECTLY, READS_AT_ONCE_NEXT, READS_AT_ONCE };
/* READS_AT_ONCE_NEXT where the processor has transactions, else READS_UNKNOWN. */
extern u32 reads_first;

/* Cycles of a turn, in which a page that was read is known to be there: some milliseconds. */
#define TURN_SHIFT 24

/* Around the reads of one event: the thread's signals are asked for at the first, and handlers that
 * come between, or jump away, leave nothing behind that would hold for another event. */
static inline void reads_begin(void) {
  engine_thread.reads = READS_UNKNOWN;
  engine_thread.turn = 0;
}
/* The same for the reads of an event of this time: from the first one on that is not sure to be
 * there, they are one transaction where there are some. What is written in between goes to the
 * caller's stack alone. Where it fails that read is here again, and those behind it, as if there
 * were none. */
static inline void reads_begin_at_once(u64 time) {
  engine_thread.turn = (u32)(turns(time) >> TURN_SHIFT);
  engine_thread.reads = reads_first;
}

static inline void reads_end(void) {
  if (engine_thread.reads == READS_AT_ONCE) transaction_ends();
  engine_thread.reads = READS_UNKNOWN;
}

#endif
