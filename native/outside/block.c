/* See block.h. */
#define _GNU_SOURCE
#include "block.h"
#include "../engine/exceptionFile.h"
#include "../engine/probeRow.h"
#include "../stopper/memory.h"
#include "ahead.h"
#include "exceptions.h"
#include "forbidden.h"
#include "process.h"
#include "target/area.h"
#include "words.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096ul
#define ROW_COUNT 65536ul
#define AREA_COUNT 256ul
/* Room for more calls than a burst has, few enough pages that each is met again soon. */
#define FIRST_RING_BYTES (8u << 20)
#define REACH 0x70000000ul
#define CLOCK_TRIES 5
#define MOST_CODE (256u << 10)
static struct head head;
static u64 block, stubs, flags, rows, areas, end, used_stubs, used_rows;
static u64 instruction; /* a syscall of the program's */
static int is_c;
static int ring = -1;

static long call(long number, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f) {
  return process_call(instruction, number, (const u64[6]){a, b, c, d, e, f});
}

#define panic_setting(field) \
  (block + head.settings + __builtin_offsetof(struct settings, panics.field))

static u64 pages(u64 bytes) { return (bytes + PAGE - 1) & ~(PAGE - 1); }

/* An area begins at a multiple of its size: the code in it finds it by the stack it runs on. */
static u64 areas_from(u64 at) { return (at + AREA_BYTES - 1) & ~(AREA_BYTES - 1ul); }

static u64 find_syscall(const struct image *image) {
  u8 code[65536];
  for (u64 at = image->text; at < image->text_end; at += sizeof code - 1) {
    u32 got = memory_read(at, code, sizeof code);
    for (u32 i = 0; i + 1 < got; i++)
      if (code[i] == 0x0f && code[i + 1] == 0x05) return at + i;
  }
  return 0;
}

/* The first gap behind the program that jumps reach from all of its code. */
static u64 find_room(pid_t pid, const struct image *image, u64 bytes) {
  char path[32], line[512];
  unsigned long from, to;
  /* A heap may grow behind the program, up to where nothing lies yet. */
  u64 at = areas_from(image->end + 0x40000000ul);
  if (image->bias) at = areas_from(image->begin - 0x40000000ul);
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen(path, "re");
  while (maps && fgets(line, sizeof line, maps))
    if (sscanf(line, "%lx-%lx", &from, &to) == 2 && from < at + bytes && to > at)
      at = areas_from(to + PAGE);
  if (maps) fclose(maps);
  u64 farthest = at > image->text ? at + bytes - image->text : image->text_end - at;
  return maps && farthest < REACH ? at : 0;
}

static u8 *read_code(const char *path, u64 *bytes) {
  struct stat facts;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &facts)) return 0;
  u8 *code = malloc((size_t)facts.st_size);
  *bytes = (u64)facts.st_size;
  if (code && read(fd, code, *bytes) != (ssize_t)*bytes) code = 0;
  close(fd);
  memcpy(&head, code ? code : (const u8 *)&(struct head){0}, sizeof head);
  return head.magic == OUTSIDE_MAGIC ? code : 0;
}

