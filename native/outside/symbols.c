/* See symbols.h. */
#include "symbols.h"
#include "../stopper/memory.h"
#include <stdlib.h>
#include <string.h>

#define MOST_CODE (256ul << 20)

static struct symbol *symbols;
static u32 count, room;
static u64 *targets;
static u32 target_count, target_room;

void symbols_add(u64 address, u64 size, const char *name) {
  if (count == room) {
    u32 more = room ? room * 2 : 4096;
    struct symbol *bigger = realloc(symbols, more * sizeof *symbols);
    if (!bigger) return;
    symbols = bigger;
    room = more;
  }
  u64 length = strlen(name);
  symbols[count++] = (struct symbol){
      .address = address, .size = size, .is_part = strstr(name, ".cold") != 0 && length > 5};
}

static int in_order(const void *a, const void *b) {
  const struct symbol *one = a, *other = b;
  if (one->address != other->address) return one->address < other->address ? -1 : 1;
  return one->size < other->size ? -1 : one->size > other->size;
}

static int by_number(const void *a, const void *b) {
  u64 one = *(const u64 *)a, other = *(const u64 *)b;
  return one < other ? -1 : one > other;
}

static void add_target(u64 target) {
  if (target_count == target_room) {
    u32 more = target_room ? target_room * 2 : 65536;
    u64 *bigger = realloc(targets, more * sizeof *targets);
    if (!bigger) return;
    targets = bigger;
    target_room = more;
  }
  targets[target_count++] = target;
}

/* Where its instructions begin is not known: each byte may be the first of one. */
static void find_targets(const u8 *code, u64 bytes, u64 from) {
  for (u64 i = 0; i + 6 <= bytes; i++) {
    u64 at = code[i] == 0x0f && (code[i + 1] & 0xf0) == 0x80 ? i + 2 : i + 1;
    int distance;
    if (at == i + 1 && (code[i] & 0xfe) != 0xe8) continue;
    memcpy(&distance, code + at, 4);
    u64 target = from + at + 4 + (u64)(long)distance;
    if (target - from < bytes) add_target(target);
  }
}

void symbols_ready(u64 from, u64 to) {
  u64 bytes = to - from;
  qsort(symbols, count, sizeof *symbols, in_order);
  u8 *code = bytes < MOST_CODE ? malloc(bytes + 8) : 0;
  if (code) {
    find_targets(code, memory_read(from, code, (u32)bytes), from);
    qsort(targets, target_count, sizeof *targets, by_number);
  }
  free(code);
}

/* The first that begins behind an address. */
static u32 behind(u64 address) {
  u32 low = 0, high = count;
  while (low < high) {
    u32 middle = (low + high) / 2;
    if (symbols[middle].address <= address) low = middle + 1;
    else high = middle;
  }
  return low;
}

const struct symbol *symbols_at(u64 address) {
  u32 next = behind(address);
  /* Of several that begin there the largest comes last. */
  const struct symbol *one = next ? &symbols[next - 1] : 0;
  return one && address - one->address < one->size ? one : 0;
}

const struct symbol *symbols_before(u64 address) {
  u32 next = address ? behind(address - 1) : 0;
  return next ? &symbols[next - 1] : 0;
}

u64 symbols_next(u64 address) {
  u32 next = behind(address);
  return next < count ? symbols[next].address : 0;
}

int symbols_lead_to(u64 from, u64 to) {
  u32 low = 0, high = target_count;
  while (low < high) {
    u32 middle = (low + high) / 2;
    if (targets[middle] < from) low = middle + 1;
    else high = middle;
  }
  return low < target_count && targets[low] < to;
}
