/* See caves.h. */
#define _GNU_SOURCE
#include "caves.h"
#include "memory.h"
#include <elf.h>
#include <stdio.h>
#include <string.h>

#define MOST 64
#define MOST_SEGMENTS 32
#define PAGE 4096ul
#define PATH 4096

static pid_t process;
static struct cave all[MOST];
static u32 count;

void caves_begin(pid_t pid) { process = pid; }

/* Where the file begins that is mapped at an address; 0: none is. */
static u64 file_at(u64 address) {
  char path[32], line[PATH + 128], file[PATH] = "";
  unsigned long start, end, offset;
  u64 base = 0, found = 0;
  snprintf(path, sizeof path, "/proc/%d/maps", process);
  FILE *maps = fopen(path, "re");
  if (!maps) return 0;
  while (!found && fgets(line, sizeof line, maps)) {
    int at = 0;
    if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &start, &end, &offset, &at) < 3) continue;
    if (at == 0 || line[at] != '/') continue;
    if (offset == 0 && strcmp(file, line + at) != 0) {
      base = start;
      strcpy(file, line + at);
    }
    if (address - start < end - start && strcmp(file, line + at) == 0) found = base;
  }
  fclose(maps);
  return found;
}

static int read_cave(u64 base, u64 address, struct cave *cave) {
  Elf64_Ehdr header;
  Elf64_Phdr segments[MOST_SEGMENTS];
  u64 bias = base;
  if (memory_read(base, &header, sizeof header) != sizeof header) return 0;
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phnum > MOST_SEGMENTS) return 0;
  u32 bytes = header.e_phnum * (u32)sizeof *segments;
  if (memory_read(base + header.e_phoff, segments, bytes) != bytes) return 0;
  for (u32 i = 0; i < header.e_phnum; i++)
    if (segments[i].p_type == PT_LOAD && segments[i].p_offset < PAGE) {
      bias = base - (segments[i].p_vaddr & ~(PAGE - 1));
      break;
    }
  for (u32 i = 0; i < header.e_phnum; i++) {
    const Elf64_Phdr *one = &segments[i];
    u64 start = bias + one->p_vaddr, end = start + one->p_filesz;
    if (one->p_type != PT_LOAD || !(one->p_flags & PF_X) || address - start >= one->p_filesz)
      continue;
    *cave = (struct cave){start, end, (end + 15) & ~15ul, 0};
    u64 room = ((end + PAGE - 1) & ~(PAGE - 1)) - cave->at;
    cave->places = (u32)(room / CAVE_PLACE_BYTES);
    if (cave->places > CAVE_PLACES) cave->places = CAVE_PLACES;
    return 1;
  }
  return 0;
}

const struct cave *cave_of(u64 address) {
  for (u32 i = 0; i < count; i++)
    if (address - all[i].code < all[i].code_end - all[i].code) return &all[i];
  u64 base = count < MOST ? file_at(address) : 0;
  return base && read_cave(base, address, &all[count]) ? &all[count++] : 0;
}
