/* What the engine of this process is asked for: native/engine/dynamic.c and definitions.c. */
#ifndef STROBE_PYTHON_ENGINE_H
#define STROBE_PYTHON_ENGINE_H

#include "../engine/record.h"
#include "api.h"

/* X(result, name, parameters) */
#define ALL_FUNCTIONS_OF_ENGINE(X)                                                         \
  X(u32, define, (u32 kind, u32 language, u32 line, const u8 *fields, u32 bytes))          \
  X(u32, takes, (u32 kind, u32 function, u64 activation))                                  \
  X(void, record, (u32 kind, u32 function, u64 activation, const u64 *words, u32 count))   \
  X(u32, passes, (u32 kind, u32 function, u64 activation, const u64 *words, u32 count))    \
  X(u32, counts, (u32 function, u64 activation))                                           \
  X(u32, ignores, (u64 activation))                                                        \
  X(u32, set_share, (u32 function, u32 every))                                             \
  X(u32, waits, (u32 function, u64 activation, const u64 *words, u32 count, u64 least_ns)) \
  X(u32, ends, (u32 function, u64 activation, u32 is_met, u64 least_ns))                   \
  X(u32, read, (void *to, u64 from, u32 length))                                           \
  X(u32, is_recording, (void))                                                             \
  X(void, switch_recording, (u32 is_on))                                                   \
  X(void, on_crash, (void (*tell)(void)))

struct engine {
#define FUNCTION(result, name, parameters) result(*name) parameters;
  ALL_FUNCTIONS_OF_ENGINE(FUNCTION)
#undef FUNCTION
};

extern struct engine engine;

/* Finds the loaded engine by its `path`. Returns whether it is loaded. */
int engine_find(const char *path);

#endif
