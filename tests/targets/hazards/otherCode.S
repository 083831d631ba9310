/* See otherCode.c. What an interpreter keeps lies on the stack, where its instructions find it by rsp. */
.intel_syntax noprefix
.text
.macro FUNCTION name
  .balign 16, 0x90
  .globl \name
  .type \name, @function
\name:
.endm
.macro END name
  .size \name, . - \name
.endm
.macro NEXT table
  mov rdi, [rsp]
  movzx eax, byte ptr [rdi]
  inc rdi
  mov [rsp], rdi
  lea rcx, \table[rip]
  jmp [rcx + rax * 8]
.endm
/* [rsp]: the next instruction; [rsp + 8]: the value. */
.macro INTERPRETER entry, add, double, end, table
FUNCTION \entry
  .cfi_startproc
  sub rsp, 24
  .cfi_def_cfa_offset 32
  mov [rsp], rdi
  mov [rsp + 8], rsi
  NEXT \table
END \entry
.endm
.macro INSTRUCTIONS add, double, end, table
FUNCTION \add
  add qword ptr [rsp + 8], 5
  NEXT \table
END \add
FUNCTION \double
  mov rax, [rsp + 8]
  add [rsp + 8], rax
  NEXT \table
END \double
FUNCTION \end
  mov rax, [rsp + 8]
  add rsp, 24
  ret
END \end
.endm
/* Whose instructions no call frame information describes. */
INTERPRETER interpret, op_add, op_double, op_end, table
.cfi_endproc
INSTRUCTIONS op_add, op_double, op_end, table
/* Whose instructions are described as parts of it. */
INTERPRETER interpret_within, in_add, in_double, in_end, table_within
INSTRUCTIONS in_add, in_double, in_end, table_within
.cfi_endproc
/* Takes its argument off the stack. */
FUNCTION pops
  .cfi_startproc
  mov rax, [rsp + 8]
  add rax, rdi
  ret 8
  .cfi_endproc
END pops
FUNCTION call_popping
  .cfi_startproc
  push rsi
  call pops
  ret
  .cfi_endproc
END call_popping
FUNCTION plain
  .cfi_startproc
  lea rax, [rdi + rdi * 2]
  add rax, 1
  ret
  .cfi_endproc
END plain
.section .data.rel.local, "aw"
.balign 8
table: .quad op_add, op_double, op_end
table_within: .quad in_add, in_double, in_end
.section .note.GNU-stack, "", @progbits
