/* What the code in the target and the tracer that put it there agree on.
 *
 *   block = code · data · stubs · flags · rows · areas      one mapping, within 2 GB of the program
 *
 * A thread has an area of its own from its first traced call on: where its registers are kept while
 * we record, and the stack that the recording runs on. The stack of a goroutine is
 * not used: it may have no room, and is copied elsewhere as it grows. */
#ifndef STROBE_OUTSIDE_AREA_H
#define STROBE_OUTSIDE_AREA_H

#define AREA_BYTES 32768
#define AREA_VECTORS 152
#define AREA_STACK_TOP 32768
#define AREA_PROBED 8856
#define AREA_FLAGS 9176
#define AREA_BACK 9184
/* Words behind the registers that a probe has gathered. */
#define GATHERED_WORDS PROBE_MAX_GATHERED
/* Of the row of a probe in the program, in the place of captures: where its thread goes on, its
 * switch, and its number in the table of probes. */
#define PROBE_ROW_BACK ARM_OPS
#define PROBE_ROW_SWITCH (ARM_OPS + 8)
#define PROBE_ROW_INDEX (ARM_OPS + 16)
/* Bytes below its stack pointer that a function of C may use. */
#define RED_ZONE 128
/* That are set at a time, and rows that a function number may have had before. */
#define MOST_PROBES 4096

/* A word of a thread's block: the last of runtime.m.tls, which Go's runtime does not use; where
 * there is a C library (C, cgo) one that glibc and musl keep for 32-bit processors. Zero when a
 * thread is made, unless glibc uses the block of one that ended again. */
#define THREAD_WORD 0x20

#define OUTSIDE_MAGIC 0x656469737475f0u

#define SETTINGS_AREAS 24
#define SETTINGS_AREA_COUNT 32
#define SETTINGS_NEXT_AREA 36
#define SETTINGS_GOROUTINE_NUMBER 40
#define SETTINGS_OPEN 80
#define SETTINGS_FORBIDDEN 88
#define WAIT_ROW_SHIFT 5

/* Of the frame's place, in words: a stack of Go is smaller than 1 GB. */
#define FRAME_BITS 27
#define NUMBER_BITS 26
/* Of a function: all its calls are recorded, however far the reader is behind; it has a policy. */
#define WAY_WHOLE 1
#define WAY_HAS_POLICY 2
/* By which a program sets a filter of system calls: prctl(PR_SET_SECCOMP), seccomp. */
#define NUMBER_OF_PRCTL 157
#define NUMBER_OF_SECCOMP 317
#define SET_SECCOMP 22
/* Of what is forbidden: all system calls. */
#define CALLS_ALL 0x7fffffff
/* Reasons to wait that a version of Go may have. */
#define MOST_REASONS 64

#include "../../engine/types.h"
#ifndef __ASSEMBLER__

/* In the order in which Go passes integers (ABIInternal), then what else is kept. */
#define AREA_INTEGERS 9
#define AREA_FLOATS 15
#define AREA_WORDS 1024

/* Calls within each other that fill a buffer. */
#define KEPT_CALLS 8

/* The arguments that a call which fills a buffer began with, by its place in the stack. */
struct kept {
  u64 sp, buffer, through;
};

struct area {
  u64 integers[AREA_INTEGERS];
  u64 rdx, rbp, rsp, r14;
  u8 *slot; /* null before the thread's first record */
  u64 is_refused;
  u64 checked;   /* the position at which room for records is looked for again */
  u64 goroutine; /* that recorded last */
  /* Of a thread of C: its number where the library keeps it, and where in its stack it records. */
  u64 thread, records_at;
  u64 vectors[AREA_FLOATS * 2];
  /* Integer registers at the entry of a call that ends now, for conditions. */
  u64 arguments[AREA_INTEGERS];
  u64 words[AREA_WORDS];
  u64 kept_count;
  struct kept kept[KEPT_CALLS];
  /* At a statement: the registers in DWARF's order, behind them what a probe gathers of values that
   * are in several; and the flags, and where its thread goes on. */
  u64 probed[16 + GATHERED_WORDS];
  u64 flags, back;
  u64 parts; /* bits: which parts of its rings it has memory of */
  u64 calls; /* see forbid.h */
};
_Static_assert(__builtin_offsetof(struct area, probed) == AREA_PROBED &&
                   __builtin_offsetof(struct area, flags) == AREA_FLAGS &&
                   __builtin_offsetof(struct area, back) == AREA_BACK,
               "entry.S knows it");
