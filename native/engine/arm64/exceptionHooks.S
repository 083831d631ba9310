/* The entries of hooked functions of the unwinder, see ../exceptions.h: all registers are saved and
 * handed to `exception_note`, then the displaced original goes on with them and with its caller's
 * return address. EXCEPTION_HOOK_BYTES each. */
#include "../cpu.h"
#define FIRST_HOOK (RECORD_MAX_FUNCTIONS - RECORD_MAX_TAPS - EXCEPTION_MAX_HOOKS)
#define SAVED_BYTES 256 /* struct saved */

.text
.balign EXCEPTION_HOOK_BYTES
.globl exception_hooks
.hidden exception_hooks
.type exception_hooks, %function
exception_hooks:
.set number, 0
.rept EXCEPTION_MAX_HOOKS
  .balign EXCEPTION_HOOK_BYTES
  .cfi_startproc
  sub sp, sp, SAVED_BYTES
  .cfi_def_cfa_offset SAVED_BYTES
  stp x0, x1, [sp]
  stp x2, x3, [sp, 16]
  stp x4, x5, [sp, 32]
  stp x6, x7, [sp, 48]
  stp x8, x9, [sp, 64]
  stp x10, x11, [sp, 80]
  stp x12, x13, [sp, 96]
  stp x14, x15, [sp, 112]
  stp x16, x17, [sp, 128]
  stp x18, x19, [sp, 144]
  stp x20, x21, [sp, 160]
  stp x22, x23, [sp, 176]
  stp x24, x25, [sp, 192]
  stp x26, x27, [sp, 208]
  stp x28, x29, [sp, 224]
  str x30, [sp, 240]
  .cfi_offset 30, -16
  mov x0, sp
  mov w1, FIRST_HOOK + number
  bl exception_note
  ldr x30, [sp, 240]
  .cfi_restore 30
  ldp x14, x15, [sp, 112]
  ldp x12, x13, [sp, 96]
  ldp x10, x11, [sp, 80]
  ldp x8, x9, [sp, 64]
  ldp x6, x7, [sp, 48]
  ldp x4, x5, [sp, 32]
  ldp x2, x3, [sp, 16]
  ldp x0, x1, [sp]
  add sp, sp, SAVED_BYTES
  .cfi_def_cfa_offset 0
  adrp x16, engine_targets + 8 * (FIRST_HOOK + number)
  ldr x16, [x16, :lo12:engine_targets + 8 * (FIRST_HOOK + number)]
  br x16
  .cfi_endproc
.set number, number + 1
.endr
.size exception_hooks, . - exception_hooks
.section .note.GNU-stack, "", %progbits
