/* Arming and disarming. One caller at a time (the agent's thread).
 *
 * arm:  check and relocate each row → islands (written, then made executable, never written
 *       again) → tables and flag of the thunk → the jumps, with running threads stopped. */
#include "callers.h"
#include "code.h"
#include "counted.h"
#include "cpu.h"
#include "exceptions.h"
#include "fileCode.h"
#include "maps.h"
#include "narrow.h"
#include "patch.h"
#include "plan.h"
#include "pool.h"
#include "probeEntry.h"
#include "raw.h"
#include "readSafely.h"
#include "recording.h"
#include "relocate.h"
#include "sites.h"
#include "statement.h"
#include "tables.h"
#include "tap.h"
#include "traps.h"
#include "walk.h"
#include "watches.h"

/* A traced function may be one that we hook for an end of our own; jumps that lean on each other
 * are hardly more than a few. */
#define MOST_ROUNDS 8
#define INT3 0xcc

/* Islands of one call, near one module. */
struct arena {
  u64 start, used, end;
};

struct arming {
  struct map_table maps;
  struct change *changes;
  u32 *functions; /* of the changes */
  u32 change_count;
  struct arena arena;
  u8 *codes;
};

struct row {
  u64 address;
  u32 size, fn;
  u16 stack_bytes, string_bytes;
  u8 return_kind, op_count, flags, next;
  u64 return_op;
  u64 ops[RECORD_MAX_OPS];
};
_Static_assert(sizeof(struct row) == ARM_BYTES, "the row is the contract's");
_Static_assert(__builtin_offsetof(struct row, ops) == ARM_OPS, "the row is the contract's");

static int is_probe(const struct row *row) {
  return row->fn < FIRST_EXCEPTION_HOOK && row->flags & ARM_IS_PROBE;
}

static int is_by_trap(const struct row *row) { return is_probe(row) && row->flags & ARM_BY_TRAP; }

static int equal(const u8 *a, const u8 *b, u32 count) {
  for (u32 i = 0; i < count; i++)
    if (a[i] != b[i]) return 0;
  return 1;
}

/* What has become of the jump to our island. Gone: its library is, or it was taken away. Covered: a
 * debugger or another tool put something over it, and will put it back. */
enum jump_state { JUMP_GONE, JUMP_COVERED, JUMP_STANDS };

/* The stopper may not have written its int3 yet, or have taken it out for a moment. */
static enum jump_state trap_state(const struct site *site) {
  u8 found[sizeof site->original];
  if (read_safely(found, site->address, site->consumed) != site->consumed) return JUMP_GONE;
  int is_whole = equal(site->original + 1, found + 1, site->consumed - 1u);
  return is_whole && (found[0] == INT3 || found[0] == site->original[0]) ? JUMP_STANDS : JUMP_GONE;
}

static enum jump_state jump_state(const struct site *site) {
  if (site->state == SITE_TRAPPED) return trap_state(site);
  if (site->host) {
    const struct site *host = &engine_sites[site->host - 1];
    int is_led_to = host->displaced == site->led_from && host->state != SITE_FREE;
    if (!is_led_to) return JUMP_GONE;
    return host->state == SITE_PENDING ? JUMP_STANDS : jump_state(host);
  }
  u8 jump[JUMP_BYTES], found[JUMP_BYTES];
  if (!site->island || read_safely(found, site->address, JUMP_BYTES) != JUMP_BYTES)
    return JUMP_GONE;
  code_jump(site->address, site->island, jump);
  if (equal(jump, found, JUMP_BYTES)) return JUMP_STANDS;
  if (equal(site->original, found, JUMP_BYTES)) return JUMP_GONE;
  if (code_has_breakpoint(jump, found)) return JUMP_COVERED;
  return site->state == SITE_PATCHED && code_is_jump(found) ? JUMP_COVERED : JUMP_GONE;
}

/* Makes the rest of the arena executable and gives back what was not used. */
static int arena_close(struct arena *arena) {
  if (!arena->start) return 1;
  u64 end = (arena->used + PAGE - 1) & ~(PAGE - 1);
  if (end < arena->end) unmap_memory((void *)end, arena->end - end);
  long failed = end > arena->start
                    ? raw3(__NR_mprotect, arena->start, end - arena->start, PROT_READ | PROT_EXEC)
                    : 0;
  code_was_written(arena->start, end);
  arena->start = 0;
  return failed == 0;
}

