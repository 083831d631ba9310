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
  .long outside_pass - outside_head, outside_raise - outside_head
  .long outside_recover - outside_head
  .long outside_open - outside_head, outside_is_off - outside_head
  .long outside_rows - outside_head, outside_policies - outside_head
  .long outside_probe - outside_head, outside_probe_claim - outside_head
  .long outside_probe_lock - outside_head, outside_probes - outside_head
  .long outside_watches - outside_head, outside_watch_sets - outside_head
  .long outside_watched - outside_head, outside_probe_c - outside_head
  .long outside_settings - outside_head, outside_steps - outside_head
  .long outside_calls_c - outside_head, outside_leaves_c - outside_head
  .long outside_filters - outside_head, outside_prctl_c - outside_head
  .long outside_syscall_c - outside_head
  .long outside_data - outside_head, outside_end - outside_head

/* What C preserves (rbx, rbp, r12 to r15) is as it was. */
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
  mov rcx, [r15 + 16]
  mov rdi, [r15 + 24]
  mov rsi, [r15 + 32]
  mov r8, [r15 + 40]
  mov r9, [r15 + 48]
  mov r10, [r15 + 56]
  mov r11, [r15 + 64]
  mov rdx, [r15 + 72]
  mov rsp, [r15 + 88]
  jmp r13
.endm

/* Also at a return: a goroutine continues on whatever thread there is, also on a new one. `otherwise`:
 * where no area is left for that. */
.macro record_by function, otherwise=outside_without_area
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
  jmp \otherwise
.endm

.text
outside_without_area:
  mov r15, [rip + outside_settings]
  lock inc qword ptr [r15 + FILE_LOST_NO_RING]
  jmp r13

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

.balign 64
outside_calls_c:
  unless_open
  record_by outside_called_c

.balign 64
outside_leaves_c:
  unless_open
  record_by outside_back_from_c

/* Nothing is recorded there. */
outside_pass:
  jmp r13

.balign 64
outside_raise:
  record_by outside_raised

/* rax: the type of what was recovered, 0 where nothing was; or the panic that ends the program. */
.balign 64
outside_recover:
  test rax, rax
  jne 7f
  jmp r13
7:
  record_by outside_recovered

/* rax: the number of a system call, rbx, rcx, rdi, rsi: what it is passed. Nearly all go on here. */
.balign 64
outside_filters:
  cmp eax, NUMBER_OF_SECCOMP
  je 7f
  cmp eax, NUMBER_OF_PRCTL
  jne 6f
  cmp ebx, SET_SECCOMP
  je 7f
6:
  jmp r13
7:
  record_by outside_filter_comes, 5f
/* Which of our calls it forbids cannot be looked at. */
5:
  mov r15, [rip + outside_settings]
  lock or dword ptr [r15 + FILE_FORBIDDEN], CALLS_ALL
  lock or dword ptr [rip + outside_settings + SETTINGS_FORBIDDEN], CALLS_ALL
  jmp r13

/* Statements, where any register and flag may be in use: rcx = the thread's area, rax = the row of
 * the probe. What rcx was is in the thread's word, what rax was in the area. Ends in the stub, where
 * rcx is exchanged with that word again. */
.balign 64
outside_probe:
  mov [rcx + AREA_PROBED + 8], rdx
  mov rdx, fs:[THREAD_WORD]
  mov fs:[THREAD_WORD], rcx
  mov [rcx + AREA_PROBED + 16], rdx
  mov [rcx + AREA_PROBED + 24], rbx
  mov [rcx + AREA_PROBED + 32], rsi
  mov [rcx + AREA_PROBED + 40], rdi
  mov [rcx + AREA_PROBED + 48], rbp
  mov [rcx + AREA_PROBED + 56], rsp
.irp n, 8, 9, 10, 11, 12, 13, 14, 15
  mov [rcx + AREA_PROBED + 8 * \n], r\n
.endr
  mov rbx, rcx
  mov r12, rax
  lahf
  seto al
  mov [rbx + AREA_FLAGS], rax
  mov rdx, [r12 + PROBE_ROW_SWITCH]
  cmp byte ptr [rdx], 0
  je 2f
  mov [rbx + 88], rsp
  mov [rbx + 96], r14
  test byte ptr [r12 + ARM_FLAGS], ARM_HAS_FLOATS
  jz 1f
.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
  movups [rbx + AREA_VECTORS + 16 * \n], xmm\n
.endr
1:
  lea rsp, [rbx + AREA_STACK_TOP]
  mov rdi, rbx
  mov rsi, r12
  call outside_probed
2:
  mov rcx, rbx
  mov rdx, [r12 + PROBE_ROW_BACK]
  mov [rcx + AREA_BACK], rdx
  mov rdx, [rcx + AREA_PROBED + 16]
  mov fs:[THREAD_WORD], rdx
  mov rax, [rcx + AREA_FLAGS]
  add al, 0x7f
  sahf
  mov rdx, [rcx + AREA_PROBED + 8]
  mov rbx, [rcx + AREA_PROBED + 24]
  mov rsi, [rcx + AREA_PROBED + 32]
  mov rdi, [rcx + AREA_PROBED + 40]
  mov rbp, [rcx + AREA_PROBED + 48]
  mov rsp, [rcx + AREA_PROBED + 56]
.irp n, 8, 9, 10, 11, 12, 13, 14, 15
  mov r\n, [rcx + AREA_PROBED + 8 * \n]
.endr
  mov rax, [rcx + AREA_PROBED]
  jmp [rcx + AREA_BACK]

/* The thread has no area yet: rcx is 0, and the lock is held, beside which rax is kept. */
.balign 64
outside_probe_claim:
  mov [rip + outside_probe_lock + 16], rax
  lahf
  seto al
  mov [rip + outside_probe_lock + 24], rax
  mov ecx, 1
  lock xadd dword ptr [rip + outside_settings + SETTINGS_NEXT_AREA], ecx
  cmp ecx, dword ptr [rip + outside_settings + SETTINGS_AREA_COUNT]
  jae 8f
  shl rcx, 15
  add rcx, [rip + outside_settings + SETTINGS_AREAS]
  mov rax, [rip + outside_probe_lock + 24]
  add al, 0x7f
  sahf
  mov rax, [rip + outside_probe_lock + 8]
  mov [rcx + AREA_PROBED], rax
  mov rax, [rip + outside_probe_lock + 16]
  mov qword ptr [rip + outside_probe_lock], 0
  jmp outside_probe
/* There is none left: the stub goes on where it makes rcx 0 again. */
8:
  lock dec dword ptr [rip + outside_settings + SETTINGS_NEXT_AREA]
  mov rcx, [rip + outside_settings]
  lock inc qword ptr [rcx + FILE_LOST_NO_RING]
  mov rcx, [rip + outside_probe_lock + 16]
  mov rcx, [rcx + PROBE_ROW_BACK]
  lea rcx, [rcx - 5]
  mov rax, [rip + outside_probe_lock + 24]
  add al, 0x7f
  sahf
  mov rax, [rip + outside_probe_lock + 8]
  mov qword ptr [rip + outside_probe_lock], 0
  jmp rcx

.bss
.balign 64
/* Then what rax was, the row, and the flags. */
outside_probe_lock:
  .zero 32

.section .note.GNU-stack, "", @progbits
