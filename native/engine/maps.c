/* The process's memory map, see maps.h. */
#include "maps.h"
#include "cpu.h"
#include "raw.h"
#include "text.h"

#define MARGIN 0x10000ul
/* Beside the heap: malloc must be able to go on growing. */
#define HEAP_ROOM 0x30000000ul

/* "start-end rwxp offset device inode   path\n" */
static void parse(struct map_table *table, const u8 *text, u64 length) {
  for (u64 at = 0; at < length;) {
    struct mapping *row = &table->rows[table->count++];
    row->start = read_hex(text, &at);
    at++;
    row->end = read_hex(text, &at);
    at++;
    row->protection = (text[at] == 'r' ? PROT_READ : 0) | (text[at + 1] == 'w' ? PROT_WRITE : 0) |
                      (text[at + 2] == 'x' ? PROT_EXEC : 0);
    row->grows = 0;
    for (; at < length && text[at] != '\n'; at++)
      if (text[at] == '[' && (text[at + 1] == 'h' || text[at + 1] == 's')) row->grows = 1;
    at++;
  }
}

int maps_open(struct map_table *table) {
  for (u64 capacity = 0x40000; capacity <= 0x10000000; capacity *= 4) {
    long file = raw_open("/proc/self/maps", OPEN_READ, 0);
    if (file < 0) return 0;
    /* A line has more than 40 characters, a row 24 bytes: rows and text share one size. */
    u8 *text = map_memory(2 * capacity);
    u64 length = 0;
    long got = text ? 1 : 0;
    while (got > 0 && length < capacity - 1) {
      got = raw3(__NR_read, file, text + length, capacity - 1 - length);
      if (got > 0) length += (u64)got;
    }
    raw1(__NR_close, file);
    if (!text) return 0;
    if (length < capacity - 1 && got == 0) {
      table->rows = (struct mapping *)(text + capacity);
      table->count = 0;
      table->bytes = 2 * capacity;
      parse(table, text, length);
      return 1;
    }
    unmap_memory(text, 2 * capacity);
  }
  return 0;
}

void maps_close(struct map_table *table) {
  u64 bytes = table->bytes;
  if (bytes) unmap_memory((u8 *)table->rows - bytes / 2, bytes);
  *table = (struct map_table){0};
}

struct mapping *maps_find(const struct map_table *table, u64 address) {
  u32 low = 0, high = table->count;
  while (low < high) {
    u32 middle = (low + high) / 2;
    if (table->rows[middle].end <= address) low = middle + 1;
    else high = middle;
  }
  if (low >= table->count || table->rows[low].start > address) return 0;
  return &table->rows[low];
}

static u64 distance(u64 a, u64 b) { return a > b ? a - b : b - a; }

/* The best place in the hole [start, end) next to `address`, or 0. */
static u64 place_in(u64 start, u64 end, int heap_below, u64 address, u64 bytes) {
  if (end <= address) {
    u64 room = end - start;
    if (room < bytes) return 0;
    return room >= bytes + MARGIN ? end - bytes - MARGIN : end - bytes;
  }
  u64 gap = heap_below ? HEAP_ROOM : MARGIN;
  if (end - start < bytes) return 0;
  return end - start >= bytes + gap ? start + gap : (heap_below ? end - bytes : start);
}

u64 maps_near(const struct map_table *table, u64 address, u64 bytes) {
  u64 refused = 0; /* places up to this distance were refused by the kernel */
  for (int attempt = 0; attempt < 16; attempt++) {
    u64 best = 0, start = MARGIN;
    int heap_below = 0;
    for (u32 i = 0; i < table->count; i++) {
      const struct mapping *row = &table->rows[i];
      if (row->start > start && row->start < 0x800000000000ul) {
        u64 at = place_in(start, row->start, heap_below, address, bytes);
        u64 far = at ? distance(at, address) : 0;
        if (at && far < ISLAND_REACH && far > refused && (!best || far < distance(best, address)))
          best = at;
      }
      if (row->end > start) start = row->end;
      heap_below = row->grows;
    }
    if (!best) return 0;
    refused = distance(best, address);
    long got = raw6(__NR_mmap, best, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if ((u64)got == best) return best;
    if (got > 0 || got <= -4096) unmap_memory((void *)got, bytes);
  }
  return 0;
}