static u64 arena_take(struct arming *arming, u64 address, u32 remaining) {
  struct arena *arena = &arming->arena;
  u64 far = arena->used > address ? arena->used - address : address - arena->used;
  if (!arena->start || far > ISLAND_REACH || arena->used + ISLAND_BYTES > arena->end) {
    arena_close(arena);
    u64 bytes = ((u64)remaining * ISLAND_BYTES + PAGE - 1) & ~(PAGE - 1);
    arena->start = maps_near(&arming->maps, address, bytes);
    if (!arena->start) return 0;
    arena->used = arena->start;
    arena->end = arena->start + bytes;
    /* The table must not offer the same hole again. */
    maps_close(&arming->maps);
    if (!maps_open(&arming->maps)) return 0;
  }
  return arena->used;
}

static struct plan plan_of(const struct row *row) {
  struct plan plan = {.payload_words = 1};
  if (is_probe(row)) return plan;
  u32 words = 0, reads = 0, is_fast = row->op_count <= 4 && row->stack_bytes == 0;
  plan.stack_bytes =
      row->stack_bytes == ARM_OPEN_STACK ? ARM_OPEN_STACK : (u16)((row->stack_bytes + 7) & ~7);
  plan.string_bytes = row->string_bytes;
  plan.return_kind = row->return_kind;
  plan.op_count = row->op_count;
  plan.return_op = row->return_op;
  if (row->return_kind == RETURN_FILLED) is_fast = 0;
  for (u32 i = 0; i < row->op_count; i++) {
    u64 op = row->ops[i];
    u32 kind = op & 0xff, size = op >> 16 & 0xffff;
    words += kind >= CAPTURE_STRING_INTEGER ? 2 + size / 8 : 1;
    if (kind != CAPTURE_INTEGER || (op >> 8 & 0xff) != i) is_fast = 0;
    reads |= kind == CAPTURE_WALK_REGISTERS || kind == CAPTURE_WALK_STACK
                 ? walk_reads(op >> 32 & 0xfffff)
                 : kind >= CAPTURE_STRING_INTEGER;
    plan.ops[i] = op;
  }
  plan.payload_words = (u16)(words > MOST_PAYLOAD_WORDS ? MOST_PAYLOAD_WORDS : words ? words : 1);
  plan.is_fast = (u8)is_fast;
  plan.reads_memory = (u8)reads;
  return plan;
}

static u32 plan_word(u32 fn, const struct plan *plan) {
  u32 word = fn | (u32)engine_process.frame_epoch;
  if (plan->op_count > 1) word |= 1u << RECORD_FUNCTION_BITS;
  if (plan->return_kind == RETURN_FLOAT) word |= PLAN_FLOAT_RETURN;
  if (plan->return_kind >= RETURN_STRING) word |= PLAN_STRING_RETURN;
  if (plan->stack_bytes) word |= PLAN_STACK;
  if (!plan->is_fast) word |= PLAN_GENERAL;
  return word | counted_plan(fn) | watch_plan(fn);
}

static void write_island(u64 at, const struct row *row, const struct displaced *displaced) {
  u8 *island = (u8 *)at;
  u32 fn = row->fn;
  u64 thunk = fn < FIRST_EXCEPTION_HOOK ? (u64)engine_thunks + (u64)fn * THUNK_BYTES
              : fn < FIRST_TAP          ? exception_entry(fn)
                                        : tap_entry(fn);
  if (is_probe(row)) code_probe_head(island, fn, (u64)engine_probe);
  else code_head(island, thunk);
  copy_bytes(island + ISLAND_HEAD, displaced->code, displaced->length);
}

static void lean_on(struct site *site, u32 number) {
  site->lean = number;
  if (number) engine_sites[number - 1].riders++;
}

/* Its jump is gone. */
static void free_site(struct site *site) {
  site->state = SITE_FREE;
  if (site->lean) engine_sites[site->lean - 1].riders--;
  site->lean = 0;
}

