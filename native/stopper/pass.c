/* See pass.h. What jumps is done here by its registers; all else runs as a copy, which a single
 * step leaves, where the program's first instructions are: they ran and do not come back. */
#define _GNU_SOURCE
#include "pass.h"
#include "../engine/x64/decode.h"
#include "memory.h"
#include "plants.h"
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAIRS 64

static u64 scratch;

void pass_prepare(pid_t pid) {
  Elf64_auxv_t pairs[PAIRS];
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/auxv", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ssize_t got = read(file, pairs, sizeof pairs);
  close(file);
  for (u32 i = 0; (ssize_t)((i + 1) * sizeof *pairs) <= got; i++)
    if (pairs[i].a_type == AT_ENTRY) scratch = pairs[i].a_un.a_val;
}

/* The condition of a branch, by the low four bits of its opcode. */
static int is_taken(u8 condition, u64 flags) {
  int carry = flags & 1, parity = flags >> 2 & 1, zero = flags >> 6 & 1, sign = flags >> 7 & 1,
      overflow = flags >> 11 & 1, is_so;
  switch (condition >> 1) {
  case 0: is_so = overflow; break;
  case 1: is_so = carry; break;
  case 2: is_so = zero; break;
  case 3: is_so = carry | zero; break;
  case 4: is_so = sign; break;
  case 5: is_so = parity; break;
  case 6: is_so = sign != overflow; break;
  default: is_so = zero | (sign != overflow);
  }
  return condition & 1 ? !is_so : is_so;
}

static int is_free(u32 bytes) {
  for (u32 i = 0; i < bytes; i++)
    if (is_planted(scratch + i)) return 0;
  return scratch != 0;
}

/* What addresses memory by where it lies reaches the same from there; 0: it does not reach it. */
static int moved(u8 *code, const struct instruction *in, u64 from) {
  int before;
  if (!in->rip_offset) return 1;
  memcpy(&before, code + in->rip_offset, sizeof before);
  long distance = (long)(from - scratch) + before;
  int now = (int)distance;
  memcpy(code + in->rip_offset, &now, sizeof now);
  return distance == now;
}

static enum passed run_copy(struct thread *thread, u8 *code, const struct instruction *in,
                            int *status) {
  struct user_regs_struct *r = &thread->registers;
  u64 address = r->rip, behind = address + in->length;
  u8 kept[LONGEST_INSTRUCTION];
  if (memory_read(scratch, kept, in->length) != in->length) return PASS_IN_PLACE;
  if (memory_write(scratch, code, in->length)) return PASS_IN_PLACE;
  r->rip = scratch;
  registers_write(thread);
  ptrace(PTRACE_SINGLESTEP, thread->tid, 0, 0);
  pid_t came = waitpid(thread->tid, status, __WALL);
  memory_write(scratch, kept, in->length);
  if (came != thread->tid || !WIFSTOPPED(*status) || !registers_read(thread)) return PASS_ENDED;
  int is_step = *status >> 16 == 0 && WSTOPSIG(*status) == SIGTRAP;
  int is_absolute = in->flow == FLOW_END || in->flow == FLOW_CALL_INDIRECT;
  int is_behind = r->rip != scratch;
  if (!is_behind) r->rip = address;
  else if (!is_absolute) r->rip += address - scratch;
  if (is_behind && in->flow == FLOW_CALL_INDIRECT) memory_write(r->rsp, &behind, sizeof behind);
  registers_write(thread);
  if (is_step) return PASS_DONE;
  return *status >> 16 == 0 ? PASS_SIGNALLED : PASS_DONE;
}

enum passed pass(struct thread *thread, int *status) {
  struct user_regs_struct *r = &thread->registers;
  u8 code[LONGEST_INSTRUCTION];
  struct instruction in;
  u32 got = code_read(r->rip, code, sizeof code);
  *status = 0;
  if (!decode(code, got, r->rip, &in) || in.flow == FLOW_SYSTEM) return PASS_IN_PLACE;
  u64 behind = r->rip + in.length;
  switch (in.flow) {
  case FLOW_CALL:
    if (memory_write(r->rsp - 8, &behind, sizeof behind)) return PASS_IN_PLACE;
    r->rsp -= 8;
    r->rip = in.target;
    break;
  case FLOW_JUMP: r->rip = in.target; break;
  case FLOW_BRANCH: r->rip = is_taken(in.condition, r->eflags) ? in.target : behind; break;
  default:
    if (!is_free(in.length) || !moved(code, &in, r->rip)) return PASS_IN_PLACE;
    return run_copy(thread, code, &in, status);
  }
  registers_write(thread);
  return PASS_DONE;
}
