/* See sites.h. */
#include "sites.h"
#include <stdlib.h>
#include <string.h>

#define MOST_CODE (1u << 20)
#define LOOKED_FOR_CHECK 8
#define SHORT_REACH 127

/* Behind `cmp rsp, [r14 + 16]` (or r12 with what a large frame takes off) and its branch: what
 * grows the stack starts the function again from its first instruction. In C behind endbr64. */
static u32 first_line(const struct body *body) {
  const u8 *marker = body->code;
  if (body->function->is_c)
    return marker[0] == 0xf3 && marker[1] == 0x0f && marker[2] == 0x1e && marker[3] == 0xfa;
  for (u32 i = 0; i + 1 < body->count && i < LOOKED_FOR_CHECK; i++) {
    const u8 *code = body->code + body->lines[i].at;
    int is_check = (code[0] == 0x49 || code[0] == 0x4d) && code[1] == 0x3b && code[2] == 0x66 &&
                   code[3] == 0x10;
    if (is_check && body->lines[i + 1].in.flow == FLOW_BRANCH) return i + 2;
  }
  return 0;
}

static void use(struct body *body, u32 first, u32 end) {
  while (first < end) body->lines[first++].is_used = 1;
}

/* Whether what a line does is the same where it is not the last that is displaced. */
static int may_move(const struct line *line, int is_last) {
  u8 flow = line->in.flow;
  if (line->may_fault || line->leaves) return 0;
  return flow == FLOW_NEXT || flow == FLOW_BRANCH ||
         (is_last && (flow == FLOW_CALL || flow == FLOW_JUMP));
}

static u32 find_entry(struct body *body, struct site *site) {
  u32 first = first_line(body), bytes = 0, i = first;
  if (first >= body->count) return VERDICT_TOO_SHORT;
  *site = (struct site){
      .address = body->address + body->lines[first].at, .is_entry = 1, .patched = JUMP_BYTES};
  if (body->lines[first].is_target) return VERDICT_BRANCH_INTO_PROLOGUE;
  for (; i < body->count && bytes < JUMP_BYTES; i++) {
    const struct line *line = &body->lines[i];
    u8 length = line->in.length;
    if (i > first && line->is_target) return VERDICT_BRANCH_INTO_PROLOGUE;
    if (line->may_fault) return VERDICT_MAY_FAULT;
    if (line->leaves) {
      site->leaves = line->leaves;
      site->leaving = length;
      site->displaced = (u8)bytes;
      use(body, 0, i + 1);
      return bytes + length + reading_padding(body, line) < JUMP_BYTES ? VERDICT_TOO_SHORT
                                                                       : VERDICT_HOOKED;
    }
    if (!may_move(line, bytes + length >= JUMP_BYTES)) return VERDICT_UNSUPPORTED_INSTRUCTION;
    bytes += length;
  }
  use(body, 0, i);
  site->displaced = (u8)bytes;
  return bytes < JUMP_BYTES ? VERDICT_TOO_SHORT : VERDICT_HOOKED;
}

/* The entry may have room for the jump of another site. */
static void widen_entry(struct body *body, struct site *site) {
  u32 i = first_line(body), bytes = 0;
  if (site->leaves) return;
  for (; i < body->count && bytes < site->displaced; i++) bytes += body->lines[i].in.length;
  for (; i < body->count && bytes < MOST_PATCHED; i++) {
    const struct line *line = &body->lines[i], *before = &body->lines[i - 1];
    int is_end = before->in.flow == FLOW_CALL || before->in.flow == FLOW_JUMP;
    if (is_end || line->is_used || line->is_target) return;
    if (!may_move(line, bytes + line->in.length >= MOST_PATCHED)) return;
    bytes += line->in.length;
  }
  if (bytes < MOST_PATCHED) return;
  use(body, 0, i);
  site->displaced = (u8)bytes;
  site->patched = MOST_PATCHED;
  site->is_room = 1;
  site->hole = site->address + JUMP_BYTES;
}

/* The end of a call, with what comes before it until there is room. */
static u32 find_exit(struct body *body, u32 at, struct site *site) {
  const struct line *lines = body->lines, *line = &lines[at];
  u32 first = at, bytes = line->in.length, padding = reading_padding(body, line);
  if (line->may_fault) return VERDICT_MAY_FAULT;
  while (bytes < JUMP_BYTES && !lines[first].is_target && first && !lines[first - 1].is_used &&
         may_move(&lines[first - 1], 0))
    bytes += lines[--first].in.length;
  *site = (struct site){.address = body->address + lines[first].at,
                        .leaves = line->leaves,
                        .leaving = line->in.length,
                        .displaced = (u8)(line->at - lines[first].at),
                        .patched = JUMP_BYTES};
  use(body, first, at + 1);
  if (bytes + padding >= JUMP_BYTES) return VERDICT_HOOKED;
  site->patched = SHORT_JUMP_BYTES;
  return body->function->is_c && bytes >= SHORT_JUMP_BYTES ? VERDICT_HOOKED : VERDICT_SHORT_RETURN;
}

static int reaches(const struct site *site, u64 hole) {
  long distance = (long)(hole - (site->address + SHORT_JUMP_BYTES));
  return distance >= -SHORT_REACH && distance <= SHORT_REACH;
}

/* Lines from `first` on that run elsewhere as well: behind the jump to them is room for another.
 * Returns the bytes of whole lines; 0: there is none. */
static u32 room_from(const struct body *body, u32 first, u32 *end) {
  u32 bytes = 0, i = first;
  for (; i < body->count && bytes < MOST_PATCHED; i++) {
    const struct line *line = &body->lines[i];
    bytes += line->in.length;
    if (line->is_used || (i > first && line->is_target)) return 0;
    if (!may_move(line, bytes >= MOST_PATCHED)) return 0;
  }
  *end = i;
  return bytes < MOST_PATCHED ? 0 : bytes;
}