static u32 check(const struct arming *arming, const struct row *row) {
  if (row->fn >= RECORD_MAX_FUNCTIONS) return VERDICT_POOL_FULL;
  if (row->stack_bytes > STACK_COPY_MAX && row->stack_bytes != ARM_OPEN_STACK)
    return VERDICT_STACK_ARGUMENTS_TOO_LARGE;
  if (row->op_count > RECORD_MAX_OPS || row->return_kind > RETURN_FILLED)
    return VERDICT_UNSUPPORTED_INSTRUCTION;
  const struct mapping *mapping = maps_find(&arming->maps, row->address);
  u32 wanted = PROT_READ | PROT_EXEC;
  if (!mapping || (mapping->protection & wanted) != wanted ||
      row->address + JUMP_BYTES > mapping->end)
    return VERDICT_NOT_EXECUTABLE;
  for (u64 at = row->address - JUMP_BYTES + 1; at < row->address + JUMP_BYTES; at++) {
    int other = sites_at(at);
    if (other < 0 || (u32)other == row->fn) continue;
    struct site *site = &engine_sites[other];
    if (site->state == SITE_PENDING) return VERDICT_OVERLAPS;
    if (site->state == SITE_TRAPPED && at + site->consumed <= row->address) continue;
    enum jump_state state = jump_state(site);
    if (state == JUMP_STANDS) return VERDICT_OVERLAPS;
    if (state == JUMP_COVERED) return VERDICT_BREAKPOINT;
    recording_disarm((u32)other);
    free_site(site);
  }
  return VERDICT_HOOKED;
}

/* A statement among the instructions that a jump of ours replaced needs none of its own: where
 * the program goes on there leads to its island, and from that to the rest. Returns the number of
 * the last site before it that this leads through, or -1. */
static int host_of(const struct row *row) {
  for (u64 back = 0; back < JUMP_BYTES; back++) {
    int number = sites_at(row->address - back);
    if (number < 0 || (u32)number == row->fn) continue;
    const struct site *site = &engine_sites[number];
    if (back >= site->consumed || (u32)number >= FIRST_EXCEPTION_HOOK) return -1;
    if (site->state != SITE_PENDING && jump_state(site) != JUMP_STANDS) return -1;
    int is_start = !back;
    for (u32 i = 0; i < site->moves; i++) is_start |= site->from[i] == back;
    for (u32 next; (next = engine_sites[number].rider); number = (int)next - 1)
      if (engine_sites[next - 1].address >= row->address) break;
    return is_start ? number : -1;
  }
  return -1;
}

/* A hook that is on and stays as it was misses no call meanwhile. */
static void enable(const struct row *row) {
  u32 fn = row->fn;
  u64 target = engine_sites[fn].displaced;
  u32 host = engine_sites[fn].host;
  struct plan wanted = plan_of(row), *plan = &engine_plans[fn];
  if (target != engine_targets[fn] ||
      !equal((const u8 *)&wanted, (const u8 *)plan, sizeof wanted)) {
    recording_disarm(fn);
    copy_bytes(plan, &wanted, sizeof wanted);
  }
  SET_RELAXED(engine_plan_words[fn], plan_word(fn, plan));
  if (fn >= engine_function_count && fn < FIRST_EXCEPTION_HOOK)
    SET_RELAXED(engine_function_count, fn + 1);
  if (fn >= FIRST_TAP) tap_set_shape(fn, row->flags);
  else if (fn >= FIRST_EXCEPTION_HOOK) exception_set_kind(fn, row->flags);
  SET_RELAXED(engine_targets[fn], target);
  recording_arm(fn);
  if (host) SET_RELAXED(engine_targets[host - 1], engine_sites[host - 1].displaced);
}

static struct statement statement_of(const struct row *row, const struct function_code *code) {
  return (struct statement){
      .code = *code,
      .start = row->address - (u32)row->return_op,
      .pads = row->return_op >> 32 & 0xff,
      .rows = row->return_op >> 40 & 0xff,
      .ranges = row->ops,
      .range_count = row->op_count / 2,
  };
}

static u32 displace_statement(const struct row *row, const struct function_code *code, u64 at,
                              struct displaced *out) {
  struct statement statement = statement_of(row, code);
  if ((u32)row->return_op > code->before) return VERDICT_UNDECODABLE;
  u32 verdict = statement_check(&statement);
  if (verdict != VERDICT_HOOKED) return verdict;
  out->length = PROBE_LEAVE;
  code_probe_leave(out->code);
  verdict = displace(code, at, out);
  int has_room = out->length + 8 <= DISPLACED_BYTES;
  return verdict == VERDICT_HOOKED && !has_room ? VERDICT_UNSUPPORTED_INSTRUCTION : verdict;
}

