/* The memory of the process that is debugged, read and written without stopping it. */
#ifndef STROBE_STOPPER_MEMORY_H
#define STROBE_STOPPER_MEMORY_H

#include "../engine/types.h"
#include <sys/types.h>

/* Returns 0 or an error number. */
int memory_open(pid_t pid);
u32 memory_read(u64 address, void *to, u32 bytes);
/* Also where the program itself may not write. Returns 0 or an error number. */
int memory_write(u64 address, const void *from, u32 bytes);
/* The same in another process, a fork. */
u32 memory_read_in(pid_t pid, u64 address, void *to, u32 bytes);
int memory_write_in(pid_t pid, u64 address, const void *from, u32 bytes);

#endif
