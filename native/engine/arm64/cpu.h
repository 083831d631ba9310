/* arm64, as ../cpu.h asks for it. AAPCS64; pages of 4 KB.
 *
 * The frame that is inserted, below sp, the stack pointer at the entry:
 *
 *   sp - 8    x30: where the hooked function returns to
 *   sp - 16   x29 at the entry; both are a frame record, which x29 points to meanwhile
 *   sp - 24   function u32 · plan word u32
 *   sp - 32   target: the displaced original
 *   sp - 40   x8 at the entry: where the caller wants the result
 *   sp - 64   x0, x1 and x2 at the entry, of a function with watches
 *   sp - 72   when it began, of a call that is only counted; of one that is recorded its watches
 */
#define FRAME_BYTES 80
#define FRAME_RESULT 40
#define FRAME_TARGET 48
#define FRAME_FUNCTION 56
#define FRAME_RECORD 64
#define STACK_ARGUMENTS 0
#define INTEGER_REGISTERS 8
#define RETURNED_VECTORS 4

#define JUMP_BYTES 4
/* Three instructions and a constant at most. */
#define DISPLACED_BYTES 32
#define MAX_MOVES 1    /* none: one instruction is replaced */
#define ISLAND_HEAD 16 /* ldr x16; br x16; address of the thunk */
#define ISLAND_REACH (0x8000000ul - 0x400000ul)

#define OPEN_FOLDER 040000
#define OPEN_NO_LINK 0100000

#define CPU_MACHINE 183 /* EM_AARCH64 */
/* DWARF's x0 .. x30, sp, then pc; thread pointer, system call. */
#define CPU_REGISTERS 35
#define CPU_STACK_POINTER 31
#define CPU_PROGRAM_COUNTER 32
/* Flags, link, stack (3), mask and its room (16), padding, the fault's address, x0 .. x30, sp. */
#define CONTEXT_REGISTERS 23
#define CONTEXT_PC (CONTEXT_REGISTERS + 32)
/* 98 registers, then the CFA. */
#define GCC_CONTEXT_CFA 784
#define GUM_FIRST_ARGUMENT 3
/* x19 .. x30, sp, pc. */
#define EXCEPTION_REGISTERS 17
#define EXCEPTION_HOOK_BYTES 256
/* The kernel has a way of its own back from handlers. */
#define FLAG_RESTORER 0
#define SIGNAL_RESTORER 0

/* struct registers */
#define REGISTERS_BYTES 208

#ifndef __ASSEMBLER__

struct registers {
  u64 vector[8];  /* low halves of v0 .. v7 */
  u64 integer[8]; /* x0 .. x7 */
  u64 others[8];  /* x8 .. x15 */
  u64 flags, padding;
};
_Static_assert(sizeof(struct registers) == REGISTERS_BYTES, "as pool.S saves them");

struct frame {
  u64 padding;
  u64 start;
  u64 saved[4]; /* the last is x8 */
  u64 target;
  u32 fn;
  u32 plan;
  u64 fp, link;
};
_Static_assert(sizeof(struct frame) == FRAME_BYTES, "as pool.S makes it");

/* What exceptionHooks.S saves. */
struct saved {
  u64 x[31], padding;
};

static inline u64 saved_first(const struct saved *saved) { return saved->x[0]; }

static inline u64 saved_stack(const struct saved *saved) { return (u64)(saved + 1); }

static inline void saved_registers(const struct saved *saved, u64 pc, u64 *registers) {
  for (u32 i = 0; i < 12; i++) registers[i] = saved->x[19 + i];
  registers[12] = saved_stack(saved);
  registers[13] = pc;
  registers[14] = registers[15] = registers[16] = 0;
}

#define JUMP_STACK_WORD 0
static inline u64 longjmp_target(u64 word) {
  (void)word;
  return 0;
}

static inline u64 callers_result(const struct frame *frame) { return frame->saved[3]; }

