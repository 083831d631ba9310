/* See ../context.h. */
#include "../context.h"
#include "../cpu.h"
#include "../process.h"
#include "../raw.h"
#include "../readSafely.h"

#define PTRACE_PEEKUSER 3
#define PTRACE_POKEUSER 6
#define PTRACE_GETREGS 12
#define USER_RIP 128
#define USER_RSP 152
#define USER_WORDS 27 /* of user_regs_struct */
/* Words of ucontext_t: flags, link, stack (3), then r8..r15 rdi rsi rbp rbx rdx rax rcx rsp rip …,
 * fpregs. */
#define CONTEXT_REGISTERS 5
#define CONTEXT_FLOATS 28
#define FLOATS_TO_XMM 160

/* Where user_regs_struct keeps them. */
static const u8 of_user[CPU_REGISTERS] = {10, 12, 11, 5, 13, 14, 4,  19, 9, 8,
                                          7,  6,  3,  2, 1,  0,  16, 21, 15};
/* The signal frame's places of the first 17. */
static const u8 of_frame[17] = {13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16};

long context_registers(u32 tid, u64 registers[CPU_REGISTERS]) {
  u64 words[USER_WORDS];
  long failed = raw4(__NR_ptrace, PTRACE_GETREGS, tid, 0, words);
  for (u32 i = 0; i < CPU_REGISTERS && !failed; i++) registers[i] = words[of_user[i]];
  return failed;
}

long context_place(u32 tid, u64 *pc, u64 *sp) {
  long failed = raw4(__NR_ptrace, PTRACE_PEEKUSER, tid, USER_RIP, pc);
  return failed ? failed : raw4(__NR_ptrace, PTRACE_PEEKUSER, tid, USER_RSP, sp);
}

void context_move(u32 tid, u64 pc) { raw4(__NR_ptrace, PTRACE_POKEUSER, tid, USER_RIP, pc); }

void context_interrupted(const u64 *context, u64 registers[CPU_REGISTERS]) {
  for (u32 i = 0; i < 17; i++) registers[i] = context[CONTEXT_REGISTERS + of_frame[i]];
  registers[17] = 0;
  registers[18] = ~0ul;
}

u64 context_vectors(const u64 *context, u64 *bytes) {
  *bytes = 256;
  return context[CONTEXT_FLOATS] ? context[CONTEXT_FLOATS] + FLOATS_TO_XMM : 0;
}

__asm__(".text\n.globl signal_restorer\n.hidden signal_restorer\n.type signal_restorer, @function\n"
        "signal_restorer: mov $15, %eax\n syscall\n");

long context_clone(void (*work)(void), u8 *stack_top, u64 flags) {
  long result;
  register long r8 __asm__("r8") = 0;
  register long r10 __asm__("r10") = 0;
  __asm__ volatile("syscall\n test %%rax, %%rax\n jnz 1f\n"
                   "xor %%ebp, %%ebp\n call *%[work]\n"
                   "xor %%edi, %%edi\n mov %[exit], %%eax\n syscall\n"
                   "1:"
                   : "=a"(result)
                   : "a"(__NR_clone), "D"(flags), "S"(stack_top), "d"(0L), "r"(r10),
                     "r"(r8), [work] "b"(work), [exit] "i"(__NR_exit)
                   : "rcx", "r11", "memory");
  return result;
}

__asm__(".text\n.globl context_call_on\n.hidden context_call_on\n.type context_call_on, "
        "@function\ncontext_call_on:\n"
        ".cfi_startproc\n"
        "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n"
        "mov %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"
        "mov %rcx, %rsp\n"
        "call *%r8\n"
        "mov %rbp, %rsp\npop %rbp\n.cfi_def_cfa %rsp, 8\n"
        "ret\n.cfi_endproc\n.size context_call_on, . - context_call_on\n");

/* The kernel's frame: the address of the code that returns, then ucontext_t. */
#define FRAME_TO_PC (8 + 40 + 16 * 8)
#define SCAN_BYTES 0x40000ul

static int returns_from_handler(u64 address) {
  static const u8 codes[2][9] = {{0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05},
                                 {0xb8, 15, 0, 0, 0, 0x0f, 0x05}};
  u8 code[9];
  if (read_safely(code, address, sizeof code) != sizeof code) return 0;
  for (u32 kind = 0; kind < 2; kind++) {
    u32 same = 0, length = kind == 0 ? 9 : 7;
    while (same < length && code[same] == codes[kind][same]) same++;
    if (same == length) return 1;
  }
  return 0;
}

void context_move_handlers(u64 sp, u64 (*move)(u64 pc)) {
  u64 words[512];
  sp &= ~7ul;
  for (u64 at = sp; at < sp + SCAN_BYTES; at += sizeof words) {
    u64 got = read_safely(words, at, sizeof words);
    for (u64 i = 0; i < got / 8; i++) {
      u64 moved = move(words[i]), place = at + i * 8, restorer = 0;
      if (moved == words[i] || place - FRAME_TO_PC < sp) continue;
      if (read_safely(&restorer, place - FRAME_TO_PC, 8) != 8 || !returns_from_handler(restorer))
        continue;
      struct memory_range from = {&moved, 8}, to = {(const void *)place, 8};
      raw6(__NR_process_vm_writev, engine_pid, &from, 1, &to, 1, 0);
    }
    if (got < sizeof words) break;
  }
}
