/* A dynamic loader that loads nothing: it starts the program. Built as -shared -nostdlib -Wl,-e,start. */
__asm__(".globl start\n"
        "start:\n"
        "  mov (%rsp), %rax\n"
        "  lea 16(%rsp,%rax,8), %rbx\n" /* behind the arguments */
        "1: mov (%rbx), %rcx\n"         /* the environment */
        "  add $8, %rbx\n"
        "  test %rcx, %rcx\n"
        "  jne 1b\n"
        "2: cmpq $9, (%rbx)\n" /* AT_ENTRY */
        "  je 3f\n"
        "  add $16, %rbx\n"
        "  jmp 2b\n"
        "3: jmp *8(%rbx)\n");
