/* See hooks.h. */
#include "hooks.h"
#include "../stopper/memory.h"
#include "block.h"
#include "goroutines.h"
#include "process.h"
#include <stdlib.h>
#include <string.h>

struct patch {
  u64 address;
  u8 before[JUMP_BYTES];
  u64 stub;
  u32 moves;
  u64 from[JUMP_BYTES], to[JUMP_BYTES];
};

struct hook {
  u32 number, patches, is_on;
  struct patch *all;
};

static struct hook *hooks;
static u32 count, room, on;
/* By function: where its hook is, plus 1. */
static u32 places[RECORD_MAX_FUNCTIONS];

u32 hooks_count(void) { return on; }

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

static void write_jump(const struct patch *patch) {
  u8 jump[JUMP_BYTES] = {0xe9};
  int distance = (int)(patch->stub - (patch->address + JUMP_BYTES));
  memcpy(jump + 1, &distance, 4);
  memory_write(patch->address, jump, JUMP_BYTES);
}

/* A thread within the bytes goes on where these are now; a goroutine that is not running cannot be
 * led there. */
static int are_free(const struct hook *hook) {
  for (u32 i = 0; i < hook->patches; i++) {
    const struct patch *patch = &hook->all[i];
    if (goroutines_stand(patch->address + 1, patch->address + JUMP_BYTES)) return 0;
    for (struct thread *thread = thread_next(0); thread; thread = thread_next(thread)) {
      u64 pc = thread->registers.rip;
      if (pc <= patch->address || pc >= patch->address + JUMP_BYTES) continue;
      u32 move = 0;
      while (move < patch->moves && patch->from[move] != pc) move++;
      if (move == patch->moves) return 0;
      thread->registers.rip = patch->to[move];
      registers_write(thread);
    }
  }
  return 1;
}

static u32 prepare(struct hook *hook, const u8 *code, u64 address, const struct sites *sites,
                   const u8 *row) {
  hook->all = calloc(sites->count, sizeof *hook->all);
  if (!hook->all) return VERDICT_POOL_FULL;
  for (u32 i = 0; i < sites->count; i++) {
    const struct site *site = &sites->all[i];
    struct patch *patch = &hook->all[i];
    struct stub stub;
    const u8 *there = code + (site->address - address);
    u32 verdict = block_stub(there, site, hook->number, row, &stub);
    if (verdict != VERDICT_HOOKED) return verdict;
    *patch = (struct patch){.address = site->address, .stub = stub.address, .moves = stub.moves};
    memcpy(patch->before, there, JUMP_BYTES);
    memcpy(patch->from, stub.from, sizeof patch->from);
    memcpy(patch->to, stub.to, sizeof patch->to);
    hook->patches++;
  }
  return VERDICT_HOOKED;
}

static u32 build(const struct image *image, struct hook *hook, const u8 *row) {
  u64 address = *(const u64 *)(row + ARM_ADDRESS);
  struct go_function function;
  struct sites sites;
  if (!image_function(image, address, &function)) return VERDICT_NOT_EXECUTABLE;
  u64 bytes = function.end - address;
  u8 *code = malloc(bytes + JUMP_BYTES);
  if (!code || memory_read(address, code, (u32)bytes + JUMP_BYTES) < bytes) {
    free(code);
    return VERDICT_NOT_EXECUTABLE;
  }
  u32 verdict = sites_find(code, address, &function, &sites);
  if (verdict == VERDICT_HOOKED) verdict = prepare(hook, code, address, &sites, row);
  free(code);
  return verdict;
}

static struct hook *known(u32 fn) {
  u32 place = fn < RECORD_MAX_FUNCTIONS ? places[fn] : 0;
  return place ? &hooks[place - 1] : 0;
}

static u32 arm(const struct image *image, const u8 *row) {
  u32 fn = *(const u32 *)(row + ARM_FN), verdict = VERDICT_HOOKED;
  if (fn >= RECORD_MAX_FUNCTIONS) return VERDICT_POOL_FULL;
  struct hook *hook = known(fn);
  if (hook && hook->is_on) return VERDICT_HOOKED;
  if (!hook) {
    hook = fresh();
    if (!hook) return VERDICT_POOL_FULL;
    verdict = build(image, hook, row);
    if (verdict != VERDICT_HOOKED) {
      free(hook->all);
      return verdict;
    }
    places[fn] = ++count;
  }
  if (!are_free(hook)) return VERDICT_FRAME_ACTIVE;
  if (block_switch(hook->number, 1)) return VERDICT_PROTECTED;
  for (u32 i = 0; i < hook->patches; i++) write_jump(&hook->all[i]);
  hook->is_on = 1;
  on++;
  return VERDICT_HOOKED;
}

void hooks_arm(const struct image *image, const u8 *rows, u32 wanted, u32 *verdicts) {
  goroutines_read(image);
  for (u32 i = 0; i < wanted; i++) verdicts[i] = arm(image, rows + i * ARM_BYTES);
}

static void disarm(struct hook *hook) {
  if (!hook->is_on) return;
  block_switch(hook->number, 0);
  for (u32 i = 0; i < hook->patches; i++)
    memory_write(hook->all[i].address, hook->all[i].before, JUMP_BYTES);
  hook->is_on = 0;
  on--;
}

void hooks_disarm(const u32 *functions, u32 wanted) {
  for (u32 i = 0; i < wanted; i++) {
    struct hook *hook = known(functions[i]);
    if (hook) disarm(hook);
  }
  block_removed();
}

void hooks_disarm_all(void) {
  for (u32 i = 0; i < count; i++) disarm(&hooks[i]);
}
