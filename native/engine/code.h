/* Jumps between the program's code and islands. */
#ifndef STROBE_CODE_H
#define STROBE_CODE_H

#include "cpu.h"

/* The jump that stands at a hooked function. */
void code_jump(u64 address, u64 island, u8 jump[JUMP_BYTES]);
/* Whether a debugger's breakpoint stands in the jump. */
int code_has_breakpoint(const u8 jump[JUMP_BYTES], const u8 found[JUMP_BYTES]);
/* Whether it begins with a jump: another tool that puts one over ours keeps ours as the function's
 * first bytes. */
int code_is_jump(const u8 found[JUMP_BYTES]);
/* Where the jump leads that displaced code at `pc` goes back by; 0 when another instruction is
 * there. */
u64 code_goes_back(u64 pc);
/* The first ISLAND_HEAD bytes of an island. */
void code_head(u8 *island, u64 thunk);
/* The same of a statement's, which has PROBE_ROOM of the stack taken, and the first PROBE_LEAVE
 * bytes of what it displaces, which give that back. */
void code_probe_head(u8 *island, u32 number, u64 entry);
void code_probe_leave(u8 *code);
/* Makes a function whose first JUMP_BYTES are given return at once. */
void code_return(u8 bytes[JUMP_BYTES]);
/* Puts JUMP_BYTES in the place of others, while no thread runs in the program's code. One that was
 * waiting in a system call may come back meanwhile. */
void code_write(u8 *at, const u8 *bytes);

#endif
