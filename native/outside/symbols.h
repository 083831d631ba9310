/* Functions of C by the program's symbols, and what its code jumps to. */
#ifndef STROBE_OUTSIDE_SYMBOLS_H
#define STROBE_OUTSIDE_SYMBOLS_H

#include "../engine/types.h"

struct symbol {
  u64 address, size;
  u8 is_part; /* of a function: what is seldom needed is put elsewhere */
};

/* One of a function. */
void symbols_add(u64 address, u64 size, const char *name);
/* Behind the last one: the program's code is in memory at from .. to - 1. */
void symbols_ready(u64 from, u64 to);
/* The one that holds an address; null: none is known. */
const struct symbol *symbols_at(u64 address);
/* The last one that begins before an address. */
const struct symbol *symbols_before(u64 address);
/* Where the next one behind an address begins; 0: there is none. */
u64 symbols_next(u64 address);
/* Whether a jump or call of four bytes leads to from .. to - 1, wherever it is. Bytes that look
 * like one count. */
int symbols_lead_to(u64 from, u64 to);

#endif
