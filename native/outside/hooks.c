/* See hooks.h. */
#include "hooks.h"
#include "../stopper/memory.h"
#include "block.h"
#include "goroutines.h"
#include "patches.h"
#include "probes.h"
#include "process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of functions that no program uses here (record.ts, maxTaps), before those of waits.c. */
#define FIRST_SETTER (RECORD_MAX_FUNCTIONS - WAIT_COUNT - SETTER_COUNT)

struct hook {
  u32 number, jumps, is_on;
  u32 is_written; /* its jumps are there */
  struct jump *all;
};

static struct hook *hooks;
static u32 count, room;
/* Those whose jumps are there; of those that are the first, which may set filters. */
static u32 written, setters;
/* By function: where its hook is, plus 1. */
static u32 places[RECORD_MAX_FUNCTIONS];

u32 hooks_count(void) { return written; }

static struct hook *fresh(void) {
  if (count == room) {
    u32 more = room ? room * 2 : 1024;
    struct hook *bigger = realloc(hooks, more * sizeof *hooks);
    if (!bigger) return 0;
    hooks = bigger;
    room = more;
  }
  hooks[count] = (struct hook){.number = count};
  return &hooks[count];
}

static int are_free(const struct hook *hook) {
  for (u32 i = 0; i < hook->jumps; i++)
    if (!jump_is_free(&hook->all[i])) return 0;
  return 1;
}

/* Another hook of a function that may set filters does what the first one does, and goes before it.
 */
static const struct hook *setter_of(const struct image *image, u64 address) {
  for (u32 i = 0; i < SETTER_COUNT; i++) {
    u32 place = places[FIRST_SETTER + i];
    if (image->setters[i].address == address && place) return &hooks[place - 1];
  }
  return 0;
}

/* The jump of the site that has room for a short one only lies within another one's bytes. */
static void link_sites(struct hook *hook) {
  for (u32 i = 0; i < hook->jumps; i++) {
    struct jump *jump = &hook->all[i];
    u64 hole = jump->site.hole;
    if (jump->site.patched != SHORT_JUMP_BYTES) continue;
    jump->code[0] = 0xeb;
    jump->code[1] = (u8)(hole - (jump->site.address + SHORT_JUMP_BYTES));
    int distance = (int)(jump->stub.address - (hole + JUMP_BYTES));
    for (u32 j = 0; j < hook->jumps; j++) {
      if (!hook->all[j].site.is_room || hook->all[j].site.hole != hole) continue;
      hook->all[j].code[JUMP_BYTES] = 0xe9;
      memcpy(hook->all[j].code + JUMP_BYTES + 1, &distance, 4);
    }
  }
}

static u32 prepare(struct hook *hook, const u8 *code, u64 address, const struct sites *sites,
                   const u8 *row, const struct setter *setter) {
  struct recorder by = {
      .number = hook->number, .flags = row[ARM_FLAGS], .row = block_row(row), .setter = *setter};
  hook->all = calloc(sites->count, sizeof *hook->all);
  if (!hook->all || !by.row) return VERDICT_POOL_FULL;
  for (u32 i = 0; i < sites->count; i++) {
    const struct site *site = &sites->all[i];
    u32 verdict = jump_make(&hook->all[i], site, code + (site->address - address), &by);
    if (verdict != VERDICT_HOOKED) return verdict;
    hook->jumps++;
  }
  link_sites(hook);
  return VERDICT_HOOKED;
}

static int is_setter(const u8 *row) { return (row[ARM_FLAGS] & ARM_FILTERS) == ARM_FILTERS; }

static u32 build(const struct image *image, struct hook *hook, const u8 *row) {
  u64 address = *(const u64 *)(row + ARM_ADDRESS);
  struct function function;
  struct sites sites;
  if (!image_function(image, address, *(const u32 *)(row + ARM_SIZE), &function))
    return VERDICT_NOT_EXECUTABLE;
  const struct hook *first = function.sets ? setter_of(image, address) : 0;
  struct setter setter = {.how = function.sets, .number = first ? first->number : hook->number};
  if (is_setter(row)) {
    function.is_assembler = 0;
    function.has_entry_alone = 1;
  } else if (!first) setter.how = SETS_NONE;
  u64 bytes = function.end - address;
  u8 *code = malloc(bytes + MOST_PATCHED);
  if (!code || memory_read(address, code, (u32)bytes + MOST_PATCHED) < bytes) {
    free(code);
    return VERDICT_NOT_EXECUTABLE;
  }
  if (probes_count() || first) jumps_undo(address, code, bytes);
  u32 verdict = sites_find(code, address, &function, &sites);
  if (verdict == VERDICT_HOOKED) verdict = prepare(hook, code, address, &sites, row, &setter);
  if (verdict == VERDICT_HOOKED && first)
    memcpy(hook->all[0].before, first->all[0].code, JUMP_BYTES);
  free(code);
  return verdict;
}

static struct hook *known(u32 fn) {
  u32 place = fn < RECORD_MAX_FUNCTIONS ? places[fn] : 0;
  return place ? &hooks[place - 1] : 0;
}

