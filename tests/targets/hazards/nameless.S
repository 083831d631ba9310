/* Short functions with a size, each right before one without, which begins with nops: `after` has no size, `.Lhidden` no name. */
.text
.macro BRIEF name
  .type \name, @function
  .globl \name
\name:
  .cfi_startproc
  movl %edi, %eax
  ret
  .cfi_endproc
  .size \name, . - \name
.endm
.macro NOPS by
  nop
  nop
  nop
  nop
  leal \by(%rdi), %eax
  ret
.endm
  .balign 16
BRIEF brief
  .globl after
after:
  NOPS 1
  .balign 16
BRIEF second
.Lhidden:
  NOPS 2
  .balign 16
  .type useHidden, @function
  .globl useHidden
useHidden:
  .cfi_startproc
  call .Lhidden
  ret
  .cfi_endproc
  .size useHidden, . - useHidden
  .balign 16
BRIEF padded
  .balign 16, 0x90
BRIEF tight
  nop
  nop
BRIEF behind
  .balign 16, 0x90
  .section .note.GNU-stack, "", @progbits
