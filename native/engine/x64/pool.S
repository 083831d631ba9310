/* The thunks and the code they share: frame insertion.
 *
 * A thunk is 32 bytes: is the hook on? no: go to the displaced original; yes: push the function
 * number and go to engine_enter. Everything else is one piece of code with one return site, so
 * a return address equal to engine_return means that the frame above it is ours: that is how a
 * tail call is seen. Every register is kept, caller-saved ones too (callers compiled with
 * inter-procedural register allocation rely on it). Flags are lost at the entry; at the return they
 * are kept for functions without a known signature.
 *
 * Fast path: integer registers rdi rsi rdx rcx in this order, at most four, one or two records.
 * Anything else goes through ../ring.c, which uses general registers only. */
#include "../cpu.h"
#include "../plan.h"
#include "../rings.h"
.intel_syntax noprefix
#include "saves.inc"

#include "../tables.inc"

.text
.balign 4096
.globl engine_thunks
.hidden engine_thunks
.type engine_thunks, @function
engine_thunks:
  .cfi_startproc
  /* CFA = rsp + 8, and 8 more from byte 20 of a thunk on, behind its push:
   * breg7 8; breg16 0; lit31; and; lit20; ge; lit3; shl; plus */
  .cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x4f, 0x1a, 0x44, 0x2a, 0x33, 0x24, 0x22
.set number, 0
.rept RECORD_MAX_FUNCTIONS
  .balign 32
  cmp byte ptr [rip + engine_flags + number], 0
  jne 1f
  jmp [rip + engine_targets + 8 * number]
1:
  .byte 0x68
  .long number
  jmp engine_enter
.set number, number + 1
.endr
  .cfi_endproc
.size engine_thunks, . - engine_thunks

.macro RELEASE bytes
  lea rsp, [rsp + \bytes]
  .cfi_adjust_cfa_offset -\bytes
.endm

/* With these saved: r11 at 0, r10 8, rdx 16, rcx 24, rax 32, then the frame at 40:
 * start 40, rdi 48, rbp slot 72, target 80, function 88, plan 92, return address 96. */
.macro SAVE_FEW
  SAVE rax
  SAVE rcx
  SAVE rdx
  SAVE r10
  SAVE r11
.endm
.macro RESTORE_FEW
  LOAD r11
  LOAD r10
  LOAD rdx
  LOAD rcx
  LOAD rax
.endm
/* The lower halves of the registers that arguments come in, to the top of the stack. */
.macro PUT_VECTORS
  movq [rsp], xmm0
  movq [rsp + 8], xmm1
  movq [rsp + 16], xmm2
  movq [rsp + 24], xmm3
  movq [rsp + 32], xmm4
  movq [rsp + 40], xmm5
  movq [rsp + 48], xmm6
  movq [rsp + 56], xmm7
.endm

/* struct registers, 144 bytes. */
.macro SAVE_ALL
  SAVE rax
  SAVE rax
  SAVE r10
  SAVE r11
  SAVE r9
  SAVE r8
  SAVE rcx
  SAVE rdx
  SAVE rsi
  SAVE rdi
  lea rsp, [rsp - 64]
  .cfi_adjust_cfa_offset 64
  PUT_VECTORS
.endm
/* What struct registers has of arguments, behind SAVE_FEW: 8 bytes lie between. */
.macro SAVE_ARGUMENTS
  mov rcx, [rsp + 24]
  mov rdx, [rsp + 16]
  lea rsp, [rsp - 120]
  .cfi_adjust_cfa_offset 120
  PUT_VECTORS
  mov [rsp + 64], rdi
  mov [rsp + 72], rsi
  mov [rsp + 80], rdx
  mov [rsp + 88], rcx
  mov [rsp + 96], r8
  mov [rsp + 104], r9
.endm
.macro RESTORE_ARGUMENTS
  mov rdi, [rsp + 64]
  mov rsi, [rsp + 72]
  mov r8, [rsp + 96]
  mov r9, [rsp + 104]
  RELEASE 120
.endm

