/* See stubs.h. */
#include "stubs.h"
#include "../engine/relocate.h"
#include "../engine/x64/decode.h"
#include "block.h"
#include "target/area.h"
#include <string.h>

#define STUB_MOST_BYTES 2048
/* cmp, je, lea, lea, jmp */
#define CALL_BYTES 28
/* cmp, je, push, lea, call, pop */
#define CALL_C_BYTES 25
/* See put_guest. */
#define GUEST_BYTES 81
#define GUEST_BACK 72

struct writer {
  u8 bytes[STUB_MOST_BYTES];
  u32 length;
  u64 at;
  u64 enter, leave; /* what records, of Go */
};

static void put(struct writer *to, const void *bytes, u32 count) {
  memcpy(to->bytes + to->length, bytes, count);
  to->length += count;
}

static void put_relative(struct writer *to, const u8 *opcode, u32 count, u64 target, u32 behind) {
  put(to, opcode, count);
  int distance = (int)(target - (to->at + to->length + 4 + behind));
  put(to, &distance, 4);
}

/* Records, unless the switch is off. */
static void put_call(struct writer *to, u64 code, u32 number, u64 row) {
  u64 next = to->at + to->length + CALL_BYTES;
  put_relative(to, (const u8[]){0x80, 0x3d}, 2, block_switch_place(number),
               1);                                              /* cmp byte [rip + x], 0 */
  put(to, (const u8[]){0, 0x74, CALL_BYTES - 9}, 3);            /* je next */
  put_relative(to, (const u8[]){0x4c, 0x8d, 0x25}, 3, row, 0);  /* lea r12, [rip + x] */
  put_relative(to, (const u8[]){0x4c, 0x8d, 0x2d}, 3, next, 0); /* lea r13, [rip + x] */
  put_relative(to, (const u8[]){0xe9}, 1, code, 0);
}

static void put_call_c(struct writer *to, u64 code, u32 number, u64 row) {
  put_relative(to, (const u8[]){0x80, 0x3d}, 2, block_switch_place(number), 1);
  put(to, (const u8[]){0, 0x74, CALL_C_BYTES - 9}, 3);
  put(to, (const u8[]){0x41, 0x53}, 2);                        /* push r11 */
  put_relative(to, (const u8[]){0x4c, 0x8d, 0x1d}, 3, row, 0); /* lea r11, [rip + x] */
  put_relative(to, (const u8[]){0xe8}, 1, code, 0);
  put(to, (const u8[]){0x41, 0x5b}, 2); /* pop r11 */
}

/* Before a system call of C's that may set a filter; of Go it is what is hooked. */
static void put_setter(struct writer *to, const struct recorder *by) {
  int is_prctl = by->setter.how == SETS_BY_PRCTL;
  u64 code = block_address() + (is_prctl ? block_head()->prctl_c : block_head()->syscall_c);
  put_call_c(to, code, by->setter.number, by->row);
}

static void put_entry(struct writer *to, const struct recorder *by) {
  int is_setter = (by->flags & ARM_FILTERS) == ARM_FILTERS;
  if (!block_is_c()) put_call(to, to->enter, by->number, by->row);
  else if (by->setter.how) put_setter(to, by);
  if (block_is_c() && !is_setter)
    put_call_c(to, block_address() + block_head()->enter_c, by->number, by->row);
}

static void put_end(struct writer *to, const struct site *site, u32 number, u64 row) {
  u32 code = site->leaves == LEAVES_TAIL ? block_head()->tail_c : block_head()->leave_c;
  if (block_is_c()) put_call_c(to, block_address() + code, number, row);
  else put_call(to, to->leave, number, row);
}

/* Records a statement of C (target/entryC.S), below what a leaf may have below its stack pointer.
 * Flags are in use. */
