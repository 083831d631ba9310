/* Room for code of ours in the files that are mapped: what the last page of a file's code holds
 * behind it. No code of the program lies there, and what addresses memory by its place reaches the
 * same from there. */
#ifndef STROBE_STOPPER_CAVES_H
#define STROBE_STOPPER_CAVES_H

#include "../engine/types.h"
#include <sys/types.h>

#define CAVE_PLACE_BYTES 32
#define CAVE_PLACES 64

struct cave {
  u64 code, code_end; /* whose it is */
  u64 at;
  u32 places;
};

void caves_begin(pid_t pid);
/* That of the file whose code an address is, or null. */
const struct cave *cave_of(u64 address);

#endif
