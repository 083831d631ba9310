/* See hooks.h. */
#include "hooks.h"
#include "../stopper/memory.h"
#include "block.h"
#include "goroutines.h"
#include "patches.h"
#include "process.h"
#include <stdlib.h>
#include <string.h>

struct patch {
  u64 address;
  u8 bytes; /* that are replaced */
  u8 before[MOST_PATCHED], jump[MOST_PATCHED];
  struct stub stub;
};

struct hook {
  u32 number, patches, is_on;
  u32 is_written; /* its jumps are there */
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

static void put_jump(u8 *to, u64 from, u64 target) {
  int distance = (int)(target - (from + JUMP_BYTES));
  to[0] = 0xe9;
  memcpy(to + 1, &distance, 4);
}

/* Where a thread that stands within the bytes continues; 0: nowhere. */
static u64 moved(const struct patch *patch, u64 pc) {
  for (u32 i = 0; i < patch->stub.moves; i++)
    if (patch->stub.from[i] == pc) return patch->stub.to[i];
  return 0;
}

/* A thread within the bytes goes on where these are now; a goroutine that is not running cannot be
 * led there. */
static int are_free(const struct hook *hook) {
  for (u32 i = 0; i < hook->patches; i++) {
    const struct patch *patch = &hook->all[i];
    if (goroutines_stand(patch->address + 1, patch->address + patch->bytes)) return 0;
    for (struct thread *thread = thread_next(0); thread; thread = thread_next(thread)) {
      u64 pc = thread->registers.rip;
      if (pc <= patch->address || pc >= patch->address + patch->bytes) continue;
      u64 to = moved(patch, pc);
      if (!to) return 0;
      thread->registers.rip = to;
      registers_write(thread);
    }
  }
  return 1;
}

/* The jump of the site that has room for a short one only lies within another one's bytes. */
static void link_sites(struct hook *hook, const struct sites *sites) {
  for (u32 i = 0; i < hook->patches; i++) {
    const struct site *site = &sites->all[i];
    struct patch *patch = &hook->all[i];
    if (site->patched != SHORT_JUMP_BYTES) {
      put_jump(patch->jump, patch->address, patch->stub.address);
      continue;
    }
    patch->jump[0] = 0xeb;
    patch->jump[1] = (u8)(site->hole - (site->address + SHORT_JUMP_BYTES));
    for (u32 j = 0; j < hook->patches; j++)
      if (sites->all[j].is_room && sites->all[j].hole == site->hole)
        put_jump(hook->all[j].jump + JUMP_BYTES, site->hole, patch->stub.address);
  }
}

static u32 prepare(struct hook *hook, const u8 *code, u64 address, const struct sites *sites,
                   const u8 *row) {
  u64 there = block_row(row);
  hook->all = calloc(sites->count, sizeof *hook->all);
  if (!hook->all || !there) return VERDICT_POOL_FULL;
  for (u32 i = 0; i < sites->count; i++) {
    const struct site *site = &sites->all[i];
    struct patch *patch = &hook->all[i];
    const u8 *before = code + (site->address - address);
    *patch = (struct patch){.address = site->address, .bytes = site->patched};
    u32 verdict =
        block_stub(before, site, hook->number, row[ARM_FLAGS] & ARM_PARKS, there, &patch->stub);
    if (verdict != VERDICT_HOOKED) return verdict;
    memcpy(patch->before, before, site->patched);
    hook->patches++;
  }
  link_sites(hook, sites);
  return VERDICT_HOOKED;
}

static u32 build(const struct image *image, struct hook *hook, const u8 *row) {
  u64 address = *(const u64 *)(row + ARM_ADDRESS);
  struct function function;
  struct sites sites;
  if (!image_function(image, address, *(const u32 *)(row + ARM_SIZE), &function))
    return VERDICT_NOT_EXECUTABLE;
  u64 bytes = function.end - address;
  u8 *code = malloc(bytes + MOST_PATCHED);
  if (!code || memory_read(address, code, (u32)bytes + MOST_PATCHED) < bytes) {
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

static u32 prepared(const struct image *image, const u8 *row) {
  u32 fn = *(const u32 *)(row + ARM_FN);
  if (fn >= RECORD_MAX_FUNCTIONS) return VERDICT_POOL_FULL;
  if (known(fn)) return VERDICT_HOOKED;
  struct hook *hook = fresh();
  if (!hook) return VERDICT_POOL_FULL;
  u32 verdict = build(image, hook, row);
  if (verdict != VERDICT_HOOKED) free(hook->all);
  else places[fn] = ++count;
  return verdict;
}

void hooks_prepare(const struct image *image, const u8 *rows, u32 wanted, u32 *verdicts) {
  for (u32 i = 0; i < wanted; i++) verdicts[i] = prepared(image, rows + i * ARM_BYTES);
  if (block_flush())
    for (u32 i = 0; i < wanted; i++) verdicts[i] = VERDICT_PROTECTED;
}

static u32 arm(u32 fn) {
  struct hook *hook = known(fn);
  if (hook->is_on) return VERDICT_HOOKED;
  if (!hook->is_written && !are_free(hook)) return VERDICT_FRAME_ACTIVE;
  block_switch(hook->number, 1);
  for (u32 i = 0; i < hook->patches; i++)
    patches_add(hook->all[i].address, hook->all[i].jump, hook->all[i].bytes);
  hook->is_on = hook->is_written = 1;
  on++;
  return VERDICT_HOOKED;
}

void hooks_arm(const struct image *image, const u8 *rows, u32 wanted, u32 *verdicts) {
  goroutines_read(image);
  for (u32 i = 0; i < wanted; i++)
    if (verdicts[i] == VERDICT_HOOKED)
      verdicts[i] = arm(*(const u32 *)(rows + i * ARM_BYTES + ARM_FN));
  block_flush();
  patches_write();
}

/* Whether a signal interrupted one at a jump that is no instruction of the program's. */
static int is_held(const struct hook *hook) {
  for (u32 i = 0; i < hook->patches; i++) {
    const struct patch *patch = &hook->all[i];
    u64 hole = patch->address + JUMP_BYTES;
    if (patch->bytes <= JUMP_BYTES) continue;
    if (goroutines_stand(hole, hole + 1)) return 1;
    for (struct thread *thread = thread_next(0); thread; thread = thread_next(thread))
      if (thread->registers.rip == hole) return 1;
  }
  return 0;
}

static void disarm(struct hook *hook) {
  if (!hook->is_on) return;
  block_switch(hook->number, 0);
  hook->is_written = (u32)is_held(hook);
  for (u32 i = 0; i < hook->patches && !hook->is_written; i++)
    patches_add(hook->all[i].address, hook->all[i].before, hook->all[i].bytes);
  hook->is_on = 0;
  on--;
}

void hooks_disarm(const struct image *image, const u32 *functions, u32 wanted) {
  if (!image->is_go) goroutines_read(image);
  for (u32 i = 0; i < wanted; i++) {
    struct hook *hook = known(functions[i]);
    if (hook) disarm(hook);
  }
  patches_write();
  block_flush();
  block_removed();
}

void hooks_disarm_all(const struct image *image) {
  if (!image->is_go) goroutines_read(image);
  for (u32 i = 0; i < count; i++) disarm(&hooks[i]);
  patches_write();
  block_flush();
}