static struct function_code code_of(const struct arming *arming, const struct row *row) {
  const struct mapping *mapping = maps_find(&arming->maps, row->address);
  return (struct function_code){
      .bytes = (const u8 *)row->address,
      .address = row->address,
      .before = row->address - mapping->start,
      .room = mapping->end - row->address,
      .size = row->size,
      .next = row->next,
      .looks_of = callers_looks_of,
      .is_of_file = file_code_has,
      .is_planted = traps_planted,
  };
}

static void keep_site(struct site *site, const struct row *row, u64 island,
                      const struct displaced *displaced, const u8 *original) {
  site->address = row->address;
  site->island = island;
  site->displaced = island + ISLAND_HEAD;
  site->host = site->riders = site->rider = site->lean = 0;
  site->is_probe = (u8)is_probe(row);
  site->replaced = JUMP_BYTES;
  sites_add_island(island);
  site->consumed = displaced->consumed;
  site->moves = displaced->moves;
  copy_bytes(site->original, original, sizeof site->original);
  copy_bytes(site->from, displaced->from, MAX_MOVES);
  copy_bytes(site->to, displaced->to, MAX_MOVES);
}

static u32 make_site(struct arming *arming, const struct row *row, u32 remaining) {
  struct site *site = &engine_sites[row->fn];
  struct function_code code = code_of(arming, row);
  struct displaced displaced;
  u64 island = arena_take(arming, row->address, remaining);
  if (!island) return VERDICT_NO_NEAR_MEMORY;
  /* Taken first: the jump is written only where this still stands. */
  u8 original[sizeof site->original] = {0};
  copy_bytes(original, code.bytes, code.room < sizeof original ? code.room : sizeof original);
  u32 verdict = is_probe(row) ? displace_statement(row, &code, island + ISLAND_HEAD, &displaced)
                              : relocate(&code, island + ISLAND_HEAD, &displaced);
  if (verdict != VERDICT_HOOKED) return verdict;
  write_island(island, row, &displaced);
  arming->arena.used += ISLAND_BYTES;
  keep_site(site, row, island, &displaced, original);
  return VERDICT_HOOKED;
}

/* One comes (1) or goes (-1): its host keeps its jump as long as it is there. */
static void count_rider(const struct site *site, u32 change) {
  if (!site->host) return;
  struct site *host = &engine_sites[site->host - 1];
  host->riders += change;
  host->rider = change == 1 ? (u32)(site - engine_sites) + 1 : 0;
}

/* One that rides on the same site comes behind it. */
static u32 make_rider(struct arming *arming, const struct row *row, u32 number, u32 remaining) {
  struct site *site = &engine_sites[row->fn], *host = &engine_sites[number];
  struct site *next = host->rider ? &engine_sites[host->rider - 1] : 0;
  u32 before = (u32)(row->address - host->address), left = host->consumed - before;
  u32 behind = next ? (u32)(next->address - row->address) : left;
  struct function_code rest = {.bytes = host->original + before,
                               .address = row->address,
                               .room = sizeof host->original - before};
  struct function_code first = {
      .bytes = host->original, .address = host->address, .room = sizeof host->original};
  struct displaced own = {.length = PROBE_LEAVE}, lead = {0};
  u64 island = arena_take(arming, row->address, remaining + 1);
  if (!island) return VERDICT_NO_NEAR_MEMORY;
  code_probe_leave(own.code);
  u64 end = next ? next->island : row->address + behind;
  u32 verdict = displace_part(&rest, behind, end, island + ISLAND_HEAD, &own);
  if (verdict != VERDICT_HOOKED) return verdict;
  write_island(island, row, &own);
  arming->arena.used += ISLAND_BYTES;
  u64 before_it = arena_take(arming, row->address, remaining);
  if (!before_it) return VERDICT_NO_NEAR_MEMORY;
  if (host->is_probe) {
    lead.length = PROBE_LEAVE;
    code_probe_leave(lead.code);
  }
  verdict = displace_part(&first, before, island, before_it + ISLAND_HEAD, &lead);
  if (verdict != VERDICT_HOOKED) return verdict;
  copy_bytes((u8 *)before_it + ISLAND_HEAD, lead.code, lead.length);
  arming->arena.used += ISLAND_BYTES;
  u8 original[sizeof site->original] = {0};
  copy_bytes(original, rest.bytes, sizeof original - before);
  keep_site(site, row, island, &own, original);
  site->consumed = (u8)left;
  site->host = number + 1;
  site->led_from = host->displaced = before_it + ISLAND_HEAD;
  if (!next) return VERDICT_HOOKED;
  count_rider(next, -1u);
  next->host = row->fn + 1;
  next->led_from = site->displaced;
  count_rider(next, 1);
  return VERDICT_HOOKED;
}

