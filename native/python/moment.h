/* What can be named where a call begins or returns. */
#ifndef STROBE_PYTHON_MOMENT_H
#define STROBE_PYTHON_MOMENT_H

#include "api.h"

/* A frame of the interpreter. */
struct frame {
  object *own, *code;
  object *const *locals; /* null: not known */
  object *globals;       /* the same */
};

struct moment {
  const struct frame *frame;
  object *const *arguments; /* null where one is not set */
  u32 count;
  object *result; /* null: there is none */
};

/* The frame whose memory begins there, by the members that offsets.h says. */
static inline struct frame frame_at(object *own, object *code) {
  return (struct frame){own, code, &GET(own, frame_locals, object *),
                        GET(own, frame_globals, object *)};
}

/* From 3.14 on the lowest bits of what a frame has say how it is counted. */
static inline object *untagged(object *of) { return (object *)((uintptr_t)of & ~3ul); }

#endif