static inline long raw(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory", "cc");
  return x0;
}

#define FROM_WORKING_FOLDER (-100) /* AT_FDCWD */
#define raw_open(path, flags, mode) \
  raw(__NR_openat, FROM_WORKING_FOLDER, (long)(path), flags, mode, 0, 0)
#define raw_unlink(path) raw(__NR_unlinkat, FROM_WORKING_FOLDER, (long)(path), 0, 0, 0, 0)
#define raw_readlink(path, to, room) \
  raw(__NR_readlinkat, FROM_WORKING_FOLDER, (long)(path), (long)(to), room, 0, 0)

static inline u64 timestamp(void) {
  u64 now;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
  return now;
}

/* The counter has some millions a second, or one billion (Arm ARM D11.1). */
static inline u64 turns(u64 time) {
  u64 a_second;
  __asm__("mrs %0, cntfrq_el0" : "=r"(a_second));
  u32 zeros = (u32)__builtin_clzl(a_second | 1);
  return zeros > 33 ? time << (zeros - 33) : time;
}

/* Loops that the compiler does not make calls of. */
static inline void copy_bytes(void *to, const void *from, u64 length) {
  u8 *target = to;
  const u8 *source = from;
  for (; length >= 8; length -= 8, target += 8, source += 8) {
    u64 word;
    __asm__ volatile("ldr %0, %1" : "=r"(word) : "m"(*(const u64(*)[1])source));
    __asm__ volatile("str %1, %0" : "=m"(*(u64(*)[1])target) : "r"(word));
  }
  for (; length; length--) *(volatile u8 *)target++ = *(const volatile u8 *)source++;
}

static inline void clear_bytes(void *to, u64 length) {
  u8 *target = to;
  for (; length >= 8; length -= 8, target += 8)
    __asm__ volatile("str xzr, %0" : "=m"(*(u64(*)[1])target));
  for (; length; length--) *(volatile u8 *)target++ = 0;
}

/* A signal's way back ends the exclusive access (Arm ARM B2.9): the word is read again. */
static inline u64 add_locally(u64 *word, u64 by) {
  u64 before, after;
  u32 failed;
  __asm__ volatile("1: ldxr %0, %3\n add %1, %0, %4\n stxr %w2, %1, %3\n cbnz %w2, 1b"
                   : "=&r"(before), "=&r"(after), "=&r"(failed), "+Q"(*word)
                   : "r"(by)
                   : "memory");
  return before;
}

static inline void count_locally(u64 *word) { add_locally(word, 1); }

static inline void fetch_for_writing(u8 *at) {
  __asm__ volatile("prfm pstl1keep, %0" : : "Q"(*at));
}

static inline void transaction_ends(void) {}

static inline u64 thread_pointer(void) {
  u64 at;
  __asm__("mrs %0, tpidr_el0" : "=r"(at));
  return at;
}

/* A quadruple in v0, which C code leaves as it is (-mgeneral-regs-only). */
static inline void long_double_result(u8 *real) {
  __asm__ volatile(".arch_extension fp\n\tstr q0, %0\n\t.arch_extension nofp"
                   : "=Q"(*(u8(*)[16])real));
}

/* Arm ARM B2.4.4. The lines' sizes: CTR_EL0. */
static inline void code_was_written(u64 start, u64 end) {
  u64 sizes;
  __asm__ volatile("mrs %0, ctr_el0" : "=r"(sizes));
  u64 data = 4ul << (sizes >> 16 & 15), code = 4ul << (sizes & 15);
  for (u64 at = start & ~(data - 1); at < end; at += data)
    __asm__ volatile("dc cvau, %0" : : "r"(at) : "memory");
  __asm__ volatile("dsb ish" : : : "memory");
  for (u64 at = start & ~(code - 1); at < end; at += code)
    __asm__ volatile("ic ivau, %0" : : "r"(at) : "memory");
  __asm__ volatile("dsb ish\n\tisb" : : : "memory");
}

#endif
