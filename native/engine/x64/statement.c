/* See ../statement.h. The function is read from its beginning: that the statement is met says that
 * its instructions are read as the processor does. Where a jump of ours stands, what it replaced is
 * read. */
#include "../statement.h"
#include "../sites.h"
#include "decode.h"

#define MOST_READ 0x100000u

struct reading {
  const struct statement *statement;
  u64 from, to; /* what must not be led to */
  int is_met, is_computed;
};

/* jmp r/m, but through a word that the linker fills in. */
static int is_computed_jump(const u8 *code, const struct instruction *in) {
  return in->flow == FLOW_END && in->modrm && !in->rip_offset && code[in->opcode] == 0xff;
}

static u32 read_one(struct reading *reading, const u8 *code, u64 room, u64 at,
                    struct instruction *in) {
  u8 copy[LONGEST_READ];
  code = without_plant(&reading->statement->code, code, room, at, copy);
  if (!decode(code, room, at, in) || in->length > room) return VERDICT_UNDECODABLE;
  reading->is_computed |= is_computed_jump(code, in);
  reading->is_met |= at == reading->statement->code.address;
  int leads_inside = in->target > reading->from && in->target < reading->to;
  return leads_inside ? VERDICT_BRANCH_INTO_PROLOGUE : VERDICT_HOOKED;
}

/* What a jump of ours replaced. Returns where it ends, or 0: no jump stands there. */
static u64 read_site(struct reading *reading, u64 at, u32 *verdict) {
  int number = sites_at(at);
  if (number < 0 || engine_sites[number].state == SITE_FREE) return 0;
  const struct site *site = &engine_sites[number];
  u64 end = at + (site->consumed < site->replaced ? site->replaced : site->consumed);
  struct instruction in;
  for (u32 done = 0; done < site->consumed && *verdict == VERDICT_HOOKED; done += in.length)
    *verdict =
        read_one(reading, site->original + done, sizeof site->original - done, at + done, &in);
  u64 statement = reading->statement->code.address;
  if (statement >= at && statement < end) *verdict = VERDICT_OVERLAPS;
  return end;
}

/* The instructions that begin before `last`. */
static u32 read_up_to(struct reading *reading, u64 at, u64 last, u64 end) {
  u32 verdict = VERDICT_HOOKED;
  while (at < last && verdict == VERDICT_HOOKED) {
    struct instruction in;
    u64 behind = read_site(reading, at, &verdict);
    if (!behind) {
      verdict = read_one(reading, (const u8 *)at, end - at, at, &in);
      behind = at + in.length;
    }
    at = behind;
  }
  return verdict;
}

static u32 read_range(struct reading *reading, u64 at, u64 end) {
  return read_up_to(reading, at, end, end);
}

static int can_be_read(const struct statement *statement) {
  u64 at = statement->code.address, end = at + statement->code.size;
  return statement->code.size && statement->start <= at && end - statement->start <= MOST_READ;
}

u32 statement_begins(const struct statement *statement) {
  struct reading reading = {.statement = statement};
  u64 at = statement->code.address;
  if (!can_be_read(statement)) return VERDICT_UNDECODABLE;
  u32 verdict = read_up_to(&reading, statement->start, at + 1, at + statement->code.size);
  return verdict == VERDICT_HOOKED && !reading.is_met ? VERDICT_UNDECODABLE : verdict;
}

u32 statement_first(const struct statement *statement, u32 *length) {
  const struct function_code *code = &statement->code;
  struct instruction in;
  u32 verdict = statement_begins(statement);
  if (verdict != VERDICT_HOOKED) return verdict;
  if (!decode(code->bytes, code->room, code->address, &in)) return VERDICT_UNDECODABLE;
  *length = in.length;
  return in.is_breakpoint ? VERDICT_BREAKPOINT : VERDICT_HOOKED;
}

u32 statement_check(const struct statement *statement) {
  u64 at = statement->code.address, end = at + statement->code.size;
  struct reading reading = {.statement = statement, .from = at, .to = at + JUMP_BYTES};
  if (!can_be_read(statement)) return VERDICT_UNDECODABLE;
  u32 verdict = read_range(&reading, statement->start, end);
  for (u32 i = 0; i < statement->range_count && verdict == VERDICT_HOOKED; i++) {
    const u64 *range = statement->ranges + 2 * i;
    verdict = read_range(&reading, range[0], range[0] + range[1]);
  }
  if (verdict != VERDICT_HOOKED) return verdict;
  if (!reading.is_met) return VERDICT_UNDECODABLE;
  u32 inside = statement->pads | (reading.is_computed ? statement->rows : 0);
  return inside ? VERDICT_BRANCH_INTO_PROLOGUE : VERDICT_HOOKED;
}
