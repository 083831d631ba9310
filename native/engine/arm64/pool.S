/* The thunks and the code they share: frame insertion, as in ../x64/pool.S.
 *
 * A thunk is 32 bytes: is the hook on? no: go to the displaced original; yes: go to engine_enter with the
 * function number in w17. x16 and x17 hold nothing at an entry (AAPCS64 §6.1.1); every other register is kept,
 * and the flags are. Vector registers are not touched: all that runs between the program's instructions is
 * compiled for general registers only, and x18 is the platform's.
 *
 * Entries and returns are recorded by ../ring.c alone. */
#include "../cpu.h"
#include "../plan.h"
#include "../rings.h"
#include "../tables.inc"

.macro ADDRESS register, symbol
  adrp \register, \symbol
  add \register, \register, :lo12:\symbol
.endm

.text
.balign 4096
.globl engine_thunks
.hidden engine_thunks
.type engine_thunks, %function
engine_thunks:
  .cfi_startproc
.set number, 0
.rept RECORD_MAX_FUNCTIONS
  .balign 32
  adrp x16, engine_flags + number
  ldrb w16, [x16, :lo12:engine_flags + number]
  cbnz w16, 1f
  adrp x16, engine_targets + 8 * number
  ldr x16, [x16, :lo12:engine_targets + 8 * number]
  br x16
1:
  movz w17, number
  b engine_enter
.set number, number + 1
.endr
  .cfi_endproc
.size engine_thunks, . - engine_thunks

/* struct registers; neither changes x16. */
.macro SAVE_ALL
  sub sp, sp, REGISTERS_BYTES
  stp d0, d1, [sp]
  stp d2, d3, [sp, 16]
  stp d4, d5, [sp, 32]
  stp d6, d7, [sp, 48]
  stp x0, x1, [sp, 64]
  stp x2, x3, [sp, 80]
  stp x4, x5, [sp, 96]
  stp x6, x7, [sp, 112]
  stp x8, x9, [sp, 128]
  stp x10, x11, [sp, 144]
  stp x12, x13, [sp, 160]
  stp x14, x15, [sp, 176]
  mrs x17, nzcv
  str x17, [sp, 192]
.endm
.macro RESTORE_ALL
  ldr x17, [sp, 192]
  msr nzcv, x17
  ldp x0, x1, [sp, 64]
  ldp x2, x3, [sp, 80]
  ldp x4, x5, [sp, 96]
  ldp x6, x7, [sp, 112]
  ldp x8, x9, [sp, 128]
  ldp x10, x11, [sp, 144]
  ldp x12, x13, [sp, 160]
  ldp x14, x15, [sp, 176]
  add sp, sp, REGISTERS_BYTES
.endm

.globl engine_enter, engine_return, engine_return_stack
.hidden engine_enter, engine_return, engine_return_stack
.balign 64
.type engine_enter, %function
engine_enter:
  .cfi_startproc
  .cfi_personality 0x9b, engine_personality_pointer
  sub sp, sp, FRAME_BYTES
  .cfi_def_cfa_offset FRAME_BYTES
  stp x29, x30, [sp, FRAME_RECORD]
  .cfi_offset 29, -16
  .cfi_offset 30, -8
  add x29, sp, FRAME_RECORD
  .cfi_def_cfa 29, FRAME_BYTES - FRAME_RECORD
  str w17, [sp, FRAME_FUNCTION]
  ADDRESS x16, engine_targets
  ldr x16, [x16, w17, uxtw 3]
  str x16, [sp, FRAME_TARGET]
  str x8, [sp, FRAME_RESULT]
  ADDRESS x16, engine_plan_words
  ldr w16, [x16, w17, uxtw 2]
  str w16, [sp, FRAME_FUNCTION + 4]
  tbnz w16, 28, with_stack /* PLAN_STACK */
  SAVE_ALL
  mov x0, sp
  add x1, sp, REGISTERS_BYTES
  mov x2, 0
  bl ring_enter
  mov w16, w0
  RESTORE_ALL
  cbnz w16, reuse_frame
  ldr x16, [sp, FRAME_TARGET]
  blr x16
engine_return:
  SAVE_ALL
  mov x0, sp
  add x1, sp, REGISTERS_BYTES
  bl call_ends
  RESTORE_ALL
  .cfi_remember_state
  ldp x29, x30, [sp, FRAME_RECORD]
  .cfi_def_cfa 31, FRAME_BYTES
  .cfi_restore 29
  .cfi_restore 30
  add sp, sp, FRAME_BYTES
  .cfi_def_cfa_offset 0
  ret
  .cfi_restore_state

/* Stack arguments: the frame is held by x29, and STACK_COPY_MAX bytes below it take the copy. */
with_stack:
  sub sp, sp, STACK_COPY_MAX
  SAVE_ALL
  mov x0, sp
  sub x1, x29, FRAME_RECORD
  add x2, sp, REGISTERS_BYTES
  bl ring_enter
  mov w16, w0
  RESTORE_ALL
  cbnz w16, 2f
  ldr x16, [x29, FRAME_TARGET - FRAME_RECORD]
  blr x16
engine_return_stack:
  sub sp, x29, FRAME_RECORD
  b engine_return
2:
  sub sp, x29, FRAME_RECORD
reuse_frame:
  ldr x16, [sp, FRAME_TARGET]
  ldp x29, x30, [sp, FRAME_RECORD]
  .cfi_def_cfa 31, FRAME_BYTES
  .cfi_restore 29
  .cfi_restore 30
  add sp, sp, FRAME_BYTES
  .cfi_def_cfa_offset 0
  br x16
  .cfi_endproc
.size engine_enter, . - engine_enter

.section .data.rel.local, "aw"
.balign 8
engine_personality_pointer: .quad engine_personality
.section .note.GNU-stack, "", %progbits
