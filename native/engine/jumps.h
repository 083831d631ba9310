/* Jumps out of calls (longjmp). */
#ifndef STROBE_JUMPS_H
#define STROBE_JUMPS_H

#include "cpu.h"

/* A thread is about to jump, by what its first argument points to. */
void jumps_note(const struct saved *saved);

#endif
