/* See pass.h. What jumps is done here by its registers; all else runs as a copy. */
#define _GNU_SOURCE
#include "pass.h"
#include "copies.h"
#include "memory.h"
#include "places.h"
#include "plants.h"

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

static int push_return(struct user_regs_struct *r, u64 back) {
  if (memory_write(r->rsp - 8, &back, sizeof back)) return 0;
  r->rsp -= 8;
  return 1;
}

static enum pass send_through(struct thread *thread, struct copy *copy) {
  struct user_regs_struct *r = &thread->registers;
  if (!copy || (copy->is_call && !push_return(r, r->rip + copy->length))) return PASS_IN_PLACE;
  r->rip = copy->at;
  copy->users++;
  thread->copy = copy;
  registers_write(thread);
  return PASS_THROUGH;
}

enum pass pass(struct thread *thread) {
  struct user_regs_struct *r = &thread->registers;
  u8 code[LONGEST_INSTRUCTION];
  struct instruction in;
  u64 island = places_island(r->rip, places_now());
  if (island) {
    r->rip = island;
    registers_write(thread);
    return PASS_PASSED;
  }
  u32 got = code_read(r->rip, code, sizeof code);
  if (!decode(code, got, r->rip, &in) || in.flow == FLOW_SYSTEM) return PASS_IN_PLACE;
  u64 behind = r->rip + in.length;
  switch (in.flow) {
  case FLOW_CALL:
    if (!push_return(r, behind)) return PASS_IN_PLACE;
    r->rip = in.target;
    break;
  case FLOW_JUMP: r->rip = in.target; break;
  case FLOW_BRANCH: r->rip = is_taken(in.condition, r->eflags) ? in.target : behind; break;
  default: return send_through(thread, copy_of(r->rip, code, &in));
  }
  registers_write(thread);
  return PASS_PASSED;
}

void pass_end(struct thread *thread) {
  struct copy *copy = thread->copy;
  if (!copy) return;
  thread->copy = 0;
  copy->users--;
  if (!registers_read(thread)) return;
  struct user_regs_struct *r = &thread->registers;
  u64 pc = r->rip;
  r->rip = copy_original(copy, pc);
  if (r->rip == pc) return;
  if (copy->is_call) r->rsp += sizeof pc;
  registers_write(thread);
}