/* Leaves the flags as they are. */
.macro RESTORE_ALL
  RELEASE 64
  LOAD rdi
  LOAD rsi
  LOAD rdx
  LOAD rcx
  LOAD r8
  LOAD r9
  LOAD r11
  LOAD r10
  LOAD rax
  RELEASE 8
.endm

.macro TIMESTAMP
  rdtsc
  shl rdx, 32
  or rax, rdx
.endm

/* r11 = this thread's slot. None, or one of another epoch (a parent's): goes to \otherwise. */
.macro FIND_SLOT otherwise
  mov r11, [rip + engine_thread@gottpoff]
  mov r11, fs:[r11]
  test r11, r11
  jz \otherwise
  xor r11, [rip + engine_process]
  test r11d, SLOT_EPOCH_MASK
  jnz \otherwise
.endm

/* Reserves \bytes in the ring of slot r11: r10 = position, rdx = address. Un-LOCKed: only this
 * thread and its own signal handlers write here. */
.macro RESERVE bytes
  mov edx, \bytes
  xadd [r11 + SLOT_POSITION], rdx
  inc qword ptr [r11 + SLOT_EVENTS]
  mov r10, rdx
  and edx, [r11 + SLOT_RING_MASK]
  add edx, [r11 + SLOT_RING_BASE]
  lea rdx, [r11 + rdx + SLOT_BYTES]
  prefetchw [rdx + FETCHED_AHEAD]
.endm

/* Time, place of the return address, first argument and function of an entry; its mark comes last. */
.macro PUT_ENTRY
  mov [rdx], rax
  lea rax, [rsp + 96]
  mov [rdx + 8], rax
  mov [rdx + 16], rdi
  and ecx, PLAN_TAG_MASK
  mov [rdx + 24], ecx
.endm

/* The end of a call, behind SAVE_FEW; what it returns lies at 32. Goes to \looks when the record is the
 * first one since its reader went to sleep, and where the ring is to be looked at: returns alone may lie
 * at such places, for ever where calls take as many bytes as divide their distance. */
.macro RECORD_RETURN leave, slowly, looks
  FIND_SLOT \leave
  mov ecx, [rsp + 92]
  xor ecx, [rip + engine_process + 8]
  test ecx, PLAN_UNRECORDED | PLAN_STRING_RETURN | PLAN_EPOCH_MASK
  jnz \slowly
  TIMESTAMP
  RESERVE RECORD_BYTES
  mov [rdx], rax
  lea rax, [rsp + 96]
  mov [rdx + 8], rax
  mov rax, [rsp + 32]
  test ecx, PLAN_FLOAT_RETURN
  jz 1f
  movq rax, xmm0
1:
  mov [rdx + 16], rax
  and ecx, PLAN_FUNCTION_MASK
  mov [rdx + 24], ecx
  or r10d, EVENT_RETURN
  mov [rdx + 28], r10d
  cmp dword ptr [r11 + SLOT_ASLEEP], 0
  jne \looks
  test r10d, HOT_CHECK_MASK
  jz \looks
.endm

.macro LOOK_AROUND
  SAVE_ALL
  call ring_returned
  RESTORE_ALL
.endm

/* r10 = the row of counted calls of the function in ecx, in slot r11; ecx keeps the number alone. */
.macro FIND_ROW
  and ecx, PLAN_FUNCTION_MASK
  lea r10, [rip + engine_counted_rows]
  mov r10d, [r10 + rcx * 4]
  add r10, r11
.endm

/* The end of a call that is only counted, in place of its record: see counted_end. */
.macro COUNT_END
  TIMESTAMP
  sub rax, [rsp + 40]
  FIND_ROW
  inc qword ptr [r10 + COUNTED_TIMED]
  add [r10 + COUNTED_TOTAL], rax
  cmp [r10 + COUNTED_MOST], rax
  jae 8f
  mov [r10 + COUNTED_MOST], rax
8:
  not rax
  cmp [r10 + COUNTED_LEAST_INVERTED], rax
  jae 9f
  mov [r10 + COUNTED_LEAST_INVERTED], rax
