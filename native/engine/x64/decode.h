/* Lengths and control flow of x86-64 instructions: what relocation needs and no more. */
#ifndef STROBE_DECODE_H
#define STROBE_DECODE_H

#include "../types.h"

enum flow {
  FLOW_NEXT,          /* goes on behind itself */
  FLOW_CALL,          /* call rel32 */
  FLOW_CALL_INDIRECT, /* call r/m */
  FLOW_JUMP,          /* jmp rel8 or rel32 */
  FLOW_BRANCH,        /* jcc rel8 or rel32 */
  FLOW_LOOP,          /* loop, jrcxz, xbegin: short relative, not widened */
  FLOW_END,           /* ret, jmp r/m, ud2, hlt, int3: nothing follows */
  FLOW_SYSTEM         /* int n, syscall, sysenter */
};

struct instruction {
  u8 length;
  u8 flow;
  u8 condition;     /* of FLOW_BRANCH: low four bits of the opcode */
  u8 rip_offset;    /* where the rip-relative disp32 lies, 0 when there is none */
  u8 is_padding;    /* nop in any form; endbr64 is not padding */
  u8 is_breakpoint; /* int3, but for a compiler's trap, which goes on with ud2 */
  u8 opcode;        /* where it lies, behind the prefixes */
  u8 modrm;         /* where it lies, 0 when there is none */
  u64 target;       /* of relative calls, jumps and branches */
};

/* Decodes the bytes at `code` (`room` of them readable) as if they lay at `address`. Returns 0
 * when they are no valid instruction. */
int decode(const u8 *code, u64 room, u64 address, struct instruction *out);

#endif
