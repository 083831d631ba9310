/* ax bx cx dx si di bp sp ip, r8..r15 (arch/x86/include/uapi/asm/perf_regs.h). */
#define REGISTERS 17
#define REGISTER_MASK 0xff01fful

/* Where the kernel's order has DWARF's registers. */
static const int order[REGISTERS] = {0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 8};