EXPORT u32 engine_disarm(const u32 *functions, u32 count);

static void want_jump(struct arming *arming, u32 fn) {
  struct site *site = &engine_sites[fn];
  struct change *change = &arming->changes[arming->change_count];
  change->address = site->address;
  change->refused = VERDICT_HOOKED;
  code_jump(site->address, site->island, change->bytes);
  change->found_bytes = site->consumed > JUMP_BYTES ? site->consumed : JUMP_BYTES;
  copy_bytes(change->found, site->original, change->found_bytes);
  arming->functions[arming->change_count++] = fn;
  site->state = SITE_PENDING;
  sites_add(fn);
}

/* An int3 replaces the first byte of its instruction: no jump may lie over that, and none is put
 * there later (check, narrow_look). */
static u32 check_trap(const struct arming *arming, const struct row *row) {
  if (row->fn >= RECORD_MAX_FUNCTIONS) return VERDICT_POOL_FULL;
  const struct mapping *mapping = maps_find(&arming->maps, row->address);
  u32 wanted = PROT_READ | PROT_EXEC;
  if (!mapping || (mapping->protection & wanted) != wanted) return VERDICT_NOT_EXECUTABLE;
  for (u64 back = 0; back < sizeof engine_sites->original; back++) {
    int other = sites_at(row->address - back);
    if (other < 0 || (u32)other == row->fn) continue;
    const struct site *site = &engine_sites[other];
    u64 taken = site->consumed > site->replaced ? site->consumed : site->replaced;
    if (site->state != SITE_TRAPPED && taken < JUMP_BYTES) taken = JUMP_BYTES;
    if (back < taken && (site->state == SITE_PENDING || jump_state(site) != JUMP_GONE))
      return VERDICT_OVERLAPS;
  }
  return VERDICT_HOOKED;
}

/* Nothing is written but the island: the stopper sends there who meets its int3. */
static u32 arm_trap(struct arming *arming, const struct row *row, u32 remaining) {
  u32 verdict = check_trap(arming, row);
  if (verdict != VERDICT_HOOKED) return verdict;
  struct site *site = &engine_sites[row->fn];
  struct function_code code = code_of(arming, row);
  struct statement statement = statement_of(row, &code);
  struct displaced own = {.length = PROBE_LEAVE};
  u8 original[sizeof site->original] = {0}, first;
  if (site->state == SITE_TRAPPED && site->address == row->address) return VERDICT_HOOKED;
  if (site->state != SITE_FREE) return VERDICT_OVERLAPS;
  if ((u32)row->return_op > code.before) return VERDICT_UNDECODABLE;
  copy_bytes(original, code.bytes, code.room < sizeof original ? code.room : sizeof original);
  if (*original == INT3 && traps_planted(row->address, &first)) *original = first;
  statement.code.bytes = code.bytes = original;
  if (code.room > sizeof original) statement.code.room = code.room = sizeof original;
  u32 length = 0;
  verdict = statement_first(&statement, &length);
  if (verdict != VERDICT_HOOKED) return verdict;
  u64 island = arena_take(arming, row->address, remaining);
  if (!island) return VERDICT_NO_NEAR_MEMORY;
  code_probe_leave(own.code);
  verdict = displace_part(&code, length, row->address + length, island + ISLAND_HEAD, &own);
  if (verdict != VERDICT_HOOKED) return verdict;
  write_island(island, row, &own);
  arming->arena.used += ISLAND_BYTES;
  keep_site(site, row, island, &own, original);
  site->replaced = 0;
  site->state = SITE_TRAPPED;
  sites_add(row->fn);
  return VERDICT_HOOKED;
}

