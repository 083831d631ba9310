/* See ../copies.h. */
#define FAULTING_CPUID 0x1011
#define FEATURES_LEAF 7
#define HAS_TRANSACTIONS (1u << 11)   /* of ebx */
#define TRANSACTIONS_ABORT (1u << 11) /* of edx: there for old programs, and never succeed */

#define TRANSACTION_BEGAN ~0u

extern long copy_at_once(void *to, u64 from, u64 length) __attribute__((visibility("hidden")));
extern long copy_text_at_once(void *to, u64 from, u64 length) __attribute__((visibility("hidden")));
/* From rsi to rdi. They keep nothing on the stack. */
#define COPY(name, begin, end)                                                  \
  ".type " name ", @function\n" name ":\n"                                      \
  ".cfi_startproc\n" begin "xor %eax, %eax\n cmp $8, %rdx\n jb 2f\n"            \
  "1: mov (%rsi,%rax), %r8\n mov %r8, (%rdi,%rax)\n add $8, %rax\n"             \
  "lea 8(%rax), %rcx\n cmp %rdx, %rcx\n jbe 1b\n"                               \
  "mov -8(%rsi,%rdx), %r8\n mov %r8, -8(%rdi,%rdx)\n mov %rdx, %rax\n jmp 3f\n" \
  "2: cmp %rdx, %rax\n jae 3f\n"                                                \
  "movzbl (%rsi,%rax), %ecx\n mov %cl, (%rdi,%rax)\n inc %rax\n jmp 2b\n"       \
  "3: " end "ret\n"                                                             \
  ".cfi_endproc\n.size " name ", . - " name "\n"
#define COPY_TEXT(name, begin, end)                                                         \
  ".type " name ", @function\n" name ":\n"                                                  \
  ".cfi_startproc\n" begin "xor %eax, %eax\n lea -8(%rdx), %rcx\n cmp $8, %rdx\n jb 2f\n"   \
  "mov $-0x0101010101010101, %r8\n mov $0x8080808080808080, %r9\n"                          \
  "1: mov (%rsi,%rax), %r10\n mov %r10, (%rdi,%rax)\n add $8, %rax\n"                       \
  "lea (%r10,%r8), %r11\n not %r10\n and %r11, %r10\n test %r9, %r10\n jnz 3f\n"            \
  "cmp %rcx, %rax\n jbe 1b\n"                                                               \
  "2: cmp %rdx, %rax\n jae 3f\n"                                                            \
  "movzbl (%rsi,%rax), %ecx\n mov %cl, (%rdi,%rax)\n inc %rax\n test %ecx, %ecx\n jnz 2b\n" \
  "3: " end "ret\n"                                                                         \
  ".cfi_endproc\n.size " name ", . - " name "\n"
#define BEGIN "xbegin copies_failed\n"
#define END "xend\n"
__asm__(".text\n" COPY("copy_at_once", BEGIN, END) COPY_TEXT("copy_text_at_once", BEGIN, END)
            COPY("copy_directly", "",
                 "") ".type copy_word_directly, @function\ncopy_word_directly:\n.cfi_startproc\n"
                     "mov (%rsi), %rax\n mov %rax, (%rdi)\n mov $8, %eax\n ret\n"
                     ".cfi_endproc\n.size copy_word_directly, . - copy_word_directly\n" COPY_TEXT(
                         "copy_text_directly", "", "") "copies_end:\ncopies_failed:\n"
                                                       ".cfi_startproc\n"
                                                       "mov $-1, %rax\n ret\n"
                                                       ".cfi_endproc\n");

/* An empty one: a supervisor may say that there are some and let none succeed. */
static int is_transaction_done(void) {
  u32 status = TRANSACTION_BEGAN;
  __asm__ volatile("xbegin 1f\n\txend\n1:" : "+a"(status) : : "memory");
  return status == TRANSACTION_BEGAN;
}

static int processor_has_transactions(void) {
  u32 leaf = 0, of_leaf = 0, features, more;
  /* Whoever makes the instruction fault tells the program what its processor is. */
  if (raw2(__NR_arch_prctl, FAULTING_CPUID, 0) == 0) return 0;
  __asm__ volatile("cpuid" : "+a"(leaf), "=b"(features), "+c"(of_leaf), "=d"(more));
  if (leaf < FEATURES_LEAF) return 0;
  leaf = FEATURES_LEAF;
  of_leaf = 0;
  __asm__ volatile("cpuid" : "+a"(leaf), "=b"(features), "+c"(of_leaf), "=d"(more));
  if (!(features & HAS_TRANSACTIONS) || more & TRANSACTIONS_ABORT) return 0;
  int is_done = 0;
  for (int tries = 0; tries < 10 && !is_done; tries++) is_done = is_transaction_done();
  return is_done;
}

static inline int transaction_begins(void) {
  u32 status = TRANSACTION_BEGAN;
  __asm__ volatile("xbegin 1f\n1:" : "+a"(status) : : "memory");
  return status == TRANSACTION_BEGAN;
}
