#pragma once
#include "held.h"

/*
 * Frida runs a program from its loader's first instruction to its own, which it takes from the ELF
 * header in memory, counted from where that lies. Where the first address of a position-independent
 * program is not 0 (Go's own linker), it is another place: nothing stops there, and the byte that
 * it changes is the program's. So the header says what Frida takes it for, until Frida leaves.
 */

/* The thread of a parked program is stopped and has not begun. */
void entry_correct(struct held *held);

/* It is stopped, and about to be let go. */
void entry_restore(struct held *held);