static u32 arm_row(struct arming *arming, const struct row *row, u32 remaining) {
  if (is_by_trap(row)) return arm_trap(arming, row, remaining);
  int host = row->fn < RECORD_MAX_FUNCTIONS && is_probe(row) ? host_of(row) : -1;
  u32 verdict = host >= 0 ? VERDICT_HOOKED : check(arming, row);
  if (verdict != VERDICT_HOOKED) return verdict;
  struct site *site = &engine_sites[row->fn];
  int is_here = site->address == row->address;
  /* Its library was unloaded, and has come again. */
  if (site->state == SITE_TRAPPED) {
    recording_disarm(row->fn);
    free_site(site);
  }
  if (is_here && (site->state == SITE_PENDING || jump_state(site) != JUMP_GONE)) {
    if (site->state == SITE_FREE) {
      site->state = SITE_PATCHED;
      sites_add(row->fn);
      count_rider(site, 1);
      if (site->replaced < JUMP_BYTES) lean_on(site, narrow_lean(site->address));
    }
    enable(row);
    return VERDICT_HOOKED;
  }
  if (site->state == SITE_PENDING)
    return VERDICT_OVERLAPS; /* its number stands twice in the table */
  if (site->state == SITE_PATCHED) engine_disarm(&row->fn, 1);
  if (site->state == SITE_PATCHED) return VERDICT_NOT_STOPPED;
  if (host >= 0) {
    verdict = make_rider(arming, row, (u32)host, remaining);
    if (verdict != VERDICT_HOOKED) return verdict;
    site->state = SITE_PATCHED;
    sites_add(row->fn);
    count_rider(site, 1);
    return VERDICT_HOOKED;
  }
  /* An island made before serves again when the code is the same. */
  u32 kept = site->consumed > JUMP_BYTES ? site->consumed : JUMP_BYTES;
  if (!site->island || site->host || site->address != row->address || site->replaced < JUMP_BYTES ||
      !equal(site->original, (const u8 *)row->address, kept)) {
    verdict = make_site(arming, row, remaining);
    if (verdict != VERDICT_HOOKED) return verdict;
  }
  want_jump(arming, row->fn);
  return VERDICT_HOOKED;
}

/* Where no jump can be, one in the place of a single instruction may: from the last row to the
 * first, because its bytes are also those of jumps behind it. */
static u32 arm_narrow(struct arming *arming, const struct row *row) {
  struct site *site = &engine_sites[row->fn];
  struct function_code code = code_of(arming, row);
  struct statement statement = statement_of(row, &code);
  struct narrow narrow;
  if ((u32)row->return_op > code.before) return VERDICT_UNDECODABLE;
  u32 verdict = narrow_look(&code, &narrow);
  if (verdict == VERDICT_HOOKED) verdict = statement_begins(&statement);
  if (verdict != VERDICT_HOOKED) return verdict;
  int is_made = site->island && site->address == row->address && site->replaced == narrow.length &&
                equal(site->original, narrow.code, JUMP_BYTES);
  if (!is_made) {
    struct displaced own = {.length = PROBE_LEAVE};
    u8 original[sizeof site->original] = {0};
    u64 island = narrow_island(&arming->maps, row->address, &narrow);
    if (!island) return VERDICT_NO_PLACE;
    code_probe_leave(own.code);
    u64 end = row->address + narrow.length;
    verdict = displace_part(&code, narrow.length, end, island + ISLAND_HEAD, &own);
    if (verdict != VERDICT_HOOKED) return verdict;
    write_island(island, row, &own);
    copy_bytes(original, narrow.code, JUMP_BYTES);
    keep_site(site, row, island, &own, original);
    site->replaced = narrow.length;
  }
  lean_on(site, narrow.lean);
  want_jump(arming, row->fn);
  return VERDICT_HOOKED;
}

static void arm_narrows(struct arming *arming, const struct row *rows, u32 count) {
  for (u32 i = count; i-- > 0;) {
    u8 *code = &arming->codes[i];
    int may_be = *code == VERDICT_BRANCH_INTO_PROLOGUE || *code == VERDICT_TOO_SHORT ||
                 *code == VERDICT_UNSUPPORTED_INSTRUCTION || *code == VERDICT_OVERLAPS;
    if (!may_be || !is_probe(&rows[i]) || is_by_trap(&rows[i]) ||
        engine_sites[rows[i].fn].state != SITE_FREE)
      continue;
    u32 verdict = arm_narrow(arming, &rows[i]);
    if (verdict == VERDICT_HOOKED || verdict == VERDICT_NO_PLACE) *code = (u8)verdict;
  }
}

