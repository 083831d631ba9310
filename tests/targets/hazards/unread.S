/* Loops back into the first bytes of a function: behind data in its code, from a part of it that lies elsewhere, from
 * its neighbour, which begins in its midst. */
.intel_syntax noprefix
.text
.macro FUNCTION name
  .balign 16, 0x90
  .globl \name
  .type \name, @function
\name:
  .cfi_startproc
.endm
.macro END name
  .cfi_endproc
  .size \name, . - \name
.endm
FUNCTION over_data
  xor eax, eax
1: add eax, edi
  dec edi
  jmp 2f
  .byte 0x06, 0x06
2: test edi, edi
  jnz 1b
  ret
END over_data
FUNCTION through_cold
  xor eax, eax
3: add eax, edi
  dec edi
  jmp through_cold.cold
END through_cold
FUNCTION enters
  lea eax, [rdi + 1]
  dec edi
  jmp 4f
END enters
FUNCTION entered_behind
  xor eax, eax
4: add eax, edi
  mov edx, eax
  ret
END entered_behind
FUNCTION plain
  lea eax, [rdi + rdi]
  add eax, 1
  add eax, 2
  ret
END plain
.section .text.unlikely, "ax", @progbits
.type through_cold.cold, @function
through_cold.cold:
  .cfi_startproc
  test edi, edi
  jnz 3b
  ret
  .cfi_endproc
.size through_cold.cold, . - through_cold.cold
.section .note.GNU-stack, "", @progbits
