/* The table of int3s that the engine has in the program (../engine/traps.h): what the program takes
 * out itself when this process was killed. */
#ifndef STROBE_STOPPER_TABLE_H
#define STROBE_STOPPER_TABLE_H

#include "../engine/types.h"
#include <sys/types.h>

#define BREAKPOINT_BYTE 0xcc

/* Finds the table of an engine, by its file, and takes out what a stopper before us left. Returns
 * whether there is one. */
int table_open(pid_t pid, const char *engine_path);
/* Who meets an int3 waits for so many ns from now on; 0: no longer. */
void table_expect(u64 ns);
/* Notes an int3 before it is written, and forgets it when it is out. Returns 0 or an error number.
 */
int table_note(u64 address, u8 original);
void table_forget(u64 address);

#endif
