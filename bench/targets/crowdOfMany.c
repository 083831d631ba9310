/* 50,000 small functions, for the cost of arming them; made by the assembler, so they have no debug
 * information, and compilers take long for so many. Waits for a line of input. */
#include <stdio.h>

__asm__(
    ".altmacro\n"
    ".macro ONE n\n"
    ".type crowd_\\n, @function\n"
    "crowd_\\n:\n.cfi_startproc\n"
    "  lea 1(%rdi,%rsi), %eax\n"
    "  imul $2654435, %eax, %eax\n"
    "  ret\n"
    ".cfi_endproc\n.size crowd_\\n, . - crowd_\\n\n"
    ".p2align 4\n"
    ".endm\n"
    ".text\n"
    ".set count, 0\n"
    ".rept 50000\n"
    "  ONE %count\n"
    "  .set count, count + 1\n"
    ".endr\n"
    ".noaltmacro\n");

int main(void) { return getchar() == EOF; }
