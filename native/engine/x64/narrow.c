/* See ../narrow.h. */
#include "../narrow.h"
#include "../code.h"
#include "decode.h"

#define MOST_PAGES 4096
#define GRANULE 16
#define INT3 0xcc
/* Where it ends, malloc takes other memory. */
#define HEAP_ROOM 0x20000000ul
#define LOWEST 0x10000ul
#define HIGHEST 0x800000000000ul
#define MOST_TRIED 256

struct page {
  u64 start;
  u64 used[PAGE / GRANULE / 64]; /* a bit for each granule */
};

static struct page pages[MOST_PAGES];
static u32 page_count;
static u8 is_open[MOST_PAGES];

/* A site whose jump stands there, or will. */
static int site_at(u64 address) {
  int number = sites_at(address);
  if (number < 0 || engine_sites[number].host) return -1;
  u8 state = engine_sites[number].state;
  return state == SITE_PENDING || state == SITE_PATCHED ? number : -1;
}

/* Its int3 comes and goes. */
static int is_trapped(u64 address) {
  int number = sites_at(address);
  return number >= 0 && engine_sites[number].state == SITE_TRAPPED;
}

/* Writes what the code will be over what it is. */
static void overlay(const struct site *site, u64 address, u8 code[JUMP_BYTES]) {
  u8 jump[JUMP_BYTES];
  code_jump(site->address, site->island, jump);
  for (u32 i = 0; i < site->replaced; i++)
    if (site->address + i - address < JUMP_BYTES) code[site->address + i - address] = jump[i];
}

/* A call that comes back among the bytes: who steps over it may put an int3 there. */
static int comes_back_inside(const u8 *code, u64 address) {
  struct instruction in;
  for (u32 at = 0; at < JUMP_BYTES; at += in.length) {
    if (!decode(code + at, JUMP_BYTES - at, address + at, &in)) return 0;
    int is_call = in.flow == FLOW_CALL || in.flow == FLOW_CALL_INDIRECT;
    if (is_call && at + in.length < JUMP_BYTES) return 1;
    if (in.flow == FLOW_END || in.flow == FLOW_JUMP) return 0;
  }
  return 0;
}

u32 narrow_lean(u64 address) {
  for (u64 away = 1; away < JUMP_BYTES; away++) {
    int behind = site_at(address + away);
    if (behind >= 0) return (u32)behind + 1;
  }
  return 0;
}

/* An int3 among the bytes behind that goes again would change where the jump leads. */
static int has_breakpoint(const struct function_code *function, u32 lean) {
  u64 end = lean ? engine_sites[lean - 1].address - function->address : JUMP_BYTES;
  for (u64 i = 1; i < end; i++)
    if (function->bytes[i] == INT3 &&
        !(function->is_of_file && function->is_of_file(function->address + i, INT3)))
      return 1;
  return 0;
}

u32 narrow_look(const struct function_code *function, struct narrow *out) {
  struct instruction in;
  u64 address = function->address;
  out->lean = narrow_lean(address);
  if (function->room < JUMP_BYTES) return VERDICT_TOO_SHORT;
  copy_bytes(out->code, function->bytes, JUMP_BYTES);
  for (u64 away = 1; away < JUMP_BYTES; away++) {
    if (site_at(address - away) >= 0 || is_trapped(address + away)) return VERDICT_OVERLAPS;
    int behind = site_at(address + away);
    if (behind >= 0 && engine_sites[behind].state == SITE_PENDING)
      overlay(&engine_sites[behind], address, out->code);
  }
  if (!decode(function->bytes, function->room, address, &in)) return VERDICT_UNDECODABLE;
  if (in.is_breakpoint || has_breakpoint(function, out->lean)) return VERDICT_BREAKPOINT;
  if (in.length >= JUMP_BYTES) return VERDICT_UNSUPPORTED_INSTRUCTION;
  if (comes_back_inside(out->code, address)) return VERDICT_UNSUPPORTED_INSTRUCTION;
  out->length = in.length;
  return VERDICT_HOOKED;
}

static struct page *page_at(u64 start) {
  for (u32 i = 0; i < page_count; i++)
    if (pages[i].start == start) return &pages[i];
  return 0;
}

