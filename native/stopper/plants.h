/* The int3s that stand in the program, each for one or several who want to know who comes there. */
#ifndef STROBE_STOPPER_PLANTS_H
#define STROBE_STOPPER_PLANTS_H

#include "../engine/types.h"
#include <sys/types.h>

/* Returns 0 or an error number: EEXIST where another debugger's, or the program's own, stands. */
int plant(u64 address);
void unplant(u64 address);
int is_planted(u64 address);
/* Code as it would be without them. Returns how many bytes could be read. */
u32 code_read(u64 address, u8 *to, u32 bytes);
/* Takes one out for as long as one thread needs it, and puts it back. */
void plant_lift(u64 address);
void plant_return(u64 address);
/* Takes out of a fork's memory those that do not stay there. Returns how many stay. */
u32 plants_lift_in(pid_t pid, int (*stays)(u64 address));
void plant_lift_in(pid_t pid, u64 address);
/* The last that is done. */
void plants_lift_all(void);

#endif