static u32 prepared(const struct image *image, const u8 *row) {
  u32 fn = *(const u32 *)(row + ARM_FN);
  if (fn >= RECORD_MAX_FUNCTIONS) return VERDICT_POOL_FULL;
  if (row[ARM_FLAGS] & ARM_IS_PROBE) return probes_prepare(image, row);
  if (known(fn)) return VERDICT_HOOKED;
  struct hook *hook = fresh();
  if (!hook) return VERDICT_POOL_FULL;
  u32 verdict = build(image, hook, row);
  if (verdict == VERDICT_HOOKED) places[fn] = ++count;
  return verdict;
}

void hooks_prepare(const struct image *image, const u8 *rows, u32 wanted, u32 *verdicts) {
  for (u32 i = 0; i < wanted; i++) verdicts[i] = prepared(image, rows + i * ARM_BYTES);
  if (block_flush())
    for (u32 i = 0; i < wanted; i++) verdicts[i] = VERDICT_PROTECTED;
}

static u32 arm(const u8 *row) {
  u32 fn = *(const u32 *)(row + ARM_FN);
  if (row[ARM_FLAGS] & ARM_IS_PROBE) return probes_arm(fn);
  struct hook *hook = known(fn);
  if (hook->is_on) return VERDICT_HOOKED;
  if (!hook->is_written) {
    u32 verdict = VERDICT_HOOKED;
    for (u32 i = 0; i < hook->jumps && verdict == VERDICT_HOOKED; i++)
      verdict = probes_make_room(&hook->all[i]);
    if (verdict != VERDICT_HOOKED) return verdict;
    if (!are_free(hook)) return VERDICT_FRAME_ACTIVE;
  }
  block_switch(hook->number, 1);
  for (u32 i = 0; i < hook->jumps; i++) jump_write(&hook->all[i]);
  written += !hook->is_written;
  hook->is_on = hook->is_written = 1;
  return VERDICT_HOOKED;
}

void hooks_arm(const struct image *image, const u8 *rows, u32 wanted, u32 *verdicts) {
  goroutines_read(image);
  for (u32 i = 0; i < wanted; i++) {
    const u8 *row = rows + i * ARM_BYTES;
    /* Where it is not seen that C returns, which is the row before, it is not said who calls it. */
    int is_call_of_c = (row[ARM_FLAGS] & (ARM_PARKS | ARM_CALLS_C)) == (ARM_PARKS | ARM_CALLS_C);
    if (i && is_call_of_c && verdicts[i] == VERDICT_HOOKED) verdicts[i] = verdicts[i - 1];
    if (verdicts[i] == VERDICT_HOOKED) verdicts[i] = arm(row);
  }
  block_flush();
  patches_write();
}

/* Whether its jumps stay: a statement is recorded by one, or a signal interrupted a thread at one
 * that is no instruction of the program's. */
static int is_held(const struct hook *hook) {
  for (u32 i = 0; i < hook->jumps; i++) {
    const struct jump *jump = &hook->all[i];
    u64 hole = jump->site.address + JUMP_BYTES;
    if (probes_need(jump)) return 1;
    if (jump->site.patched <= JUMP_BYTES) continue;
    if (goroutines_stand(hole, hole + 1)) return 1;
    for (struct thread *thread = thread_next(0); thread; thread = thread_next(thread))
      if (thread->registers.rip == hole) return 1;
  }
  return 0;
}

static void disarm(struct hook *hook) {
  if (!hook->is_written) return;
  block_switch(hook->number, 0);
  hook->is_on = 0;
  hook->is_written = (u32)is_held(hook);
  written -= !hook->is_written;
  for (u32 i = 0; i < hook->jumps && !hook->is_written; i++) jump_restore(&hook->all[i]);
}

void hooks_disarm(const struct image *image, const u32 *functions, u32 wanted) {
  if (!image->is_go) goroutines_read(image);
  for (u32 i = 0; i < wanted; i++) {
    struct hook *hook = known(functions[i]);
    if (hook) disarm(hook);
    else probes_disarm(functions[i]);
  }
  patches_write();
  block_flush();
  block_removed();
}

void hooks_watch_filters(const struct image *image) {
  goroutines_read(image);
  for (u32 i = 0; i < SETTER_COUNT && image->setters[i].address; i++) {
    u8 row[ARM_BYTES] = {0};
    *(u64 *)(row + ARM_ADDRESS) = image->setters[i].address;
    *(u32 *)(row + ARM_FN) = FIRST_SETTER + i;
    row[ARM_FLAGS] = ARM_PARKS | ARM_FILTERS;
    u32 verdict = prepared(image, row);
    if (verdict == VERDICT_HOOKED) verdict = arm(row);
    if (verdict != VERDICT_HOOKED) printf("unwatched %u\n", verdict);
  }
  setters = count;
  block_flush();
  patches_write();
}

void hooks_disarm_all(const struct image *image) {
  if (!image->is_go) goroutines_read(image);
  probes_disarm_all();
  for (u32 i = setters; i < count; i++) disarm(&hooks[i]);
  patches_write();
  for (u32 i = 0; i < setters; i++) disarm(&hooks[i]);
  patches_write();
  block_flush();
}