/* Makes room near a site for the jump that it has no room for. */
static u32 make_room(struct body *body, struct site *site, struct sites *sites) {
  struct site *entry = &sites->all[0], *room = &sites->all[sites->count];
  if (!entry->hole && reaches(site, entry->address + JUMP_BYTES)) {
    widen_entry(body, entry);
    site->hole = entry->hole;
    if (site->hole) return VERDICT_HOOKED;
  }
  if (sites->count == MOST_SITES) return VERDICT_SHORT_RETURN;
  for (u32 i = 0, end; i < body->count; i++) {
    u64 address = body->address + body->lines[i].at;
    u32 bytes = reaches(site, address + JUMP_BYTES) ? room_from(body, i, &end) : 0;
    if (!bytes) continue;
    use(body, i, end);
    site->hole = address + JUMP_BYTES;
    *room = (struct site){.address = address,
                          .displaced = (u8)bytes,
                          .patched = MOST_PATCHED,
                          .is_room = 1,
                          .hole = site->hole};
    sites->count++;
    return VERDICT_HOOKED;
  }
  return VERDICT_SHORT_RETURN;
}

static u32 find(struct body *body, struct sites *sites) {
  u32 verdict = reading_of(body);
  if (verdict == VERDICT_HOOKED) verdict = find_entry(body, &sites->all[0]);
  sites->count = 1;
  if (body->function->has_entry_alone) return verdict;
  for (u32 i = 0; i < body->count && verdict == VERDICT_HOOKED; i++) {
    if (!body->lines[i].leaves || body->lines[i].is_used) continue;
    if (sites->count == MOST_SITES) return VERDICT_SHORT_RETURN;
    verdict = find_exit(body, i, &sites->all[sites->count++]);
  }
  for (u32 i = 1, count = sites->count; i < count && verdict == VERDICT_HOOKED; i++) {
    if (sites->all[i].patched == SHORT_JUMP_BYTES) verdict = make_room(body, &sites->all[i], sites);
  }
  return verdict;
}

/* A table that the code jumps by may lead to where a line of the source begins. */
static int has_jump_by_table(const struct body *body) {
  for (u32 i = 0; i < body->count; i++)
    if (body->lines[i].in.flow == FLOW_END && body->lines[i].leaves != LEAVES_RETURN) return 1;
  return 0;
}

static u32 find_statement(struct body *body, const struct statement *statement, struct site *site) {
  u64 at = statement->address;
  u32 verdict = reading_of(body), first = 0, bytes = 0;
  if (verdict != VERDICT_HOOKED) return verdict;
  if (statement->pads || (statement->rows && has_jump_by_table(body)))
    return VERDICT_BRANCH_INTO_PROLOGUE;
  while (first < body->count && body->address + body->lines[first].at < at) first++;
  if (first == body->count || body->address + body->lines[first].at != at)
    return VERDICT_UNDECODABLE;
  *site = (struct site){.address = at, .patched = JUMP_BYTES};
  for (u32 i = first; i < body->count && bytes < JUMP_BYTES; i++) {
    const struct line *line = &body->lines[i];
    u8 length = line->in.length;
    int is_led_to = body->function->is_c && (reading_is_led_into(body, line) ||
                                             (i > first && reading_is_led_to(body, line)));
    if (is_led_to || (i > first && line->is_target)) return VERDICT_BRANCH_INTO_PROLOGUE;
    if (line->may_fault) return VERDICT_MAY_FAULT;
    site->displaced = (u8)bytes;
    if (line->leaves) {
      site->leaves = line->leaves;
      site->leaving = length;
      return bytes + length + reading_padding(body, line) < JUMP_BYTES ? VERDICT_TOO_SHORT
                                                                       : VERDICT_HOOKED;
    }
    if (!may_move(line, bytes + length >= JUMP_BYTES)) return VERDICT_UNSUPPORTED_INSTRUCTION;
    bytes += length;
  }
  site->displaced = (u8)bytes;
  return bytes < JUMP_BYTES ? VERDICT_TOO_SHORT : VERDICT_HOOKED;
}

/* Takes the body of a function. */
static u32 take_body(struct body *body, const u8 *code, u64 address,
                     const struct function *function) {
  *body = (struct body){.code = code, .address = address, .function = function};
  if (function->is_assembler) return VERDICT_ASSEMBLER;
  if (function->end - address > MOST_CODE) return VERDICT_UNSUPPORTED_INSTRUCTION;
  body->room = body->bytes = (u32)(function->end - address);
  if (function->size) body->bytes = function->size;
  while (!function->size && body->bytes && code[body->bytes - 1] == PADDING) body->bytes--;
  body->lines = calloc(body->bytes + 1, sizeof *body->lines);
  return body->lines ? VERDICT_HOOKED : VERDICT_POOL_FULL;
}

u32 sites_find(const u8 *code, u64 address, const struct function *function, struct sites *sites) {
  struct body body;
  u32 verdict = take_body(&body, code, address, function);
  if (verdict == VERDICT_HOOKED) verdict = find(&body, sites);
  free(body.lines);
  return verdict;
}

u32 sites_statement(const u8 *code, u64 address, const struct function *function,
                    const struct statement *statement, struct site *site) {
  struct body body;
  u32 verdict = take_body(&body, code, address, function);
  body.is_part = function->is_c;
  if (verdict == VERDICT_HOOKED) verdict = find_statement(&body, statement, site);
  free(body.lines);
  return verdict;
}
