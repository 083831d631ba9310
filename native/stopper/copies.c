/* See copies.h. */
#include "copies.h"
#include "caves.h"
#include "memory.h"
#include <string.h>

#define MOST 1024
#define JUMP 0xe9
#define JUMP_BYTES 5
#define STACK_POINTER 4

static struct copy all[MOST];
static u32 count;

static int reaches(u64 from, u64 to, int *distance) {
  *distance = (int)(to - from);
  return (long)*distance == (long)(to - from);
}

/* What addresses memory by its place reaches the same from there. */
static int move_operand(u8 *code, const struct instruction *in, u64 from, u64 to) {
  int distance;
  if (!in->rip_offset) return 1;
  memcpy(&distance, code + in->rip_offset, sizeof distance);
  if (!reaches(to, from + (u64)(long)distance, &distance)) return 0;
  memcpy(code + in->rip_offset, &distance, sizeof distance);
  return 1;
}

/* Who goes there has pushed the return address: the operand must not name the stack pointer. */
static int call_to_jump(u8 *code, const struct instruction *in) {
  u8 modrm = code[in->modrm];
  if (!in->modrm || (modrm & 0x38) != 0x10 || (modrm & 7) == STACK_POINTER) return 0;
  code[in->modrm] = (u8)((modrm & ~0x38) | 0x20);
  return 1;
}

static struct copy *known_at(u64 at) {
  for (u32 i = 0; i < count; i++)
    if (all[i].at == at) return &all[i];
  return 0;
}

/* The copy as it has to be at a place. Returns its bytes; 0: it cannot be there. */
static u32 make(u8 code[CAVE_PLACE_BYTES], u64 at, u64 address, const u8 *original,
                const struct instruction *in) {
  u32 length = in->length;
  int distance;
  memcpy(code, original, length);
  if (!move_operand(code, in, address, at)) return 0;
  if (in->flow == FLOW_CALL_INDIRECT && !call_to_jump(code, in)) return 0;
  if (in->flow != FLOW_NEXT) return length;
  if (!reaches(at + length + JUMP_BYTES, address + length, &distance)) return 0;
  code[length] = JUMP;
  memcpy(code + length + 1, &distance, sizeof distance);
  return length + JUMP_BYTES;
}

/* What a stopper before us wrote stays, if that was killed: a thread may be where it sent it. */
static int is_free(u64 at, const u8 *code) {
  static const u8 nothing[CAVE_PLACE_BYTES];
  u8 there[CAVE_PLACE_BYTES];
  if (memory_read(at, there, sizeof there) != sizeof there) return 0;
  return memcmp(there, nothing, sizeof there) == 0 || memcmp(there, code, sizeof there) == 0;
}

struct copy *copy_of(u64 address, const u8 *original, const struct instruction *in) {
  for (u32 i = 0; i < count; i++)
    if (all[i].address == address) return &all[i];
  if (in->flow != FLOW_NEXT && in->flow != FLOW_END && in->flow != FLOW_CALL_INDIRECT) return 0;
  const struct cave *cave = cave_of(address);
  for (u32 place = 0; cave && place < cave->places; place++) {
    u8 code[CAVE_PLACE_BYTES] = {0};
    u64 at = cave->at + place * CAVE_PLACE_BYTES;
    struct copy *copy = known_at(at);
    if (copy && (copy->address || copy->users)) continue;
    if (!make(code, at, address, original, in)) return 0;
    if (!copy && (count == MOST || !is_free(at, code))) continue;
    if (memory_write(at, code, sizeof code)) return 0;
    if (!copy) copy = &all[count++];
    *copy = (struct copy){at, address, address, in->length, in->flow == FLOW_CALL_INDIRECT, 0};
    return copy;
  }
  return 0;
}

void copy_forget(u64 address) {
  for (u32 i = 0; i < count; i++)
    if (all[i].address == address) all[i].address = 0;
}

void copies_clear(void) {
  static const u8 nothing[CAVE_PLACE_BYTES];
  for (u32 i = 0; i < count; i++)
    if (!all[i].users) memory_write(all[i].at, nothing, sizeof nothing);
}

u64 copy_original(const struct copy *copy, u64 pc) {
  u64 inside = pc - copy->at;
  if (inside > copy->length || (inside && copy->is_call)) return pc;
  return copy->of + inside;
}