static u32 put_guest_c(struct writer *to, const struct guest *guest) {
  u8 row[ARM_BYTES];
  memcpy(row, guest->row, sizeof row);
  *(u64 *)(row + PROBE_ROW_SWITCH) = block_switch_place(guest->number);
  u64 there = block_row(row);
  if (!there || to->length + 2 * GUEST_BYTES > sizeof to->bytes) return VERDICT_POOL_FULL;
  put(to, (const u8[]){0x48, 0x8d, 0x64, 0x24, (u8)-RED_ZONE}, 5); /* lea rsp, [rsp - RED_ZONE] */
  put(to, (const u8[]){0x41, 0x53}, 2);                            /* push r11 */
  put_relative(to, (const u8[]){0x4c, 0x8d, 0x1d}, 3, there, 0);   /* lea r11, [rip + x] */
  put_relative(to, (const u8[]){0xe8}, 1, block_address() + block_head()->probe_c, 0);
  put(to, (const u8[]){0x41, 0x5b}, 2);             /* pop r11 */
  put(to, (const u8[]){0x48, 0x8d, 0xa4, 0x24}, 4); /* lea rsp, [rsp + RED_ZONE] */
  put(to, &(const u32){RED_ZONE}, 4);
  return VERDICT_HOOKED;
}

/* Records a statement of Go (target/entry.S): rcx, exchanged with the thread's word, is its area;
 * where there is none yet one is claimed, under a lock, as nothing else is free that could be used.
 */
static u32 put_guest(struct writer *to, const struct guest *guest) {
  u8 row[ARM_BYTES];
  u64 start = to->at + to->length, lock = block_address() + block_head()->probe_lock;
  static const u8 exchange[] = {0x64, 0x48, 0x87, 0x0c, 0x25, THREAD_WORD, 0, 0, 0};
  memcpy(row, guest->row, sizeof row);
  *(u64 *)(row + PROBE_ROW_BACK) = start + GUEST_BACK;
  *(u64 *)(row + PROBE_ROW_SWITCH) = block_switch_place(guest->number);
  u64 there = block_row(row);
  if (!there || to->length + 2 * GUEST_BYTES > sizeof to->bytes) return VERDICT_POOL_FULL;
  put(to, exchange, sizeof exchange);
  put(to, (const u8[]){0xe3, 19, 0x48, 0x89, 0x81}, 5); /* jrcxz claim; mov [rcx + x], rax */
  put(to, &(const u32){AREA_PROBED}, 4);
  put_relative(to, (const u8[]){0x48, 0x8d, 0x05}, 3, there, 0); /* lea rax, [rip + x] */
  put_relative(to, (const u8[]){0xe9}, 1, block_address() + block_head()->probe, 0);
  /* claim: mov ecx, 1; xchg [rip + x], rcx; jrcxz claimed; pause; jmp claim */
  put(to, (const u8[]){0xb9, 1, 0, 0, 0}, 5);
  put_relative(to, (const u8[]){0x48, 0x87, 0x0d}, 3, lock, 0);
  put(to, (const u8[]){0xe3, 4, 0xf3, 0x90, 0xeb, (u8)-18}, 6);
  /* claimed: mov [rip + x], rax */
  put_relative(to, (const u8[]){0x48, 0x89, 0x05}, 3, lock + 8, 0);
  put_relative(to, (const u8[]){0x48, 0x8d, 0x05}, 3, there, 0);
  put_relative(to, (const u8[]){0xe9}, 1, block_address() + block_head()->probe_claim, 0);
  put(to, (const u8[]){0xb9, 0, 0, 0, 0}, 5); /* there is none: mov ecx, 0 */
  put(to, exchange, sizeof exchange);
  return VERDICT_HOOKED;
}

static u32 put_guests(struct writer *to, const struct recorder *by, u64 address) {
  u32 verdict = VERDICT_HOOKED;
  for (u32 i = 0; i < by->guest_count && verdict == VERDICT_HOOKED; i++)
    if (by->guests[i].address == address)
      verdict = block_is_c() ? put_guest_c(to, &by->guests[i]) : put_guest(to, &by->guests[i]);
  return verdict;
}

/* `count` bytes of the site's instructions from `from` on, and then on at `next`; 0: at what is put
 * behind them. */
static u32 put_displaced(struct writer *to, const u8 *code, const struct site *site, u32 from,
                         u32 count, u64 next, const struct recorder *by, struct stub *stub) {
  struct displaced moved = {.length = 0};
  const struct function_code function = {
      .bytes = code + from, .address = site->address + from, .room = count, .size = count};
  u64 start = to->at + to->length;
  u32 guests = put_guests(to, by, site->address + from);
  if (guests != VERDICT_HOOKED || !count) return guests;
  u64 at = to->at + to->length;
  u32 verdict = displace_part(&function, count, next ? next : at, at, &moved);
  if (verdict != VERDICT_HOOKED) return verdict;
  if (stub->moves + moved.moves + 1 > MOST_MOVES) return VERDICT_UNSUPPORTED_INSTRUCTION;
  if (from) {
    stub->from[stub->moves] = site->address + from;
    stub->to[stub->moves++] = start;
  }
  for (u32 i = 0; i < moved.moves; i++) {
    stub->from[stub->moves] = site->address + from + moved.from[i];
    stub->to[stub->moves++] = at + moved.to[i];
  }
  /* Without the jump that ends it. */
  put(to, moved.code, next ? moved.length : moved.length - JUMP_BYTES);
  return VERDICT_HOOKED;
}

