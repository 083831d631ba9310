/* Copies that a fault or another thread may end, for reads.c alone. Each processor adds:
 *
 *   copy_at_once, copy_text_at_once      the same in a transaction; -1 where it did not come to its
 *                                        end
 *   processor_has_transactions
 *   transaction_begins                   until transaction_ends (cpu.h) nothing but the caller's
 *                                        stack is written; where it fails it has not begun */
#ifndef STROBE_COPIES_H
#define STROBE_COPIES_H

/* At most `length` bytes (a word: eight); they return how many, the last up to a NUL or a few bytes
 * beyond it; -1 at a fault, whose handler continues at copies_failed when it came before
 * copies_end. */
extern long copy_directly(void *to, u64 from, u64 length) __attribute__((visibility("hidden")));
extern long copy_word_directly(void *to, u64 from) __attribute__((visibility("hidden")));
extern long copy_text_directly(void *to, u64 from, u64 length)
    __attribute__((visibility("hidden")));
extern u8 copies_end[] __attribute__((visibility("hidden")));
extern u8 copies_failed[] __attribute__((visibility("hidden")));

#if defined(__x86_64__)
#include "x64/copies.h"
#endif

#endif
