/* x0..x29 lr sp pc, in DWARF's order (arch/arm64/include/uapi/asm/perf_regs.h). */
#define REGISTERS 33
#define REGISTER_MASK 0x1fffffffful

static const int order[REGISTERS] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                     11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                     22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
