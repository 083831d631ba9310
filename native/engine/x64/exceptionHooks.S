/* The entries of hooked functions of the unwinder, see ../exceptions.h: all registers are saved and
 * handed to `exception_note`, then the displaced original goes on with them and with its caller's
 * return address. EXCEPTION_HOOK_BYTES each. */
#include "../cpu.h"
.intel_syntax noprefix
#include "saves.inc"
#define FIRST_HOOK (RECORD_MAX_FUNCTIONS - RECORD_MAX_TAPS - EXCEPTION_MAX_HOOKS)

.text
.balign EXCEPTION_HOOK_BYTES
.globl exception_hooks
.hidden exception_hooks
.type exception_hooks, @function
exception_hooks:
.set number, 0
.rept EXCEPTION_MAX_HOOKS
  .balign EXCEPTION_HOOK_BYTES
  .cfi_startproc
  SAVE rdi
  SAVE rsi
  SAVE rdx
  SAVE rcx
  SAVE r8
  SAVE r9
  SAVE rax
  SAVE rbp
  SAVE rbx
  SAVE r12
  SAVE r13
  SAVE r14
  SAVE r15
  mov rdi, rsp
  mov esi, FIRST_HOOK + number
  call exception_note
  LOAD r15
  LOAD r14
  LOAD r13
  LOAD r12
  LOAD rbx
  LOAD rbp
  LOAD rax
  LOAD r9
  LOAD r8
  LOAD rcx
  LOAD rdx
  LOAD rsi
  LOAD rdi
  jmp [rip + engine_targets + 8 * (FIRST_HOOK + number)]
  .cfi_endproc
.set number, number + 1
.endr
.size exception_hooks, . - exception_hooks
.section .note.GNU-stack, "", @progbits
