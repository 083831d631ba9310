/* Where stubs come from: r12 = the function's row, r13 = where the program goes on. r12, r13 and r15
 * are nobody's at a function's entry and at its return (Go's ABIInternal); flags are not kept. The
 * program's stack is not used. */
#include "area.h"
.intel_syntax noprefix

.section .text.head, "ax"
.globl outside_head
outside_head:
  .quad OUTSIDE_MAGIC
  .long outside_enter - outside_head, outside_leave - outside_head
  .long outside_enter_c - outside_head, outside_leave_c - outside_head
  .long outside_tail_c - outside_head, outside_ways - outside_head
  .long outside_park - outside_head, outside_resume - outside_head
  .long outside_open - outside_head, outside_is_off - outside_head
  .long outside_rows - outside_head, outside_policies - outside_head
  .long outside_settings - outside_head, outside_steps - outside_head
  .long outside_data - outside_head, outside_end - outside_head

.macro save_and_call function
  mov [r15], rax
  mov [r15 + 8], rbx
  mov [r15 + 16], rcx
  mov [r15 + 24], rdi
  mov [r15 + 32], rsi
  mov [r15 + 40], r8
  mov [r15 + 48], r9
  mov [r15 + 56], r10
  mov [r15 + 64], r11
  mov [r15 + 72], rdx
  mov [r15 + 80], rbp
  mov [r15 + 88], rsp
  mov [r15 + 96], r14
  test byte ptr [r12 + ARM_FLAGS], ARM_HAS_FLOATS
  jz 2f
.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
  movups [r15 + AREA_VECTORS + 16 * \n], xmm\n
.endr
2:
  lea rsp, [r15 + AREA_STACK_TOP]
  mov rdi, r15
  mov rsi, r12
  call \function
  mov rax, [r15]
  mov rbx, [r15 + 8]
  mov rcx, [r15 + 16]
  mov rdi, [r15 + 24]
  mov rsi, [r15 + 32]
  mov r8, [r15 + 40]
  mov r9, [r15 + 48]
  mov r10, [r15 + 56]
  mov r11, [r15 + 64]
  mov rdx, [r15 + 72]
  mov rbp, [r15 + 80]
  mov rsp, [r15 + 88]
  mov r14, [r15 + 96]
  jmp r13
.endm

/* Also at a return: a goroutine goes on on whatever thread there is, also on a new one. */
.macro record_by function
  mov r15, fs:[THREAD_WORD]
  test r15, r15
  jz 9f
1:
  save_and_call \function
9:
  mov r15d, 1
  lock xadd dword ptr [rip + outside_settings + SETTINGS_NEXT_AREA], r15d
  cmp r15d, dword ptr [rip + outside_settings + SETTINGS_AREA_COUNT]
  jae 8f
  shl r15, 15
  add r15, [rip + outside_settings + SETTINGS_AREAS]
  mov fs:[THREAD_WORD], r15
  jmp 1b
8:
  lock dec dword ptr [rip + outside_settings + SETTINGS_NEXT_AREA]
  mov r15, [rip + outside_settings]
  lock inc qword ptr [r15 + FILE_LOST_NO_RING]
  jmp r13
.endm

.text
.balign 64
outside_enter:
  record_by outside_entered

.balign 64
outside_leave:
  record_by outside_left

/* Returns at once where the goroutine has no calls that are recorded: most threads and goroutines
 * wait more often than they are traced, and take no area for it. */
.macro unless_open
  mov r15d, dword ptr [rip + outside_settings + SETTINGS_GOROUTINE_NUMBER]
  movzx r15d, word ptr [r14 + r15]
  shl r15d, WAIT_ROW_SHIFT
  add r15, [rip + outside_settings + SETTINGS_OPEN]
  cmp qword ptr [r15], 0
  jne 7f
  jmp r13
7:
.endm

.balign 64
outside_park:
  unless_open
  record_by outside_parked

.balign 64
outside_resume:
  unless_open
  record_by outside_resumed

.section .note.GNU-stack, "", @progbits
