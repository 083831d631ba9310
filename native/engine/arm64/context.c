/* See ../context.h. */
#include "../context.h"
#include "../cpu.h"
#include "../raw.h"

#define PTRACE_GETREGSET 0x4204
#define PTRACE_SETREGSET 0x4205
#define GENERAL_REGISTERS 1      /* NT_PRSTATUS */
#define THREAD_POINTER 0x401     /* NT_ARM_TLS */
#define SYSTEM_CALL 0x404        /* NT_ARM_SYSTEM_CALL */
#define USER_WORDS 34            /* of user_pt_regs: x0 .. x30, sp, pc, pstate */
#define VECTOR_MAGIC 0x46508001u /* FPSIMD_MAGIC; two words behind its head begins v0 */
#define VECTOR_BYTES (32 * 16)
#define CONTEXT_RECORDS (CONTEXT_PC + 3) /* 16-aligned, behind pstate */

static long exchange(u32 tid, long request, u64 words[USER_WORDS]) {
  struct memory_range all = {words, USER_WORDS * 8};
  return raw4(__NR_ptrace, request, tid, GENERAL_REGISTERS, &all);
}

long context_registers(u32 tid, u64 registers[CPU_REGISTERS]) {
  u64 words[USER_WORDS];
  long failed = exchange(tid, PTRACE_GETREGSET, words);
  if (failed) return failed;
  for (u32 i = 0; i <= CPU_PROGRAM_COUNTER; i++) registers[i] = words[i];
  u64 thread = 0;
  struct memory_range pointer = {&thread, sizeof thread};
  if (raw4(__NR_ptrace, PTRACE_GETREGSET, tid, THREAD_POINTER, &pointer)) thread = 0;
  int call = -1;
  struct memory_range number = {&call, sizeof call};
  if (raw4(__NR_ptrace, PTRACE_GETREGSET, tid, SYSTEM_CALL, &number)) call = -1;
  registers[CPU_PROGRAM_COUNTER + 1] = thread;
  registers[CPU_PROGRAM_COUNTER + 2] = (u64)(long)call;
  return 0;
}

long context_place(u32 tid, u64 *pc, u64 *sp) {
  u64 registers[CPU_REGISTERS];
  long failed = context_registers(tid, registers);
  if (failed) return failed;
  *pc = registers[CPU_PROGRAM_COUNTER];
  *sp = registers[CPU_STACK_POINTER];
  return 0;
}

void context_move(u32 tid, u64 pc) {
  u64 words[USER_WORDS];
  if (exchange(tid, PTRACE_GETREGSET, words)) return;
  words[CPU_PROGRAM_COUNTER] = pc;
  exchange(tid, PTRACE_SETREGSET, words);
}

void context_interrupted(const u64 *context, u64 registers[CPU_REGISTERS]) {
  for (u32 i = 0; i <= CPU_PROGRAM_COUNTER; i++) registers[i] = context[CONTEXT_REGISTERS + i];
  registers[CPU_PROGRAM_COUNTER + 1] = 0;
  registers[CPU_PROGRAM_COUNTER + 2] = ~0ul;
}

/* The first record the kernel leaves behind the registers. */
u64 context_vectors(const u64 *context, u64 *bytes) {
  const u64 *record = context + CONTEXT_RECORDS;
  *bytes = VECTOR_BYTES;
  return (u32)*record == VECTOR_MAGIC ? (u64)(record + 2) : 0;
}

long context_clone(void (*work)(void), u8 *stack_top, u64 flags) {
  register long x8 __asm__("x8") = __NR_clone;
  register long x0 __asm__("x0") = (long)flags;
  register long x1 __asm__("x1") = (long)stack_top;
  register long x2 __asm__("x2") = 0;
  register long x3 __asm__("x3") = 0;
  register long x4 __asm__("x4") = 0;
  register long x9 __asm__("x9") = (long)work;
  __asm__ volatile("svc 0\n cbnz x0, 1f\n"
                   "mov x29, 0\n blr x9\n"
                   "mov x0, 0\n mov x8, %[exit]\n svc 0\n"
                   "1:"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x9), [exit] "i"(__NR_exit)
                   : "x30", "memory", "cc");
  return x0;
}

__asm__(
    ".text\n.globl context_call_on\n.hidden context_call_on\n.type context_call_on, "
    "%function\ncontext_call_on:\n"
    ".cfi_startproc\n"
    "stp x29, x30, [sp, -16]!\n.cfi_def_cfa_offset 16\n.cfi_offset 29, -16\n.cfi_offset 30, -8\n"
    "mov x29, sp\n.cfi_def_cfa_register 29\n"
    "mov sp, x3\n"
    "blr x4\n"
    "mov sp, x29\n.cfi_def_cfa_register 31\n"
    "ldp x29, x30, [sp], 16\n.cfi_def_cfa_offset 0\n.cfi_restore 29\n.cfi_restore 30\n"
    "ret\n.cfi_endproc\n.size context_call_on, . - context_call_on\n");

/* One instruction is replaced: nobody is inside. */
void context_move_handlers(u64 sp, u64 (*move)(u64 pc)) {
  (void)sp;
  (void)move;
}
