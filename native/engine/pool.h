/* What C code needs of pool.S: places in its code, none of which is called from here. */
#ifndef STROBE_POOL_H
#define STROBE_POOL_H

#include "cpu.h"

extern u8 engine_thunks[];
/* 2^n bytes of thunk. */
#define THUNK_BYTES 32

/* The frame of ours that a tail call came out of, or null. */
static inline struct frame *frame_above(const struct frame *frame);

#if defined(__x86_64__)
#include "x64/pool.h"
#endif

#endif
