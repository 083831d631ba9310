/* Where stubs of C come from: by a call, r11 = the function's row, r11 of the program pushed before.
 * The program's stack is used, of which nothing below its pointer is in use at a function's entry
 * and at its end: a signal may come at any time, and its handler may jump away. Every general
 * register is kept, flags are not; the code behind uses no others. */
#include "area.h"
.intel_syntax noprefix

#define REGISTERS_BYTES 144
/* Back to the stub, and its r11. */
#define PUSHED 16

/* struct registers */
.macro record_c function
  sub rsp, REGISTERS_BYTES
  mov [rsp + 64], rdi
  mov [rsp + 72], rsi
  mov [rsp + 80], rdx
  mov [rsp + 88], rcx
  mov [rsp + 96], r8
  mov [rsp + 104], r9
  mov [rsp + 120], r10
  mov [rsp + 128], rax
  mov [rsp + 136], rbx
.irp n, 0, 1, 2, 3, 4, 5, 6, 7
  movq [rsp + 8 * \n], xmm\n
.endr
  mov rdi, rsp
  mov rsi, r11
  lea rdx, [rsp + REGISTERS_BYTES + PUSHED]
  mov rbx, rsp
  and rsp, -16
  call \function
  mov rsp, rbx
  mov rdi, [rsp + 64]
  mov rsi, [rsp + 72]
  mov rdx, [rsp + 80]
  mov rcx, [rsp + 88]
  mov r8, [rsp + 96]
  mov r9, [rsp + 104]
  mov r10, [rsp + 120]
  mov rax, [rsp + 128]
  mov rbx, [rsp + 136]
  add rsp, REGISTERS_BYTES
  ret
.endm

.text
.globl outside_enter_c, outside_leave_c, outside_tail_c
.balign 64
outside_enter_c:
  record_c outside_c_entered
.balign 64
outside_leave_c:
  record_c outside_c_left
.balign 64
outside_tail_c:
  record_c outside_c_passed_on

.section .note.GNU-stack, "", @progbits