9:
.endm

/* For a function that returns more than a word, and a call whose entry waited. */
.macro RECORD_STRING
  SAVE_ALL
  mov rdi, rax
  lea rsi, [rsp + 144]
  mov rcx, rsp
  call ring_return
  RESTORE_ALL
.endm

.globl engine_enter, engine_return, engine_return_stack
.hidden engine_enter, engine_return, engine_return_stack
.balign 64
.type engine_enter, @function
engine_enter:
  .cfi_startproc
  .cfi_personality 0x9b, engine_personality_pointer
  .cfi_def_cfa_offset 16
  lea rsp, [rsp - 48]
  .cfi_adjust_cfa_offset 48
  SAVE_FEW
  mov [rsp + 48], rdi
  mov r10d, [rsp + 88]
  lea rax, [rip + engine_targets]
  mov rax, [rax + r10 * 8]
  mov [rsp + 80], rax
  lea rax, [rip + engine_plan_words]
  mov ecx, [rax + r10 * 4]
  mov [rsp + 92], ecx
  FIND_SLOT general
  /* The reader sleeps, or entries wait (SLOT_WAITING_BYTES). */
  cmp qword ptr [r11 + SLOT_ASLEEP], 0
  jne general
  mov rax, [rsp + 96]
  lea rdx, [rip + engine_enter]
  sub rax, rdx
  cmp rax, offset engine_code_end - engine_enter
  jb general
  test ecx, ecx
  js not_simple
  TIMESTAMP
  test ecx, 1 << RECORD_FUNCTION_BITS
  jnz two_records
  RESERVE RECORD_BYTES
  PUT_ENTRY
  or r10d, EVENT_ENTER
  mov [rdx + 28], r10d
  test r10d, HOT_CHECK_MASK
  jz check_hot
restore_and_call:
  RESTORE_FEW
make_call:
  call [rsp + 40]
engine_return:
  SAVE_FEW
  RECORD_RETURN leave, leave_slowly, leave_looking
leave:
  .cfi_remember_state
  RESTORE_FEW
  RELEASE FRAME_BYTES
  ret
  .cfi_restore_state

two_records:
  RESERVE (2*RECORD_BYTES)
  PUT_ENTRY
  lea eax, [r10 + RECORD_BYTES]
  mov ecx, eax
  and ecx, [r11 + SLOT_RING_MASK]
  add ecx, [r11 + SLOT_RING_BASE]
  lea rcx, [r11 + rcx + SLOT_BYTES]
  mov [rcx], rsi
  or eax, EVENT_MORE
  mov r11, [rsp + 16]
  mov [rcx + 8], r11
  mov r11, [rsp + 24]
  mov [rcx + 16], r11
  mov [rcx + 28], eax
  or r10d, EVENT_ENTER
  mov [rdx + 28], r10d
  test r10d, HOT_CHECK_MASK
  jnz restore_and_call
check_hot:
  .cfi_remember_state
  RESTORE_FEW
  SAVE_ALL
  call engine_check_hot
  RESTORE_ALL
  jmp make_call
  .cfi_restore_state

not_simple:
  mov eax, ecx
  and eax, PLAN_COUNTED | PLAN_STACK | PLAN_FILTERED
  jnz counted
  .cfi_remember_state
  SAVE_ARGUMENTS
  mov rdi, r11
  lea rsi, [rsp + 160]
  mov rdx, rsp
  lea rcx, [rsp + 160 + FRAME_BYTES]
  mov r8, rcx
  xor r9d, r9d
  call ring_record
  RESTORE_ARGUMENTS
  jmp restore_and_call
  .cfi_restore_state

/* Of a hot function all calls are counted, one in many is recorded: see counted_enter. */
counted:
  cmp eax, PLAN_COUNTED
  jne general
  TIMESTAMP
  FIND_ROW
  mov rdx, rax
  sub rdx, [r10 + COUNTED_LAST]
  cmp rdx, [rip + engine_pause]
  ja general
  dec dword ptr [r10 + COUNTED_LEFT]
  js general
  mov [r10 + COUNTED_LAST], rax
  inc qword ptr [r10 + COUNTED_CALLS]
  mov [rsp + 40], rax
  or dword ptr [rsp + 92], PLAN_UNRECORDED
  jmp restore_and_call

