/* See sites.h. */
#include "sites.h"
#include "../engine/x64/decode.h"
#include "../stopper/memory.h"
#include <stdlib.h>
#include <string.h>

#define PADDING 0xcc
#define RETURN 0xc3
#define MOST_CODE (1u << 20)
#define LOOKED_FOR_CHECK 8

struct line {
  struct instruction in;
  u32 at;
  u8 is_target; /* something leads there */
  u8 may_fault;
  u8 is_return;
};

struct body {
  const u8 *code;
  u64 address;
  u32 bytes; /* without the padding behind it */
  u32 room;  /* with it */
  struct line *lines;
  u32 count;
  const struct go_function *function;
};

static int has_memory(const u8 *code, const struct instruction *in) {
  if (!in->modrm || in->is_padding) return 0;
  return code[in->opcode] != 0x8d && code[in->modrm] >> 6 != 3; /* lea accesses nothing */
}

/* Whether it is sure that what it accesses is there: the stack, constants, the goroutine. A fault
 * elsewhere than in the program's own code would not be taken for a nil pointer. */
static int may_fault(const u8 *code, const struct instruction *in) {
  u8 opcode = code[in->opcode], modrm = in->modrm ? code[in->modrm] : 0;
  u8 prefix = in->opcode && (code[in->opcode - 1] & 0xf0) == 0x40 ? code[in->opcode - 1] : 0;
  int is_string = (opcode & 0xfe) == 0xa4 || (opcode & 0xfe) == 0xaa || (opcode & 0xfe) == 0xa6 ||
                  (opcode & 0xfe) == 0xae;
  if (!in->modrm) return is_string;
  if ((opcode & 0xfe) == 0xf6 && (modrm >> 3 & 6) == 6) return 1; /* a division */
  if (!has_memory(code, in)) return 0;
  if (in->rip_offset) return 0;
  if (code[0] == 0xc4 || code[0] == 0xc5 || code[0] == 0x62) return 1; /* of vectors */
  u32 base = modrm & 7;
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

/* A table of addresses within the function: that of a switch. */
static void mark_table(struct body *body, u64 from) {
  u64 words[64];
  for (;;) {
    u32 got = memory_read(from, words, sizeof words) / 8;
    for (u32 i = 0; i < got; i++) {
      if (words[i] - body->address >= body->bytes) return;
      mark(body, words[i]);
    }
    if (got < 64) return;
    from += sizeof words;
  }
}

static u32 read_body(struct body *body) {
  u32 at = 0;
  while (at < body->bytes) {
    struct line *line = &body->lines[body->count++];
    line->at = at;
    if (!decode(body->code + at, body->bytes - at, body->address + at, &line->in))
      return VERDICT_UNDECODABLE;
    const u8 *code = body->code + at;
    if (line->in.is_breakpoint) return VERDICT_BREAKPOINT;
    line->is_return = line->in.flow == FLOW_END && code[line->in.opcode] == RETURN;
    line->may_fault = (u8)may_fault(code, &line->in);
    at += line->in.length;
  }
  return at == body->bytes ? VERDICT_HOOKED : VERDICT_UNDECODABLE;
}

static u32 mark_targets(struct body *body) {
  for (u32 i = 0; i < body->count; i++) {
    const struct line *line = &body->lines[i];
    const struct instruction *in = &line->in;
    const u8 *code = body->code + line->at;
    if (in->flow == FLOW_LOOP) return VERDICT_UNSUPPORTED_INSTRUCTION;
    if ((in->flow == FLOW_JUMP || in->flow == FLOW_BRANCH) && !mark(body, in->target))
      return VERDICT_UNDECODABLE;
    int is_lea = in->rip_offset && code[in->opcode] == 0x8d;
    if (!is_lea) continue;
    int distance;
    memcpy(&distance, code + in->rip_offset, 4);
    mark_table(body, body->address + line->at + in->length + (u64)(long)distance);
  }
  if (body->function->defer_return) mark(body, body->function->defer_return);
  return VERDICT_HOOKED;
}

static int is_inside(const struct body *body, u64 target) {
  return target - body->address < body->bytes;
}

/* Behind `cmp rsp, [r14 + 16]` (or r12 with what a large frame takes off) and its branch: what
 * grows the stack starts the function again from its first instruction. */
static u32 first_line(const struct body *body) {
  for (u32 i = 0; i + 1 < body->count && i < LOOKED_FOR_CHECK; i++) {
    const u8 *code = body->code + body->lines[i].at;
    int is_check = (code[0] == 0x49 || code[0] == 0x4d) && code[1] == 0x3b && code[2] == 0x66 &&
                   code[3] == 0x10;
    if (is_check && body->lines[i + 1].in.flow == FLOW_BRANCH) return i + 2;
  }
  return 0;
}

static int is_plain(const struct line *line) {
  return line->in.flow == FLOW_NEXT && !line->may_fault;
}

/* How many bytes of padding follow a return. */
static u32 padding_behind(const struct body *body, const struct line *line) {
  u32 from = line->at + line->in.length, at = from;
  while (at < body->room && body->code[at] == PADDING) at++;
  return from >= body->bytes ? at - from : 0;
}

static u32 find_entry(const struct body *body, struct site *site, u32 *covered) {
  u32 first = first_line(body), bytes = 0, i = first;
  if (first >= body->count) return VERDICT_TOO_SHORT;
  *site = (struct site){.address = body->address + body->lines[first].at, .is_entry = 1};
  if (body->lines[first].is_target) return VERDICT_BRANCH_INTO_PROLOGUE;
  for (; i < body->count && bytes < JUMP_BYTES; i++) {
    const struct line *line = &body->lines[i];
    if (i > first && line->is_target) return VERDICT_BRANCH_INTO_PROLOGUE;
    if (line->is_return) {
      site->returns = 1;
      site->displaced = (u8)bytes;
      bytes += line->in.length + padding_behind(body, line);
      *covered = i + 1;
      site->patched = JUMP_BYTES;
      return bytes < JUMP_BYTES ? VERDICT_TOO_SHORT : VERDICT_HOOKED;
    }
    if (line->may_fault) return VERDICT_MAY_FAULT;
    int is_last = bytes + line->in.length >= JUMP_BYTES;
    int ends = line->in.flow == FLOW_CALL || line->in.flow == FLOW_JUMP;
    if (line->in.flow == FLOW_JUMP && !is_inside(body, line->in.target))
      return VERDICT_UNSUPPORTED_INSTRUCTION;
    if (line->in.flow != FLOW_NEXT && line->in.flow != FLOW_BRANCH && !(ends && is_last))
      return VERDICT_UNSUPPORTED_INSTRUCTION;
    if (line->in.flow == FLOW_BRANCH && !is_inside(body, line->in.target))
      return VERDICT_UNSUPPORTED_INSTRUCTION;
    bytes += line->in.length;
  }
  *covered = i;
  site->displaced = (u8)bytes;
  site->patched = JUMP_BYTES;
  return bytes < JUMP_BYTES ? VERDICT_TOO_SHORT : VERDICT_HOOKED;
}

static u32 find_exit(const struct body *body, u32 at, u32 covered, struct site *site) {
  u32 first = at, bytes = body->lines[at].in.length;
  while (bytes < JUMP_BYTES && first > covered && !body->lines[first].is_target &&
         is_plain(&body->lines[first - 1]))
    bytes += body->lines[--first].in.length;
  *site = (struct site){.address = body->address + body->lines[first].at,
                        .returns = 1,
                        .displaced = (u8)(body->lines[at].at - body->lines[first].at),
                        .patched = JUMP_BYTES};
  return bytes + padding_behind(body, &body->lines[at]) < JUMP_BYTES ? VERDICT_SHORT_RETURN
                                                                     : VERDICT_HOOKED;
}

static u32 find_exits(const struct body *body, u32 covered, struct sites *sites) {
  for (u32 i = covered; i < body->count; i++) {
    const struct line *line = &body->lines[i];
    int leaves = (line->in.flow == FLOW_JUMP || line->in.flow == FLOW_BRANCH) &&
                 !is_inside(body, line->in.target);
    if (leaves) return VERDICT_TAIL_CALL;
    if (!line->is_return) continue;
    if (sites->count == MOST_SITES) return VERDICT_SHORT_RETURN;
    u32 verdict = find_exit(body, i, covered, &sites->all[sites->count++]);
    if (verdict != VERDICT_HOOKED) return verdict;
  }
  return VERDICT_HOOKED;
}

static u32 find(struct body *body, struct sites *sites) {
  u32 covered = 0, verdict = read_body(body);
  if (verdict == VERDICT_HOOKED) verdict = mark_targets(body);
  if (verdict == VERDICT_HOOKED) verdict = find_entry(body, &sites->all[0], &covered);
  sites->count = 1;
  return verdict == VERDICT_HOOKED ? find_exits(body, covered, sites) : verdict;
}

u32 sites_find(const u8 *code, u64 address, const struct go_function *function,
               struct sites *sites) {
  struct body body = {.code = code, .address = address, .function = function};
  if (function->is_assembler) return VERDICT_ASSEMBLER;
  if (function->end - address > MOST_CODE) return VERDICT_UNSUPPORTED_INSTRUCTION;
  body.room = body.bytes = (u32)(function->end - address);
  while (body.bytes && code[body.bytes - 1] == PADDING) body.bytes--;
  body.lines = calloc(body.bytes + 1, sizeof *body.lines);
  u32 verdict = body.lines ? find(&body, sites) : VERDICT_POOL_FULL;
  free(body.lines);
  return verdict;
}