void block_clock(void) {
  struct timespec now;
  u64 anchor[2], shortest = ~0ul;
  if (ring < 0) return;
  /* We may lose the processor between the two. */
  for (u32 i = 0; i < CLOCK_TRIES; i++) {
    u64 before = timestamp();
    clock_gettime(CLOCK_MONOTONIC, &now);
    u64 took = timestamp() - before;
    if (took >= shortest) continue;
    shortest = took;
    anchor[0] = before + took / 2;
    anchor[1] = (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
  }
  if (pwrite(ring, anchor, sizeof anchor, FILE_ANCHOR_TSC) < 0) return;
}

void block_removed(void) {
  u64 now = timestamp();
  if (ring >= 0 && pwrite(ring, &now, sizeof now, FILE_REMOVED) < 0) return;
}

static int make_file(pid_t pid, const struct options *options, u64 stride) {
  u8 page[FILE_BYTES] = {0};
  int fd = open(options->ring_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  *(u64 *)(page + FILE_MAGIC) = RECORD_MAGIC;
  *(u32 *)(page + FILE_VERSION) = RECORD_VERSION;
  *(u32 *)(page + FILE_PID) = (u32)pid;
  *(u32 *)(page + FILE_SLOT_COUNT) = options->slot_count;
  *(u32 *)(page + FILE_RING_BYTES) = options->ring_bytes;
  *(u64 *)(page + FILE_SLOT_STRIDE) = stride;
  *(u32 *)(page + FILE_FUNCTION_BASE) = RECORD_LOCAL_FUNCTIONS;
  *(u32 *)(page + FILE_STRANDS) = options->thread_number ? STRANDS_THREADS : STRANDS_GOROUTINES;
  int failed = ftruncate(fd, (off_t)(FILE_BYTES + stride * options->slot_count)) ||
               pwrite(fd, page, sizeof page, 0) != sizeof page;
  failed = failed ? errno : 0;
  if (failed) close(fd);
  else ring = fd;
  block_clock();
  return failed;
}

/* Maps a file in the program. Returns its address, or a negative error number. */
static long map_file(const char *path, u64 bytes) {
  u32 length = (u32)strlen(path) + 1;
  if (memory_write(areas, path, length)) return -EFAULT;
  long fd = call(__NR_open, areas, O_RDWR | O_CLOEXEC, 0, 0, 0, 0);
  if (fd < 0) return fd;
  long at = call(__NR_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (u64)fd, 0);
  call(__NR_close, (u64)fd, 0, 0, 0, 0, 0);
  static const char nothing[512];
  memory_write(areas, nothing, length);
  return at;
}

static int map_part(u64 from, u64 to, int protection) {
  long at = call(__NR_mmap, from, to - from, (u64)protection,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, ~0ul, 0);
  return at == (long)from ? 0 : at < 0 ? (int)-at : EEXIST;
}

u64 block_stubs_of(u64 at, const struct head *of) { return at + pages(of->end); }

static void lay_out(u64 at) {
  block = at;
  stubs = block_stubs_of(at, &head);
  flags = stubs + STUB_BYTES;
  rows = flags + ROW_COUNT;
  areas = areas_from(rows + ROW_COUNT * ARM_BYTES);
  end = areas + AREA_COUNT * AREA_BYTES;
}

/* Where the file has no room the rest is traced all the same. */
static void put_exceptions(pid_t pid, const char *path, struct panic_settings *panics) {
  if (!path || strlen(path) >= sizeof panics->path || exceptions_make(pid, path)) return;
  long at = map_file(path, EXCEPTION_FILE_BYTES);
  if (at < 0) return;
  panics->file = (u8 *)at;
  strcpy(panics->path, path);
}

/* In a program of C, signal handlers may record amid a record: its rings do not change. */
static u32 first_ring(const struct options *options) {
  int is_fixed = options->thread_number || options->ring_bytes < FIRST_RING_BYTES;
  return is_fixed ? options->ring_bytes : FIRST_RING_BYTES;
}

static int map_block(void) {
  int failed = map_part(block, block + head.data, PROT_READ | PROT_EXEC);
  if (!failed) failed = map_part(block + head.data, stubs, PROT_READ | PROT_WRITE);
  if (!failed) failed = map_part(stubs, flags, PROT_READ | PROT_EXEC);
  if (!failed) failed = map_part(flags, rows, PROT_READ);
  if (!failed) failed = map_part(rows, end, PROT_READ | PROT_WRITE);
  /* A forked child finds every switch off. */
  return failed ? failed : (int)-call(__NR_madvise, flags, rows - flags, MADV_WIPEONFORK, 0, 0, 0);
}

/* Whether it is laid out as ours: by the same code, and complete. */
static int is_of_our_kind(u64 at, const u8 *code, u64 bytes, struct settings *settings) {
  static u8 theirs[MOST_CODE];
  u32 same = (u32)(bytes < head.data ? bytes : head.data);
  return same <= sizeof theirs && memory_read(at, theirs, same) == same &&
         memcmp(theirs, code, same) == 0 &&
         memory_read(at + head.settings, settings, sizeof *settings) == sizeof *settings &&
         settings->block_bytes == end;
}

/* Empties a block and lets go of its files. Returns 0 where that cannot be. */
static int empty(u64 at, const struct settings *settings) {
  u64 file = (u64)settings->file, exceptions = (u64)settings->panics.file;
  if (call(__NR_madvise, at + head.data, end - head.data, MADV_DONTNEED, 0, 0, 0)) return 0;
  if (file)
    call(__NR_munmap, file, FILE_BYTES + settings->slot_stride * settings->slot_count, 0, 0, 0, 0);
  if (exceptions) call(__NR_munmap, exceptions, EXCEPTION_FILE_BYTES, 0, 0, 0, 0);
  return 1;
}

/* Takes one of an earlier tracer over. Its areas stay whose they are where the word that leads to
 * one may come up again with a thread that is made (code of C looks whose an area is). Returns
 * whether there was one. */
static int take_over(const u8 *code, u64 bytes, const u64 *dead, u32 count, u32 *next_area) {
  struct settings settings;
  lay_out(0);
  for (u32 i = 0; i < count; i++) {
    if (!is_of_our_kind(dead[i], code, bytes, &settings) || !empty(dead[i], &settings)) continue;
    *next_area = is_c || !words_are_of_library() ? 0 : settings.next_area;
    lay_out(dead[i]);
    return 1;
  }
  return 0;
}

/* So that it can be tried again. */
static void give_up(const struct options *options) {
  block = 0;
  if (ring < 0) return;
  close(ring);
  unlink(options->ring_path);
  ring = -1;
}

int block_put(pid_t pid, const struct image *image, const struct options *options, const u64 *dead,
              u32 dead_count) {
  u64 bytes, stride;
  u32 next_area = 0;
  u32 first = first_ring(options), more = first < options->ring_bytes ? first : 0;
  stride = pages(SLOT_BYTES + more + options->ring_bytes);
  u8 *code = read_code(options->code_path, &bytes);
  if (!code) return ENOEXEC;
  instruction = find_syscall(image);
  is_c = !image->is_go;
  if (!instruction) return ENOMEM;
  int failed = make_file(pid, options, stride);
  int is_there = !failed && take_over(code, bytes, dead, dead_count, &next_area);
  if (!failed && !is_there) {
    lay_out(0);
    lay_out(find_room(pid, image, end));
    failed = block ? map_block() : ENOMEM;
  }
  if (!failed) words_clear(pid, THREAD_WORD, areas, end, next_area != 0);
  if (!failed) failed = memory_write(block, code, (u32)bytes);
  long file = failed ? 0 : map_file(options->ring_path, FILE_BYTES + stride * options->slot_count);
  if (file < 0) failed = (int)-file;
  struct settings settings = {.file = failed ? 0 : (u8 *)file,
                              .slot_stride = stride,
                              .slot_count = options->slot_count,
                              .ring_bytes = options->ring_bytes,
                              .first_bytes = first,
                              .block_bytes = end - block,
                              .areas = (u8 *)areas,
                              .next_area = next_area,
                              .area_count = options->slot_count < AREA_COUNT ? options->slot_count
                                                                             : AREA_COUNT,
                              .goroutine_number = options->goroutine_number,
                              .creator_number = options->creator_number,
                              .thread_number = options->thread_number,
                              .image_begin = image->constants,
                              .image_end = image->constants_end,
                              .open = (u8 *)(block + head.open),
                              .switches = (u8 *)flags,
                              .switches_bytes = rows - flags,
                              .panics.frame = options->panic_frame};
  if (!failed) put_exceptions(pid, options->exceptions_path, &settings.panics);
  if (!failed) settings.pid = (u32)call(__NR_getpid, 0, 0, 0, 0, 0, 0);
  /* Also where it failed with a block that was there: the next one that comes has it. */
  int is_known = !failed || is_there;
  if (is_known && memory_write(block + head.settings, &settings, sizeof settings)) failed = EFAULT;
  free(code);
  if (failed) give_up(options);
  else {
    forbidden_begin(ring);
    ahead_begin(ring, stride, options->slot_count);
  }
  return failed;
}

int block_is_there(void) { return block != 0; }

const struct head *block_head(void) { return &head; }

u64 block_address(void) { return block; }

int block_is_c(void) { return is_c; }

int block_is_used(void) {
  for (struct thread *thread = thread_next(0); thread; thread = thread_next(thread))
    if (thread->registers.rip >= block && thread->registers.rip < flags) return 1;
  return 0;
}

int block_steps(u32 first, const u8 *table, u32 count) {
  if (!block || first > RECORD_MAX_STEPS || count > RECORD_MAX_STEPS - first) return EINVAL;
  return memory_write(block + head.steps + (u64)first * WALK_STEP_BYTES, table,
                      count * WALK_STEP_BYTES);
}

/* What is written in one go. */
static u8 *stub_bytes, *row_bytes, switches[ROW_COUNT];
static u64 written_stubs, written_rows, first_switch = ROW_COUNT, last_switch;

static int take_mirrors(void) {
  if (!stub_bytes) stub_bytes = calloc(1, STUB_BYTES);
  if (!row_bytes) row_bytes = calloc(ROW_COUNT, ARM_BYTES);
  return stub_bytes && row_bytes;
}

static int write_part(u64 address, const u8 *bytes, u64 from, u64 to) {
  return from < to ? memory_write(address + from, bytes + from, (u32)(to - from)) : 0;
}

int block_flush(void) {
  int failed = write_part(stubs, stub_bytes, written_stubs, used_stubs);
  if (!failed)
    failed = write_part(rows, row_bytes, written_rows * ARM_BYTES, used_rows * ARM_BYTES);
  /* The program turned them off, for good. */
  if (forbidden_read() & 1u << FORBIDS_ALL) last_switch = 0;
  if (!failed) failed = write_part(flags, switches, first_switch, last_switch);
  written_stubs = used_stubs;
  written_rows = used_rows;
  first_switch = ROW_COUNT;
  last_switch = 0;
  return failed;
}

u64 block_row(const u8 *row) {
  if (used_rows == ROW_COUNT || !take_mirrors()) return 0;
  memcpy(row_bytes + used_rows * ARM_BYTES, row, ARM_BYTES);
  return rows + used_rows++ * ARM_BYTES;
}

u64 block_stub_place(u32 bytes) {
  u64 at = (used_stubs + 15) & ~15ul;
  return take_mirrors() && at + bytes <= STUB_BYTES ? stubs + at : 0;
}

void block_stub(u64 at, const u8 *bytes, u32 count) {
  memcpy(stub_bytes + (at - stubs), bytes, count);
  used_stubs = at + count - stubs;
}

int block_reasons(const u8 *codes, u32 count) {
  if (!block || count > MOST_REASONS) return EINVAL;
  return memory_write(block + head.settings + __builtin_offsetof(struct settings, reasons), codes,
                      count);
}

int block_panics(u64 begin, u64 end) {
  const u64 words[] = {begin, end};
  return block ? memory_write(panic_setting(begin), (const u8 *)words, sizeof words) : EINVAL;
}

int block_calls_of_c(u64 begin, u64 end) {
  const u64 words[] = {begin, end};
  u64 at = block + head.settings + __builtin_offsetof(struct settings, calls_of_c);
  return block ? memory_write(at, (const u8 *)words, sizeof words) : EINVAL;
}

int block_panic_walk(u32 step) {
  step++;
  return block ? memory_write(panic_setting(walk), (const u8 *)&step, sizeof step) : EINVAL;
}

int block_counted_row(u32 fn, u16 *number) {
  u32 used = 0;
  u64 there = block + head.rows + fn * sizeof *number;
  if (memory_read(there, (u8 *)number, sizeof *number) != sizeof *number) return EIO;
  if (*number) return 0;
  if (pread(ring, &used, sizeof used, FILE_COUNTED_ROWS) != sizeof used) return EIO;
  if (!used) used = 1;
  if (used >= COUNTED_COUNT) return 0;
  *number = (u16)used++;
  if (pwrite(ring, &used, sizeof used, FILE_COUNTED_ROWS) != sizeof used) return EIO;
  return memory_write(there, (const u8 *)number, sizeof *number);
}

int block_recording(int is_on) {
  u32 is_off = !is_on;
  return memory_write(block + head.is_off, (const u8 *)&is_off, sizeof is_off);
}

u64 block_switch_place(u32 number) { return flags + number; }

void block_switch(u32 number, int is_on) {
  switches[number % ROW_COUNT] = (u8)is_on;
  if (number < first_switch) first_switch = number;
  if (number >= last_switch) last_switch = number + 1;
}