static void finish(struct arming *arming, const struct row *rows, u32 count) {
  u32 refused = 0;
  for (u32 i = 0; i < arming->change_count; i++) {
    u32 fn = arming->functions[i];
    engine_sites[fn].state = SITE_PATCHED;
    if (!arming->changes[i].refused) continue;
    recording_disarm(fn);
    free_site(&engine_sites[fn]);
    refused = 1;
    for (u32 k = 0; k < count; k++)
      if (rows[k].fn == fn) arming->codes[k] = arming->changes[i].refused;
  }
  for (u32 i = 0; refused && i < count; i++) {
    struct site *site = &engine_sites[rows[i].fn];
    if (arming->codes[i] != VERDICT_HOOKED || !site->host || jump_state(site) != JUMP_GONE)
      continue;
    recording_disarm(rows[i].fn);
    count_rider(site, -1u);
    site->state = SITE_FREE;
    arming->codes[i] = VERDICT_PROTECTED;
  }
  if (refused) sites_rebuild();
}

/* Where their islands cannot be run, hosts lead to none of them, and no int3 does. */
static void drop_riders(struct arming *arming, const struct row *rows, u32 count) {
  for (u32 i = count; i-- > 0;) {
    if (arming->codes[i] == VERDICT_HOOKED && is_by_trap(&rows[i])) {
      free_site(&engine_sites[rows[i].fn]);
      arming->codes[i] = VERDICT_PROTECTED;
    }
    if (arming->codes[i] != VERDICT_HOOKED || !engine_sites[rows[i].fn].host) continue;
    struct site *site = &engine_sites[rows[i].fn], *host = &engine_sites[site->host - 1];
    host->displaced = host->island + ISLAND_HEAD;
    count_rider(site, -1u);
    site->state = SITE_FREE;
    arming->codes[i] = VERDICT_PROTECTED;
  }
}

/* Installs hooks for `count` rows of the contract's armEntry layout and writes a verdict code for
 * each. Returns how many threads were stopped, or a negative error number when nothing was done. */
EXPORT int engine_arm(const u8 *table, u32 count, u8 *codes) {
  const struct row *rows = (const struct row *)table;
  struct arming arming = {0};
  if (!engine_process.epoch) return -ERR_INVALID;
  arming.codes = codes;
  u64 bytes = (u64)count * (sizeof(struct change) + 4) + PAGE;
  u8 *memory = map_memory(bytes);
  if (!memory) return -ERR_INVALID;
  if (!maps_open(&arming.maps)) {
    unmap_memory(memory, bytes);
    return -ERR_INVALID;
  }
  arming.changes = (struct change *)memory;
  arming.functions = (u32 *)(memory + (u64)count * sizeof(struct change));
  sites_rebuild();
  for (u32 i = 0; i < count; i++) codes[i] = (u8)arm_row(&arming, &rows[i], count - i);
  arm_narrows(&arming, rows, count);
  int executable = arena_close(&arming.arena) & narrow_close();
  for (u32 i = 0; i < arming.change_count && !executable; i++)
    arming.changes[i].refused = VERDICT_PROTECTED;
  if (!executable) drop_riders(&arming, rows, count);
  for (u32 i = 0; i < count; i++)
    if (codes[i] == VERDICT_HOOKED) enable(&rows[i]);
  int parked = executable ? (int)patch_apply(&arming.maps, arming.changes, arming.change_count) : 0;
  finish(&arming, rows, count);
  maps_close(&arming.maps);
  unmap_memory(memory, bytes);
  return parked;
}

/* A rider that is off, and has none of its own, leaves its host, and that perhaps its own. Returns
 * the number of the site whose jump led to it. */
static u32 leave_host(u32 fn) {
  struct site *site = &engine_sites[fn];
  for (; site->host; site = &engine_sites[fn]) {
    fn = site->host - 1;
    if (site->state != SITE_PATCHED || site->riders || RELAXED(engine_armed[site - engine_sites]))
      continue;
    site->state = SITE_FREE;
    count_rider(site, -1u);
  }
  return fn;
}

