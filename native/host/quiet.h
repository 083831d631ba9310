#pragma once
#include "held.h"

/*
 * A signal to a process goes to any of its threads that does not block it (signal(7)): one that all
 * of the program's block would end it in a thread of Frida's. Threads begin with the mask of the
 * one that makes them, and all of Frida's descend from the calls that it has a thread of the
 * program run: during these that thread blocks all signals but those that Frida's own threads have
 * to take.
 */

/* It is stopped, and about to run such a call. */
void quiet_begin(struct held *held);

/* It is stopped, and at home again: it blocks what the program has it block. */
void quiet_end(struct held *held);
