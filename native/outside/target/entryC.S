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

/* The entries of prctl and of syscall, which may set a filter. Nearly all calls go on here. */
.globl outside_prctl_c, outside_syscall_c
.balign 64
outside_prctl_c:
  cmp edi, SET_SECCOMP
  je 7f
  ret
7:
  record_c outside_c_prctl
.balign 64
outside_syscall_c:
  cmp edi, NUMBER_OF_SECCOMP
  je 7f
  cmp edi, NUMBER_OF_PRCTL
  je 7f
  ret
7:
  record_c outside_c_syscall

/* A statement, where any register and flag may be in use: the stub has made room below the red zone
 * and pushed r11. The registers in DWARF's order are handed on, with that of the stack as it is
 * there. */
.globl outside_probe_c
.balign 64
outside_probe_c:
  push r15
  push r14
  push r13
  push r12
  push [rsp + 40]
  push r10
  push r9
  push r8
  lea r8, [rsp + 64 + PUSHED + RED_ZONE]
  push r8
  push rbp
  push rdi
  push rsi
  push rbx
  push rcx
  push rdx
  push rax
  lahf
  seto al
  push rax
  mov rdx, [r11 + PROBE_ROW_SWITCH]
  cmp byte ptr [rdx], 0
  je 1f
  lea rdi, [rsp + 8]
  mov rsi, r11
  mov rbx, rsp
  and rsp, -16
  call outside_c_probed
  mov rsp, rbx
1:
  pop rax
  add al, 127
  sahf
  pop rax
  pop rdx
  pop rcx
  pop rbx
  pop rsi
  pop rdi
  pop rbp
  lea rsp, [rsp + 8]
  pop r8
  pop r9
  pop r10
  lea rsp, [rsp + 8]
  pop r12
  pop r13
  pop r14
  pop r15
  ret

.section .note.GNU-stack, "", @progbits
