/* The process's memory map, and memory near a piece of code. */
#ifndef STROBE_MAPS_H
#define STROBE_MAPS_H

#include "raw.h"

#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FIXED 0x10
#define MAP_ANONYMOUS 0x20
#define MAP_NORESERVE 0x4000
#define MAP_FIXED_NOREPLACE 0x100000
#define PAGE 4096ul

struct mapping {
  u64 start, end;
  u32 protection;
  u8 grows; /* the heap or a stack lies here: leave room beside it */
};

struct map_table {
  struct mapping *rows;
  u32 count;
  u64 bytes; /* of the table itself */
};

/* Reads /proc/self/maps. Returns 0 when that fails; else close with maps_close. A closed table has
 * no rows, and may be closed again. */
int maps_open(struct map_table *table);
void maps_close(struct map_table *table);
/* The mapping that holds the address, or null. */
struct mapping *maps_find(const struct map_table *table, u64 address);
/* Anonymous read-write memory where a jump reaches it from the address, or 0. */
u64 maps_near(const struct map_table *table, u64 address, u64 bytes);

static inline void *map_memory(u64 bytes) {
  long at = raw6(__NR_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at < 0 && at > -4096 ? 0 : (void *)at;
}

/* Maps an open file for reading and writing where `at` says, or, where nothing is said, anywhere;
 * with `opened` < 0 private memory. Returns the address or a negative error number. */
static inline long map_file_at(void *at, u64 bytes, long opened) {
  int flags = (opened < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED) | MAP_NORESERVE |
              (at ? MAP_FIXED : 0);
  return raw6(__NR_mmap, at, bytes, PROT_READ | PROT_WRITE, flags, opened, 0);
}

static inline void unmap_memory(void *at, u64 bytes) { raw2(__NR_munmap, at, bytes); }

#endif
