/* See copies.h. */
#include "copies.h"
#include "caves.h"
#include "memory.h"
#include "plants.h"
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

static int is_empty(u64 at) {
  u64 words[CAVE_PLACE_BYTES / sizeof(u64)], all_bits = 0;
  if (memory_read(at, words, sizeof words) != sizeof words) return 0;
  for (u32 i = 0; i < sizeof words / sizeof *words; i++) all_bits |= words[i];
  return !all_bits;
}

/* A thread may be where a stopper before us sent it, if that was killed: empty places come first.
 */
static struct copy *room_in(const struct cave *cave) {
  struct copy *unused = 0;
  u64 written = 0;
  for (u32 place = 0; place < cave->places; place++) {
    u64 at = cave->at + place * CAVE_PLACE_BYTES;
    struct copy *known = known_at(at);
    if (known && !known->address && !known->users) unused = known;
    if (known || count == MOST) continue;
    if (is_empty(at)) {
      all[count].at = at;
      return &all[count++];
    }
    written = at;
  }
  if (unused || !written) return unused;
  all[count].at = written;
  return &all[count++];
}

static int write_copy(struct copy *copy, u64 address, const u8 *original,
                      const struct instruction *in) {
  u8 code[LONGEST_INSTRUCTION + JUMP_BYTES];
  u32 length = in->length;
  int distance;
  memcpy(code, original, length);
  if (!move_operand(code, in, address, copy->at)) return 0;
  if (in->flow == FLOW_CALL_INDIRECT && !call_to_jump(code, in)) return 0;
  if (in->flow == FLOW_NEXT) {
    if (!reaches(copy->at + length + JUMP_BYTES, address + length, &distance)) return 0;
    code[length] = JUMP;
    memcpy(code + length + 1, &distance, sizeof distance);
    length += JUMP_BYTES;
  }
  return memory_write(copy->at, code, length) == 0;
}

struct copy *copy_of(u64 address, const u8 *code, const struct instruction *in) {
  for (u32 i = 0; i < count; i++)
    if (all[i].address == address) return &all[i];
  if (in->flow != FLOW_NEXT && in->flow != FLOW_END && in->flow != FLOW_CALL_INDIRECT) return 0;
  const struct cave *cave = cave_of(address);
  struct copy *copy = cave ? room_in(cave) : 0;
  if (!copy || !write_copy(copy, address, code, in)) return 0;
  copy->address = copy->of = address;
  copy->length = in->length;
  copy->is_call = in->flow == FLOW_CALL_INDIRECT;
  return copy;
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
