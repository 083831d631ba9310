/* Functions no compiler writes: of 1 to 15 bytes, with branches into their first bytes, with results in flags. */
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
FUNCTION b01
  ret
END b01
FUNCTION b02
  rep ret
END b02
FUNCTION b03
  mov eax, edi
  ret
END b03
FUNCTION b04
  lea eax, [rdi]
  nop
  ret
END b04
FUNCTION b05
  lea rax, [rdi + 1]
  ret
END b05
FUNCTION b06
  mov eax, 6
  ret
END b06
FUNCTION b07
  mov eax, edi
  add eax, edi
  nop
  nop
  ret
END b07
FUNCTION b08
  lea eax, [rdi + rdi * 2 + 8]
  nop
  nop
  nop
  ret
END b08
FUNCTION b11
  push rbp
  mov rbp, rsp
  lea eax, [rdi + 11]
  nop
  pop rbp
  ret
END b11
FUNCTION b15
  mov eax, edi
  imul eax, edi
  imul eax, edi
  add eax, 15
  nop
  nop
  nop
  ret
END b15
/* Packed without padding: what follows the first two is code. */
.balign 16
.globl packed1, packed2, packed3
.type packed1, @function
.type packed2, @function
.type packed3, @function
packed1: .cfi_startproc
  mov eax, edi
  ret
.cfi_endproc
.size packed1, . - packed1
packed2: .cfi_startproc
  lea eax, [rdi + 2]
  ret
.cfi_endproc
.size packed2, . - packed2
packed3: .cfi_startproc
  lea eax, [rdi + 3]
  add eax, 1
  add eax, 1
  ret
.cfi_endproc
.size packed3, . - packed3
/* A loop back to its second instruction. */
FUNCTION loops
  xor eax, eax
1:
  add eax, edi
  dec edi
  jnz 1b
  ret
END loops
/* A loop back to its entry. */
FUNCTION again
  dec edi
  jg again
  mov eax, edi
  ret
END again
FUNCTION counts
  mov ecx, edi
  jrcxz 2f
1:
  lea eax, [rax + rcx]
  loop 1b
2:
  ret
END counts
/* Its own address by call and pop. */
FUNCTION where
  call 1f
1:
  pop rax
  lea rcx, [rip + 1b]
  sub rax, rcx
  add eax, edi
  ret
END where
/* The carry is its result. */
FUNCTION is_above
  cmp rsi, rdi
  nop
  nop
  ret
END is_above
.globl count_above
.type count_above, @function
count_above: .cfi_startproc /* how many of 0 .. rdi - 1 are above rsi */
  push rbx
  push r12
  push r13
  mov r12, rdi
  mov r13, rsi
  xor ebx, ebx
1:
  dec r12
  js 2f
  mov rdi, r12
  mov rsi, r13
  call is_above
  adc ebx, 0
  jmp 1b
2:
  mov eax, ebx
  pop r13
  pop r12
  pop rbx
  ret
.cfi_endproc
.size count_above, . - count_above
/* A call among the first bytes, and results in registers no compiler returns anything in. */
FUNCTION odd
  push rbx
  call b03
  lea r11, [rax + 5]
  mov r10, rdi
  pop rbx
  ret
END odd
FUNCTION asks_odd
  call odd
  lea rax, [r11 + r10]
  ret
END asks_odd
.section .note.GNU-stack, "", @progbits
