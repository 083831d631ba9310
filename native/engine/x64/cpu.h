/* x86-64, as ../cpu.h asks for it. System V ABI.
 *
 * The frame that is inserted, seen from sp, the address of the return address at the entry:
 *
 *   sp        return address of the hooked function, never touched
 *   sp - 8    function u32 · plan word u32
 *   sp - 16   target: the displaced original
 *   sp - 24   rbp, when stack arguments are copied
 *   sp - 48   rdi at the entry: where the caller wants a result in memory; of a function with
 *             watches, or of a call whose entry waits, also rsi and rdx
 *   sp - 56   when it began, of a call that is only counted; of one that is recorded its watches
 */
/* With the return address 64: vectors among copied stack arguments stay aligned as they were. */
#define FRAME_BYTES 56
#define STACK_ARGUMENTS 8
#define INTEGER_REGISTERS 6
#define RETURNED_VECTORS 2

#define JUMP_BYTES 5
/* 19 bytes at most, branches widened, plus the jump back. */
#define DISPLACED_BYTES 64
#define MAX_MOVES 5
#define ISLAND_HEAD 16 /* jmp [rip]; address of the thunk */
#define ISLAND_REACH (0x80000000ul - 0x4000000ul)

/* At a statement: what its island takes of the stack, and in what probeEntry.S keeps, behind the 16
 * registers in DWARF's order: what is returned to, and the number. */
#define PROBE_ROOM 136
#define PROBE_BACK 128
#define PROBE_NUMBER 136
#define PROBE_LEAVE 8 /* bytes that give the room back */

#define OPEN_FOLDER 0200000
#define OPEN_NO_LINK 0400000

/* DWARF's 0..16, then fs_base and orig_rax. */
#define CPU_MACHINE 62 /* EM_X86_64 */
#define CPU_REGISTERS 19
#define CPU_STACK_POINTER 7
#define CPU_PROGRAM_COUNTER 16
#define CONTEXT_PC (5 + 16)
/* 17 registers, then the CFA. */
#define GCC_CONTEXT_CFA 144
#define GUM_FIRST_ARGUMENT 9
/* DWARF's 0..16. */
#define EXCEPTION_REGISTERS 17
#define EXCEPTION_HOOK_BYTES 128

#define FLAG_RESTORER 0x04000000u
#define SIGNAL_RESTORER signal_restorer

#ifndef __ASSEMBLER__

extern void signal_restorer(void) __attribute__((visibility("hidden")));

struct registers {
  u64 vector[8];  /* low halves of xmm0 .. xmm7 */
  u64 integer[6]; /* rdi rsi rdx rcx r8 r9 */
  u64 r11, r10, rax, padding;
};

struct frame {
  u64 start;
  u64 saved[3];
  u64 rbp;
  u64 target;
  u32 fn;
  u32 plan;
};

/* What exceptionHooks.S saves. */
struct saved {
  u64 r15, r14, r13, r12, rbx, rbp, rax, r9, r8, rcx, rdx, rsi, rdi, back;
};

static inline u64 saved_first(const struct saved *saved) { return saved->rdi; }

static inline u64 saved_stack(const struct saved *saved) { return (u64)&saved->back; }

static inline void saved_registers(const struct saved *saved, u64 pc, u64 *registers) {
  const u64 all[EXCEPTION_REGISTERS] = {
      saved->rax, saved->rdx,         saved->rcx, saved->rbx, saved->rsi, saved->rdi,
      saved->rbp, saved_stack(saved), saved->r8,  saved->r9,  0,          0,
      saved->r12, saved->r13,         saved->r14, saved->r15, pc};
  for (u32 i = 0; i < EXCEPTION_REGISTERS; i++) registers[i] = all[i];
}

#define JUMP_STACK_WORD 6
static inline u64 longjmp_target(u64 word) {
  u64 guard;
  __asm__("mov %%fs:0x30, %0" : "=r"(guard));
  return (word >> 17 | word << 47) ^ guard;
}

static inline u64 callers_result(const struct frame *frame) { return frame->saved[0]; }

static inline long raw(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

#define raw_open(path, flags, mode) raw(__NR_open, (long)(path), flags, mode, 0, 0, 0)
#define raw_unlink(path) raw(__NR_unlink, (long)(path), 0, 0, 0, 0, 0)
#define raw_readlink(path, to, room) raw(__NR_readlink, (long)(path), (long)(to), room, 0, 0, 0)

static inline u64 timestamp(void) {
  u32 low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return (u64)high << 32 | low;
}

static inline u64 turns(u64 time) { return time; }

static inline void copy_bytes(void *to, const void *from, u64 length) {
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(length) : : "memory");
}

static inline void clear_bytes(void *to, u64 length) {
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(length) : "a"(0) : "memory");
}

static inline u64 add_locally(u64 *word, u64 by) {
  __asm__ volatile("xaddq %0, %1" : "+r"(by), "+m"(*word) : : "memory");
  return by;
}

static inline void count_locally(u64 *word) { __asm__ volatile("incq %0" : "+m"(*word)); }

static inline void fetch_for_writing(u8 *at) { __asm__ volatile("prefetchw %0" : : "m"(*at)); }

static inline void transaction_ends(void) { __asm__ volatile("xend" : : : "memory"); }

static inline u64 thread_pointer(void) {
  u64 at;
  __asm__("mov %%fs:0, %0" : "=r"(at));
  return at;
}

/* In st0, which keeps it. */
static inline void long_double_result(u8 *real) {
  __asm__ volatile("fstpt %0\n\tfldt %0" : "+m"(*(u8(*)[16])real));
}

static inline void vectors_now(u64 vector[8]) {
  __asm__ volatile("movq %%xmm0, %0\n\tmovq %%xmm1, %1\n\tmovq %%xmm2, %2\n\tmovq %%xmm3, %3\n\t"
                   "movq %%xmm4, %4\n\tmovq %%xmm5, %5\n\tmovq %%xmm6, %6\n\tmovq %%xmm7, %7"
                   : "=m"(vector[0]), "=m"(vector[1]), "=m"(vector[2]), "=m"(vector[3]),
                     "=m"(vector[4]), "=m"(vector[5]), "=m"(vector[6]), "=m"(vector[7]));
}

static inline void code_was_written(u64 start, u64 end) {
  (void)start;
  (void)end;
}

#endif
