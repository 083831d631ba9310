/* See reading.h. */
#include "reading.h"
#include "../stopper/memory.h"
#include "symbols.h"
#include <stdlib.h>
#include <string.h>

#define RETURN 0xc3
#define SHORT_REACH 128
#define LONGEST 15
#define MOST_PART (1u << 16)

static int has_memory(const u8 *code, const struct instruction *in) {
  if (!in->modrm || in->is_padding) return 0;
  return code[in->opcode] != 0x8d && code[in->modrm] >> 6 != 3; /* lea accesses nothing */
}

/* Whether it is sure that what it accesses is there: the stack, constants, the goroutine. A fault
 * elsewhere than in the program's own code would not be taken for a nil pointer. */
static int may_fault(const struct body *body, const u8 *code, const struct instruction *in) {
  u8 opcode = code[in->opcode], modrm = in->modrm ? code[in->modrm] : 0;
  u8 prefix = in->opcode && (code[in->opcode - 1] & 0xf0) == 0x40 ? code[in->opcode - 1] : 0;
  int is_string = (opcode & 0xfe) == 0xa4 || (opcode & 0xfe) == 0xaa || (opcode & 0xfe) == 0xa6 ||
                  (opcode & 0xfe) == 0xae;
  if (body->function->is_sure) return 0;
  if (!in->modrm) return is_string;
  if ((opcode & 0xfe) == 0xf6 && (modrm >> 3 & 6) == 6) return 1; /* a division */
  if (!has_memory(code, in)) return 0;
  if (in->rip_offset) return 0;
  if (code[0] == 0xc4 || code[0] == 0xc5 || code[0] == 0x62) return 1; /* of vectors */
  int is_c = body->function->is_c;
  for (u32 i = 0; i < in->opcode; i++)
    if (is_c && code[i] == 0x64) return 0; /* fs: of the thread's own */
  if (is_c && (modrm & 0xc7) == 4 && code[in->modrm + 1] == 0x25) return 0; /* a fixed address */
  u32 base = modrm & 7;
  if (is_c && body->is_framed && base == 5 && modrm >> 6 && !(prefix & 1)) return 0;
  if (base == 4) base = code[in->modrm + 1] & 7; /* SIB; the index may lead anywhere */
  if ((modrm & 7) == 4 && (code[in->modrm + 1] >> 3 & 7) != 4) return 1;
  int is_extended = prefix & 1;
  return !((base == 4 && !is_extended) || (base == 6 && is_extended));
}

static u32 line_at(const struct body *body, u32 at) {
  u32 low = 0, high = body->count;
  while (low < high) {
    u32 middle = (low + high) / 2;
    if (body->lines[middle].at < at) low = middle + 1;
    else high = middle;
  }
  return low < body->count && body->lines[low].at == at ? low : body->count;
}

/* Returns whether an instruction begins there. */
static int mark(struct body *body, u64 target) {
  u64 at = target - body->address;
  if (at >= body->bytes) return 1;
  u32 line = line_at(body, (u32)at);
  if (line < body->count) body->lines[line].is_target = 1;
  return line < body->count;
}

/* A table of addresses within the function: that of a switch. Returns how many there are. */
static u32 mark_table(struct body *body, u64 from) {
  u64 words[64];
  for (u32 count = 0;; from += sizeof words) {
    u32 got = memory_read(from, words, sizeof words) / 8;
    for (u32 i = 0; i < got; i++, count++) {
      if (words[i] - body->address >= body->bytes) return count;
      mark(body, words[i]);
    }
    if (got < 64) return count;
  }
}

/* The same of distances from the table, as code has it that may lie anywhere. */
static u32 mark_distances(struct body *body, u64 table) {
  int words[64];
  for (u64 count = 0;;) {
    u32 got = memory_read(table + 4 * count, words, sizeof words) / 4;
    for (u32 i = 0; i < got; i++, count++) {
      u64 target = table + (u64)(long)words[i];
      if (target - body->address >= body->bytes || !mark(body, target)) return (u32)count;
    }
    if (got < 64) return (u32)count;
  }
}

/* `jmp` by a register or by a word: to another function, unless it is that of a switch. */
static int is_indirect(const u8 *code, const struct instruction *in) {
  return in->flow == FLOW_END && in->modrm && code[in->opcode] == 0xff;
}

static u32 read_lines(struct body *body) {
  u32 at = 0;
  while (at < body->bytes) {
    struct line *line = &body->lines[body->count++];
    *line = (struct line){.at = at};
    if (!decode(body->code + at, body->bytes - at, body->address + at, &line->in))
      return VERDICT_UNDECODABLE;
    const u8 *code = body->code + at;
    if (line->in.is_breakpoint) return VERDICT_BREAKPOINT;
    if (line->in.flow == FLOW_END && code[line->in.opcode] == RETURN) line->leaves = LEAVES_RETURN;
    int is_frame = line->in.length == 3 && code[0] == 0x48 &&
                   ((code[1] == 0x89 && code[2] == 0xe5) || (code[1] == 0x8b && code[2] == 0xec));
    if (is_frame && body->count < 5) body->is_framed = 1;
    line->may_fault = (u8)may_fault(body, code, &line->in);
    at += line->in.length;
  }
  return at == body->bytes ? VERDICT_HOOKED : VERDICT_UNDECODABLE;
}