/* Restores the code of the sites whose jump stands; those where it cannot be keep their state. */
static u32 restore(const u32 *functions, u32 count, u32 room, struct map_table *maps,
                   struct change *changes) {
  u32 change_count = 0, *changed = (u32 *)(changes + room);
  for (u32 i = 0; i < count; i++) {
    if (functions[i] >= RECORD_MAX_FUNCTIONS) continue;
    struct site *site = &engine_sites[functions[i]];
    if (site->state != SITE_PATCHED || site->host || site->riders) continue;
    if (jump_state(site) != JUMP_STANDS) continue;
    struct change *change = &changes[change_count];
    changed[change_count++] = functions[i];
    change->address = site->address;
    change->refused = VERDICT_HOOKED;
    copy_bytes(change->bytes, site->original, JUMP_BYTES);
    change->found_bytes = JUMP_BYTES;
    code_jump(site->address, site->island, change->found);
  }
  patch_apply(maps, changes, change_count);
  u32 restored = 0;
  for (u32 i = 0; i < change_count; i++) {
    if (changes[i].refused) continue;
    free_site(&engine_sites[changed[i]]);
    restored++;
  }
  return restored;
}

/* Removes hooks and restores their code; numbers that are not hooked are ignored. Where the code
 * cannot be restored, or something covers the jump, the jump stays, and leads through a hook that
 * is off. Returns how many were removed. */
EXPORT u32 engine_disarm(const u32 *wanted, u32 wanted_count) {
  struct map_table maps;
  /* With hosts that were off already, whose last rider goes. */
  u32 room = 2 * wanted_count, count = wanted_count;
  u64 bytes = (u64)room * (sizeof(struct change) + 8) + PAGE;
  struct change *changes = map_memory(bytes);
  if (!changes) return 0;
  if (!maps_open(&maps)) {
    unmap_memory(changes, bytes);
    return 0;
  }
  u32 removed = 0, *functions = (u32 *)((u8 *)changes + (u64)room * (sizeof(struct change) + 4));
  copy_bytes(functions, wanted, (u64)wanted_count * 4);
  for (u32 i = 0; i < wanted_count; i++) {
    if (functions[i] >= RECORD_MAX_FUNCTIONS) continue;
    struct site *site = &engine_sites[functions[i]];
    if (site->state != SITE_PATCHED && site->state != SITE_TRAPPED) continue;
    removed++;
    recording_disarm(functions[i]);
  }
  for (u32 i = 0; i < wanted_count; i++)
    if (functions[i] < RECORD_MAX_FUNCTIONS && engine_sites[functions[i]].host)
      functions[count++] = leave_host(functions[i]);
  for (u32 i = 0; i < count && count < room; i++)
    if (functions[i] < RECORD_MAX_FUNCTIONS && engine_sites[functions[i]].lean)
      functions[count++] = engine_sites[functions[i]].lean - 1;
  /* Of those only the ones that are off. */
  for (u32 i = wanted_count; i < count; i++)
    if (RELAXED(engine_armed[functions[i]])) functions[i] = RECORD_MAX_FUNCTIONS;
  /* Where two hooks are at one place, the jump of the first stands when the second's is gone. So it
   * is of a jump that another leans on. */
  for (u32 round = 0; round < MOST_ROUNDS; round++)
    if (!restore(functions, count, room, &maps, changes)) break;
  for (u32 i = 0; i < count; i++) {
    if (functions[i] >= RECORD_MAX_FUNCTIONS) continue;
    struct site *site = &engine_sites[functions[i]];
    int is_unused =
        site->state == SITE_TRAPPED && !site->riders && !RELAXED(engine_armed[functions[i]]);
    if (is_unused || (site->state == SITE_PATCHED && jump_state(site) == JUMP_GONE))
      free_site(site);
  }
  sites_rebuild();
  maps_close(&maps);
  unmap_memory(changes, bytes);
  return removed;
}

/* The places where int3s of the stopper are wanted: an address and its island each. Returns how
 * many, of which `most` are written. */
EXPORT u32 engine_traps_wanted(u64 *places, u32 most) {
  u32 count = 0;
  for (u32 fn = 0; fn < engine_function_count; fn++) {
    const struct site *site = &engine_sites[fn];
    if (site->state != SITE_TRAPPED || trap_state(site) == JUMP_GONE) continue;
    if (count < most) {
      places[2 * count] = site->address;
      places[2 * count + 1] = site->island;
    }
    count++;
  }
  return count;
}