_Static_assert(__builtin_offsetof(struct area, vectors) == AREA_VECTORS, "entry.S knows it");
/* Conditions of Go find registers as words of the area. */
_Static_assert(__builtin_offsetof(struct area, rsp) == GO_AREA_STACK_POINTER * 8 &&
                   __builtin_offsetof(struct area, vectors) == GO_AREA_VECTORS * 8 &&
                   __builtin_offsetof(struct area, arguments) == GO_AREA_ARGUMENTS * 8,
               "the words are the contract's");

/* At the beginning of the block. What the tracer fills in is behind `data`. */
struct head {
  u64 magic;
  u32 enter, leave; /* offsets of code that stubs jump to */
  u32 enter_c, leave_c, tail_c;
  u32 ways; /* by function, see policy.h */
  u32 park, resume, pass, raise, recover, open;
  u32 is_off, rows, policies;
  u32 probe, probe_claim, probe_lock, probes; /* see entry.S */
  u32 watches, watch_sets, watched, probe_c;
  u32 settings, steps;
  u32 calls_c, leaves_c;
  u32 filters, prctl_c, syscall_c;
  u32 data, end;
};

/* See panics.c. */
struct panic_settings {
  u8 *file;       /* the exception file; null: there is none */
  char path[256]; /* of it */
  u64 begin, end; /* of runtime.gopanic */
  u32 frame;      /* where in runtime._panic the address of the frame that continues is */
  u32 walk;       /* the first step of its value's walk, plus 1; 0: there is none */
};

struct settings {
  u8 *file; /* the ring file */
  u64 slot_stride;
  u32 slot_count, ring_bytes;
  u8 *areas;
  u32 area_count, next_area;
  /* Where in runtime.g they are. */
  u32 goroutine_number, creator_number;
  u32 pid;           /* as the program knows it */
  u32 thread_number; /* where in its block a thread of C has its number; 0: of Go */
  u32 has_threads;
  u32 first_bytes;            /* of the ring that a thread begins in */
  u64 image_begin, image_end; /* that are there as long as the program runs */
  u8 *open;                   /* see waits.h */
  u32 forbidden, unused;      /* as FILE_FORBIDDEN: what is not asked of the system */
  u8 *switches;               /* of everything that is hooked */
  u64 switches_bytes, block_bytes;
  struct panic_settings panics;
  struct {
    u64 begin, end;
  } calls_of_c;             /* runtime.cgocall */
  u8 reasons[MOST_REASONS]; /* PARK_REASONS by the numbers of this program's runtime */
};
_Static_assert(__builtin_offsetof(struct settings, next_area) == SETTINGS_NEXT_AREA,
               "as entry.S has it");
_Static_assert(__builtin_offsetof(struct settings, goroutine_number) == SETTINGS_GOROUTINE_NUMBER,
               "as entry.S has it");
_Static_assert(__builtin_offsetof(struct settings, open) == SETTINGS_OPEN, "as entry.S has it");
_Static_assert(__builtin_offsetof(struct settings, forbidden) == SETTINGS_FORBIDDEN,
               "as entry.S has it");

/* Hidden: there is no table of addresses by which others could be found. */
extern struct settings outside_settings __attribute__((visibility("hidden")));

#endif
#endif