leave_slowly:
  .cfi_remember_state
  test ecx, PLAN_EPOCH_MASK
  jnz leave
  test ecx, PLAN_UNRECORDED
  jz 1f
  test ecx, PLAN_COUNTED
  jz leave
  test ecx, ecx
  jns 1f
  COUNT_END
  jmp leave
1:
  RESTORE_FEW
  RECORD_STRING
  RELEASE FRAME_BYTES
  ret
  .cfi_restore_state

leave_looking:
  .cfi_remember_state
  RESTORE_FEW
  LOOK_AROUND
  RELEASE FRAME_BYTES
  ret
  .cfi_restore_state

general:
  mov [rsp + 72], rbp
  test dword ptr [rsp + 92], PLAN_STACK
  RESTORE_FEW
  .cfi_remember_state
  jnz with_stack
  SAVE_ALL
  mov rdi, rsp
  lea rsi, [rsp + 144]
  xor edx, edx
  call ring_enter
  test eax, eax
  RESTORE_ALL
  jz make_call
reuse_frame:
  .cfi_remember_state
  RELEASE FRAME_BYTES
  jmp [rsp - 16]
  .cfi_restore_state

/* Stack arguments: the frame is held by rbp, and STACK_COPY_MAX bytes below it take the copy. */
with_stack:
  .cfi_restore_state
  .cfi_remember_state
  mov rbp, rsp
  .cfi_def_cfa rbp, 64
  .cfi_offset rbp, -32
  lea rsp, [rsp - STACK_COPY_MAX]
  SAVE_ALL
  .cfi_def_cfa_offset 64
  mov rdi, rsp
  mov rsi, rbp
  lea rdx, [rbp - STACK_COPY_MAX]
  call ring_enter
  test eax, eax
  .cfi_def_cfa_offset 64 + 144
  RESTORE_ALL
  jnz 2f
  call [rbp + 40]
engine_return_stack:
  mov rsp, rbp
  .cfi_def_cfa rsp, 64
  mov rbp, [rsp + 32]
  .cfi_restore rbp
  .cfi_remember_state
  /* Functions without a known signature come here. They may be hand-written, and leave a result in
   * the flags: these are kept at 72, where rbp was. */
  SAVE_FEW
  lahf
  seto al
  mov [rsp + 72], rax
  mov rax, [rsp + 32]
  RECORD_RETURN leave_with_flags, leave_slowly_with_flags, leave_looking_with_flags
leave_with_flags:
  mov rax, [rsp + 72]
  add al, 127
  sahf
  RESTORE_FEW
  RELEASE FRAME_BYTES
  ret
leave_slowly_with_flags:
  .cfi_def_cfa rsp, 64 + 40
  test ecx, PLAN_EPOCH_MASK
  jnz leave_with_flags
  test ecx, PLAN_UNRECORDED
  jz 1f
  test ecx, PLAN_COUNTED
  jz leave_with_flags
  test ecx, ecx
  jns 1f
  COUNT_END
  jmp leave_with_flags
1:
  RESTORE_FEW
  RECORD_STRING
  SAVE_FEW
  jmp leave_with_flags
leave_looking_with_flags:
  RESTORE_FEW
  LOOK_AROUND
  SAVE_FEW
  jmp leave_with_flags
  .cfi_restore_state
2:
  .cfi_def_cfa rbp, 64
  .cfi_offset rbp, -32
  mov rsp, rbp
  .cfi_def_cfa rsp, 64
  mov rbp, [rsp + 32]
  .cfi_restore rbp
  jmp reuse_frame
engine_code_end:
  .cfi_endproc
.size engine_enter, . - engine_enter

.section .data.rel.local, "aw"
.balign 8
engine_personality_pointer: .quad engine_personality
.section .note.GNU-stack, "", @progbits