/* Not where the heap or a stack may grow to. */
static int may_be_mapped(const struct map_table *maps, u64 start) {
  u64 heap = (u64)raw1(__NR_brk, 0);
  if (start < LOWEST || start >= HIGHEST) return 0;
  if (start + PAGE > heap && start < heap + HEAP_ROOM) return 0;
  u32 low = 0, high = maps->count;
  while (low < high) {
    u32 middle = (low + high) / 2;
    if (maps->rows[middle].end <= start) low = middle + 1;
    else high = middle;
  }
  if (low == maps->count) return 0;
  const struct mapping *above = &maps->rows[low];
  int is_stack = above->grows && above->start >= heap;
  return above->start >= start + PAGE && !is_stack;
}

/* A page of ours that can be written. */
static struct page *open_page(const struct map_table *maps, u64 start) {
  struct page *page = page_at(start);
  if (page) {
    u32 number = (u32)(page - pages);
    if (is_open[number]) return page;
    /* Others may run in it. */
    if (raw3(__NR_mprotect, start, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC)) return 0;
    is_open[number] = 1;
    return page;
  }
  if (page_count == MOST_PAGES || !may_be_mapped(maps, start)) return 0;
  u64 got = (u64)raw6(__NR_mmap, start, PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != start) {
    if ((long)got > 0) unmap_memory((void *)got, PAGE);
    return 0;
  }
  is_open[page_count] = 1;
  page = &pages[page_count++];
  page->start = start;
  return page;
}

static int is_free(const struct page *page, u64 from, u64 to) {
  for (u64 at = from / GRANULE; at <= (to - 1) / GRANULE; at++)
    if (page->used[at / 64] >> at % 64 & 1) return 0;
  return 1;
}

/* Takes the bytes of an island, which may lie in two pages. */
static int take(const struct map_table *maps, u64 island) {
  u64 end = island + ISLAND_BYTES;
  struct page *page[2];
  u32 count = 0;
  for (u64 start = island & ~(PAGE - 1); start < end; start += PAGE) {
    u64 from = island > start ? island - start : 0, to = end - start < PAGE ? end - start : PAGE;
    struct page *known = page_at(start);
    if (known && !is_free(known, from, to)) return 0;
  }
  for (u64 start = island & ~(PAGE - 1); start < end; start += PAGE)
    if (!(page[count++] = open_page(maps, start))) return 0;
  for (u32 i = 0; i < count; i++) {
    u64 start = page[i]->start, from = island > start ? island - start : 0;
    u64 to = end - start < PAGE ? end - start : PAGE;
    for (u64 at = from / GRANULE; at <= (to - 1) / GRANULE; at++)
      page[i]->used[at / 64] |= 1ul << at % 64;
  }
  return 1;
}

u64 narrow_island(const struct map_table *maps, u64 address, const struct narrow *narrow) {
  u32 free_bits = 8 * (narrow->length - 1u);
  u32 fixed = 0;
  for (u32 i = narrow->length; i < JUMP_BYTES; i++) fixed |= (u32)narrow->code[i] << 8 * (i - 1);
  u64 least = address + JUMP_BYTES + (u64)(long)(int)fixed, count = 1ul << free_bits;
  /* First among the pages that are there. */
  for (u32 i = 0; i < page_count; i++) {
    u64 start = pages[i].start;
    if (start + PAGE <= least || start >= least + count) continue;
    for (u64 at = start > least ? start : least; at < start + PAGE && at < least + count;
         at += GRANULE)
      if (at + ISLAND_BYTES <= start + PAGE &&
          is_free(&pages[i], at - start, at - start + ISLAND_BYTES) && take(maps, at))
        return at;
  }
  u64 step = count / MOST_TRIED < GRANULE ? GRANULE : count / MOST_TRIED;
  for (u64 at = 0; at < count; at += step)
    if (take(maps, least + at)) return least + at;
  return 0;
}

int narrow_close(void) {
  int are_all = 1;
  for (u32 i = 0; i < page_count; i++) {
    if (!is_open[i]) continue;
    is_open[i] = 0;
    are_all &= raw3(__NR_mprotect, pages[i].start, PAGE, PROT_READ | PROT_EXEC) == 0;
  }
  return are_all;
}