/* Bytes of whole instructions, JUMP_BYTES or more. */
static u32 first_part(const u8 *code, u32 count) {
  u32 bytes = 0;
  struct instruction in;
  while (bytes < JUMP_BYTES && decode(code + bytes, count - bytes, 0, &in)) bytes += in.length;
  return bytes;
}

/* What ends the call. */
static u32 put_leaving(struct writer *to, const u8 *code, const struct site *site,
                       struct stub *stub) {
  struct displaced moved = {.length = 0};
  u64 at = to->at + to->length, from = site->address + site->displaced;
  if (site->displaced && site->displaced < JUMP_BYTES) {
    stub->from[stub->moves] = from;
    stub->to[stub->moves++] = at;
  }
  const struct function_code function = {.bytes = code + site->displaced,
                                         .address = from,
                                         .room = site->leaving,
                                         .size = site->leaving};
  u32 verdict = displace_part(&function, site->leaving, at, at, &moved);
  if (verdict == VERDICT_HOOKED) put(to, moved.code, moved.length);
  return verdict;
}

/* Where the run of displaced instructions from `from` on ends: a guest comes next, or what follows
 * the jump. */
static u32 run_end(const u8 *code, const struct site *site, u32 from, const struct recorder *by) {
  u32 end = site->displaced, part = site->is_room ? first_part(code, end) : end;
  if (from < part && part < end) end = part;
  for (u32 i = 0; i < by->guest_count; i++) {
    u64 at = by->guests[i].address - site->address;
    if (at > from && at < end) end = (u32)at;
  }
  return end;
}

static u32 put_stub(struct writer *to, const u8 *code, const struct site *site,
                    const struct recorder *by, struct stub *stub) {
  u32 count = site->displaced, verdict = VERDICT_HOOKED;
  u64 next = site->leaves ? 0 : site->address + count;
  if (site->is_entry) put_entry(to, by);
  for (u32 from = 0, end; from < count && verdict == VERDICT_HOOKED; from = end) {
    end = run_end(code, site, from, by);
    verdict = put_displaced(to, code, site, from, end - from, end < count ? 0 : next, by, stub);
  }
  if (verdict != VERDICT_HOOKED || !site->leaves) return verdict;
  verdict = put_guests(to, by, site->address + count);
  if (by->row && verdict == VERDICT_HOOKED) put_end(to, site, by->number, by->row);
  return verdict == VERDICT_HOOKED ? put_leaving(to, code, site, stub) : verdict;
}

static u32 entry_code(const struct head *head, u8 of) {
  if (!(of & ARM_PARKS)) return head->enter;
  if ((of & ARM_FILTERS) == ARM_FILTERS) return head->filters;
  if ((of & ARM_CALLS_C) == ARM_CALLS_C) return head->calls_c;
  if ((of & ARM_LEAVES_C) == ARM_LEAVES_C) return head->leaves_c;
  if (of & ARM_RAISES) return head->raise;
  if (of & ARM_ENDS) return head->recover;
  return of & ARM_RECOVERS ? head->pass : head->park;
}

static u32 end_code(const struct head *head, u8 of) {
  if (!(of & ARM_PARKS)) return head->leave;
  return of & ARM_RECOVERS ? head->recover : head->resume;
}

u32 stub_make(const u8 *code, const struct site *site, const struct recorder *by,
              struct stub *stub) {
  const struct head *head = block_head();
  struct writer to = {.at = block_stub_place(STUB_MOST_BYTES),
                      .enter = block_address() + entry_code(head, by->flags),
                      .leave = block_address() + end_code(head, by->flags)};
  if (!to.at) return VERDICT_POOL_FULL;
  stub->address = to.at;
  stub->moves = 0;
  u32 verdict = put_stub(&to, code, site, by, stub);
  if (verdict == VERDICT_HOOKED) block_stub(to.at, to.bytes, to.length);
  return verdict;
}