static u32 read_part(struct body *body, const struct symbol *part) {
  u8 code[LONGEST];
  u64 at = part->address, end = at + part->size;
  struct instruction in;
  if (part->size > MOST_PART) return VERDICT_TAIL_CALL;
  for (; at < end; at += in.length) {
    u32 got = memory_read(at, code, sizeof code);
    if (!decode(code, got, at, &in)) return VERDICT_UNDECODABLE;
    int is_jump = in.flow == FLOW_JUMP || in.flow == FLOW_BRANCH;
    int goes_out =
        is_jump && in.target - part->address >= part->size && !reading_is_inside(body, in.target);
    int leaves = in.flow == FLOW_END && (code[in.opcode] == RETURN || is_indirect(code, &in));
    if (goes_out || leaves) return VERDICT_TAIL_CALL;
    if (is_jump && !mark(body, in.target)) return VERDICT_UNDECODABLE;
  }
  return VERDICT_HOOKED;
}

/* A jump out of it: to a part of it that lies elsewhere, or to another function. */
static u32 mark_outer(struct body *body, struct line *line) {
  const struct symbol *to = body->function->is_c ? symbols_at(line->in.target) : 0;
  if (to && to->is_part) return read_part(body, to);
  if (!to || to->address != line->in.target || line->in.flow != FLOW_JUMP) return VERDICT_TAIL_CALL;
  line->leaves = LEAVES_TAIL;
  return VERDICT_HOOKED;
}

/* Addresses that an instruction names, which may be those of tables. Returns how many entries. */
static u32 mark_named(struct body *body, const struct line *line) {
  const struct instruction *in = &line->in;
  const u8 *code = body->code + line->at;
  int distance;
  if (in->rip_offset && code[in->opcode] == 0x8d) {
    memcpy(&distance, code + in->rip_offset, 4);
    u64 table = body->address + line->at + in->length + (u64)(long)distance;
    return mark_table(body, table) + (body->function->is_c ? mark_distances(body, table) : 0);
  }
  /* [disp32 + index * 8] */
  if (!in->modrm || (code[in->modrm] & 0xc7) != 4 || (code[in->modrm + 1] & 7) != 5) return 0;
  memcpy(&distance, code + in->modrm + 2, 4);
  return mark_table(body, (u64)(long)distance);
}

static u32 mark_targets(struct body *body) {
  u32 entries = 0, verdict = VERDICT_HOOKED;
  for (u32 i = 0; i < body->count && verdict == VERDICT_HOOKED; i++) {
    struct line *line = &body->lines[i];
    const struct instruction *in = &line->in;
    int is_jump = in->flow == FLOW_JUMP || in->flow == FLOW_BRANCH;
    if (in->flow == FLOW_LOOP) return VERDICT_UNSUPPORTED_INSTRUCTION;
    if (is_jump && !mark(body, in->target)) return VERDICT_UNDECODABLE;
    if (is_jump && !body->is_part && !reading_is_inside(body, in->target))
      verdict = mark_outer(body, line);
    entries += mark_named(body, line);
  }
  for (u32 i = 0; i < body->count && body->function->is_c; i++) {
    struct line *line = &body->lines[i];
    if (!entries && is_indirect(body->code + line->at, &line->in)) line->leaves = LEAVES_TAIL;
  }
  if (body->function->defer_return) mark(body, body->function->defer_return);
  return verdict;
}

/* Short jumps of code around it, as assembler has them. `from`: where an instruction begins. */
static u32 mark_near(struct body *body, u64 from, u64 to) {
  u8 code[LONGEST];
  while (from < to) {
    struct instruction in;
    int is_one = decode(code, memory_read(from, code, sizeof code), from, &in);
    int is_jump = is_one && (in.flow == FLOW_JUMP || in.flow == FLOW_BRANCH);
    if (is_jump && !mark(body, in.target)) return VERDICT_BRANCH_INTO_PROLOGUE;
    from += is_one ? in.length : 1;
  }
  return VERDICT_HOOKED;
}

int reading_is_led_into(const struct body *body, const struct line *line) {
  u64 from = body->address + line->at;
  return symbols_lead_to(from + 1, from + line->in.length);
}

int reading_is_led_to(const struct body *body, const struct line *line) {
  u64 from = body->address + line->at;
  return symbols_lead_to(from, from + 1);
}

static u32 mark_from_outside(struct body *body) {
  u64 end = body->address + body->bytes, next = symbols_next(end - 1);
  const struct symbol *before = symbols_before(body->address);
  for (u32 i = 0; i < body->count && !body->is_part; i++) {
    struct line *line = &body->lines[i];
    if (reading_is_led_into(body, line)) return VERDICT_BRANCH_INTO_PROLOGUE;
    if (i && reading_is_led_to(body, line)) line->is_target = 1;
  }
  int is_near = before && body->address - before->address < MOST_PART;
  u32 verdict =
      is_near ? mark_near(body, before->address, before->address + before->size) : VERDICT_HOOKED;
  if (verdict != VERDICT_HOOKED || !next || next - end > SHORT_REACH) return verdict;
  return mark_near(body, next, next + SHORT_REACH);
}

u32 reading_of(struct body *body) {
  u32 verdict = read_lines(body);
  if (verdict == VERDICT_HOOKED) verdict = mark_targets(body);
  return verdict == VERDICT_HOOKED && body->function->is_c ? mark_from_outside(body) : verdict;
}

int reading_is_inside(const struct body *body, u64 target) {
  return target - body->address < body->bytes;
}

u32 reading_padding(const struct body *body, const struct line *line) {
  u32 from = line->at + line->in.length, at = from;
  struct instruction in;
  if (from < body->bytes) return 0;
  while (at < body->room) {
    if (body->code[at] == PADDING) at++;
    else if (body->function->is_c && decode(body->code + at, body->room - at, 0, &in) &&
             in.is_padding && at + in.length <= body->room)
      at += in.length;
    else break;
  }
  return at - from;
}
