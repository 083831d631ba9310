/* Where the island of a statement leads, see ../probe.h. The island has made room below the red zone
 * and pushed its number; all registers and the flags are kept, and their places are told, so that
 * an unwinder that comes here meets the function as it was. The instruction that would come next is
 * written down as what is returned to. */
#include "../cpu.h"
.intel_syntax noprefix

.macro KEEP register
  push \register
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset \register, 0
.endm
.macro TAKE register
  pop \register
  .cfi_adjust_cfa_offset -8
  .cfi_restore \register
.endm

.text
.balign 64
.globl engine_probe
.hidden engine_probe
.type engine_probe, @function
engine_probe:
  .cfi_startproc
  .cfi_signal_frame
  .cfi_def_cfa rsp, PROBE_ROOM
  push 0
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset rip, 0
  KEEP r15
  KEEP r14
  KEEP r13
  KEEP r12
  KEEP r11
  KEEP r10
  KEEP r9
  KEEP r8
  push 0
  .cfi_adjust_cfa_offset 8
  KEEP rbp
  KEEP rdi
  KEEP rsi
  KEEP rbx
  KEEP rcx
  KEEP rdx
  KEEP rax
  lahf
  seto al
  push rax
  .cfi_adjust_cfa_offset 8
  lea rdi, [rsp + 8]
  mov esi, [rdi + PROBE_NUMBER]
  lea rax, [rdi + PROBE_NUMBER + PROBE_ROOM]
  mov [rdi + 8 * CPU_STACK_POINTER], rax
  call probe_hit
  mov [rsp + 8 + PROBE_BACK], rax
  pop rax
  .cfi_adjust_cfa_offset -8
  add al, 127
  sahf
  TAKE rax
  TAKE rdx
  TAKE rcx
  TAKE rbx
  TAKE rsi
  TAKE rdi
  TAKE rbp
  lea rsp, [rsp + 8]
  .cfi_adjust_cfa_offset -8
  TAKE r8
  TAKE r9
  TAKE r10
  TAKE r11
  TAKE r12
  TAKE r13
  TAKE r14
  TAKE r15
  lea rsp, [rsp + 8]
  .cfi_adjust_cfa_offset -8
  jmp [rsp - 8]
  .cfi_endproc
.size engine_probe, . - engine_probe
.section .note.GNU-stack, "", @progbits
