/* See ../copies.h. No transactions: processors that had them (FEAT_TME) were never sold. */

static inline long copy_at_once(void *to, u64 from, u64 length) {
  (void)to;
  (void)from;
  (void)length;
  return -1;
}

static inline long copy_text_at_once(void *to, u64 from, u64 length) {
  return copy_at_once(to, from, length);
}

static inline int processor_has_transactions(void) { return 0; }

static inline int transaction_begins(void) { return 0; }

/* To x0 from x1, at most x2 bytes. They keep nothing on the stack. */
__asm__(".text\n"
        ".type copy_directly, %function\ncopy_directly:\n"
        ".cfi_startproc\n"
        "mov x3, 0\n cmp x2, 8\n b.lo 2f\n"
        "1: ldr x4, [x1, x3]\n str x4, [x0, x3]\n add x3, x3, 8\n"
        "add x5, x3, 8\n cmp x5, x2\n b.ls 1b\n"
        "sub x5, x2, 8\n ldr x4, [x1, x5]\n str x4, [x0, x5]\n mov x3, x2\n b 3f\n"
        "2: cmp x3, x2\n b.hs 3f\n"
        "ldrb w4, [x1, x3]\n strb w4, [x0, x3]\n add x3, x3, 1\n b 2b\n"
        "3: mov x0, x3\n ret\n"
        ".cfi_endproc\n.size copy_directly, . - copy_directly\n"
        ".type copy_text_directly, %function\ncopy_text_directly:\n"
        ".cfi_startproc\n"
        "mov x3, 0\n mov x6, 0x0101010101010101\n mov x7, 0x8080808080808080\n"
        "1: add x5, x3, 8\n cmp x5, x2\n b.hi 2f\n"
        "ldr x4, [x1, x3]\n str x4, [x0, x3]\n mov x3, x5\n"
        "sub x5, x4, x6\n bic x5, x5, x4\n tst x5, x7\n b.eq 1b\n"
        "b 3f\n"
        "2: cmp x3, x2\n b.hs 3f\n"
        "ldrb w4, [x1, x3]\n strb w4, [x0, x3]\n add x3, x3, 1\n cbnz w4, 2b\n"
        "3: mov x0, x3\n ret\n"
        ".cfi_endproc\n.size copy_text_directly, . - copy_text_directly\n"
        "copies_end:\ncopies_failed:\n"
        ".cfi_startproc\n"
        "mov x0, -1\n ret\n"
        ".cfi_endproc\n");
