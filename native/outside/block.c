/* See block.h. */
#define _GNU_SOURCE
#include "block.h"
#include "../engine/exceptionFile.h"
#include "../engine/relocate.h"
#include "../engine/x64/decode.h"
#include "../stopper/memory.h"
#include "exceptions.h"
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
#define STUB_BYTES (16ul << 20)
#define ROW_COUNT 65536ul
#define AREA_COUNT 256ul
#define REACH 0x70000000ul
#define CLOCK_TRIES 5
/* cmp, je, lea, lea, jmp */
#define CALL_BYTES 28
/* cmp, je, push, lea, call, pop */
#define CALL_C_BYTES 25
/* See put_guest. */
#define GUEST_BYTES 81
#define GUEST_BACK 72

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
  static u64 times;
  times++;
  if (ring >= 0 && pwrite(ring, &times, sizeof times, FILE_REMOVALS) < 0) return;
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

static void lay_out(u64 at) {
  block = at;
  stubs = at + pages(head.end);
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

int block_put(pid_t pid, const struct image *image, const struct options *options) {
  u64 bytes, stride = pages(SLOT_BYTES + options->ring_bytes);
  u8 *code = read_code(options->code_path, &bytes);
  if (!code) return ENOEXEC;
  instruction = find_syscall(image);
  is_c = !image->is_go;
  lay_out(0);
  u64 at = find_room(pid, image, end);
  if (!instruction || !at) return ENOMEM;
  lay_out(at);
  words_clear(pid, THREAD_WORD);
  int failed = make_file(pid, options, stride);
  if (!failed) failed = map_part(block, block + head.data, PROT_READ | PROT_EXEC);
  if (!failed) failed = map_part(block + head.data, stubs, PROT_READ | PROT_WRITE);
  if (!failed) failed = map_part(stubs, flags, PROT_READ | PROT_EXEC);
  if (!failed) failed = map_part(flags, rows, PROT_READ);
  if (!failed) failed = map_part(rows, end, PROT_READ | PROT_WRITE);
  /* A forked child finds every switch off. */
  if (!failed) failed = (int)-call(__NR_madvise, flags, rows - flags, MADV_WIPEONFORK, 0, 0, 0);
  long file = failed ? 0 : map_file(options->ring_path, FILE_BYTES + stride * options->slot_count);
  if (file < 0) failed = (int)-file;
  struct settings settings = {.file = (u8 *)file,
                              .slot_stride = stride,
                              .slot_count = options->slot_count,
                              .ring_bytes = options->ring_bytes,
                              .areas = (u8 *)areas,
                              .area_count = options->slot_count < AREA_COUNT ? options->slot_count
                                                                             : AREA_COUNT,
                              .goroutine_number = options->goroutine_number,
                              .creator_number = options->creator_number,
                              .thread_number = options->thread_number,
                              .image_begin = image->constants,
                              .image_end = image->constants_end,
                              .open = (u8 *)(block + head.open),
                              .panics.frame = options->panic_frame};
  if (!failed) put_exceptions(pid, options->exceptions_path, &settings.panics);
  if (!failed) failed = memory_write(block, code, (u32)bytes);
  if (!failed) failed = memory_write(block + head.settings, &settings, sizeof settings);
  free(code);
  if (failed) block = 0;
  return failed;
}

int block_is_there(void) { return block != 0; }

const struct head *block_head(void) { return &head; }

u64 block_address(void) { return block; }

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

struct writer {
  u8 bytes[2048];
  u32 length;
  u64 at;
  u64 enter, leave; /* what records, of Go */
};

static void put(struct writer *to, const void *bytes, u32 count) {
  memcpy(to->bytes + to->length, bytes, count);
  to->length += count;
}

static void put_relative(struct writer *to, const u8 *opcode, u32 count, u64 target, u32 behind) {
  put(to, opcode, count);
  int distance = (int)(target - (to->at + to->length + 4 + behind));
  put(to, &distance, 4);
}

/* Records, unless the switch is off. */
static void put_call(struct writer *to, u64 code, u32 number, u64 row) {
  u64 next = to->at + to->length + CALL_BYTES;
  put_relative(to, (const u8[]){0x80, 0x3d}, 2, flags + number, 1); /* cmp byte [rip + x], 0 */
  put(to, (const u8[]){0, 0x74, CALL_BYTES - 9}, 3);                /* je next */
  put_relative(to, (const u8[]){0x4c, 0x8d, 0x25}, 3, row, 0);      /* lea r12, [rip + x] */
  put_relative(to, (const u8[]){0x4c, 0x8d, 0x2d}, 3, next, 0);     /* lea r13, [rip + x] */
  put_relative(to, (const u8[]){0xe9}, 1, code, 0);
}

static void put_call_c(struct writer *to, u64 code, u32 number, u64 row) {
  put_relative(to, (const u8[]){0x80, 0x3d}, 2, flags + number, 1);
  put(to, (const u8[]){0, 0x74, CALL_C_BYTES - 9}, 3);
  put(to, (const u8[]){0x41, 0x53}, 2);                        /* push r11 */
  put_relative(to, (const u8[]){0x4c, 0x8d, 0x1d}, 3, row, 0); /* lea r11, [rip + x] */
  put_relative(to, (const u8[]){0xe8}, 1, code, 0);
  put(to, (const u8[]){0x41, 0x5b}, 2); /* pop r11 */
}

static void put_entry(struct writer *to, u32 number, u64 row) {
  if (is_c) put_call_c(to, block + head.enter_c, number, row);
  else put_call(to, to->enter, number, row);
}

static void put_end(struct writer *to, const struct site *site, u32 number, u64 row) {
  u32 code = site->leaves == LEAVES_TAIL ? head.tail_c : head.leave_c;
  if (is_c) put_call_c(to, block + code, number, row);
  else put_call(to, to->leave, number, row);
}

/* Records a statement of C (target/entryC.S), below what a leaf may have below its stack pointer.
 * Flags are in use. */
static u32 put_guest_c(struct writer *to, const struct guest *guest) {
  u8 row[ARM_BYTES];
  memcpy(row, guest->row, sizeof row);
  *(u64 *)(row + PROBE_ROW_SWITCH) = flags + guest->number;
  u64 there = block_row(row);
  if (!there || to->length + 2 * GUEST_BYTES > sizeof to->bytes) return VERDICT_POOL_FULL;
  put(to, (const u8[]){0x48, 0x8d, 0x64, 0x24, (u8)-RED_ZONE}, 5); /* lea rsp, [rsp - RED_ZONE] */
  put(to, (const u8[]){0x41, 0x53}, 2);                            /* push r11 */
  put_relative(to, (const u8[]){0x4c, 0x8d, 0x1d}, 3, there, 0);   /* lea r11, [rip + x] */
  put_relative(to, (const u8[]){0xe8}, 1, block + head.probe_c, 0);
  put(to, (const u8[]){0x41, 0x5b}, 2);             /* pop r11 */
  put(to, (const u8[]){0x48, 0x8d, 0xa4, 0x24}, 4); /* lea rsp, [rsp + RED_ZONE] */
  put(to, &(const u32){RED_ZONE}, 4);
  return VERDICT_HOOKED;
}

/* Records a statement of Go (target/entry.S): rcx, exchanged with the thread's word, is its area;
 * where there is none yet one is claimed, under a lock, as nothing else is free that could be used.
 */
static u32 put_guest(struct writer *to, const struct guest *guest) {
  u8 row[ARM_BYTES];
  u64 start = to->at + to->length, lock = block + head.probe_lock;
  static const u8 exchange[] = {0x64, 0x48, 0x87, 0x0c, 0x25, THREAD_WORD, 0, 0, 0};
  memcpy(row, guest->row, sizeof row);
  *(u64 *)(row + PROBE_ROW_BACK) = start + GUEST_BACK;
  *(u64 *)(row + PROBE_ROW_SWITCH) = flags + guest->number;
  u64 there = block_row(row);
  if (!there || to->length + 2 * GUEST_BYTES > sizeof to->bytes) return VERDICT_POOL_FULL;
  put(to, exchange, sizeof exchange);
  put(to, (const u8[]){0xe3, 19, 0x48, 0x89, 0x81}, 5); /* jrcxz claim; mov [rcx + x], rax */
  put(to, &(const u32){AREA_PROBED}, 4);
  put_relative(to, (const u8[]){0x48, 0x8d, 0x05}, 3, there, 0); /* lea rax, [rip + x] */
  put_relative(to, (const u8[]){0xe9}, 1, block + head.probe, 0);
  /* claim: mov ecx, 1; xchg [rip + x], rcx; jrcxz claimed; pause; jmp claim */
  put(to, (const u8[]){0xb9, 1, 0, 0, 0}, 5);
  put_relative(to, (const u8[]){0x48, 0x87, 0x0d}, 3, lock, 0);
  put(to, (const u8[]){0xe3, 4, 0xf3, 0x90, 0xeb, (u8)-18}, 6);
  /* claimed: mov [rip + x], rax */
  put_relative(to, (const u8[]){0x48, 0x89, 0x05}, 3, lock + 8, 0);
  put_relative(to, (const u8[]){0x48, 0x8d, 0x05}, 3, there, 0);
  put_relative(to, (const u8[]){0xe9}, 1, block + head.probe_claim, 0);
  put(to, (const u8[]){0xb9, 0, 0, 0, 0}, 5); /* there is none: mov ecx, 0 */
  put(to, exchange, sizeof exchange);
  return VERDICT_HOOKED;
}

static u32 put_guests(struct writer *to, const struct recorder *by, u64 address) {
  u32 verdict = VERDICT_HOOKED;
  for (u32 i = 0; i < by->guest_count && verdict == VERDICT_HOOKED; i++)
    if (by->guests[i].address == address)
      verdict = is_c ? put_guest_c(to, &by->guests[i]) : put_guest(to, &by->guests[i]);
  return verdict;
}

/* `count` bytes of the site's instructions from `from` on, and then on at `next`; 0: at what is put
 * behind them. */
static u32 put_displaced(struct writer *to, const u8 *code, const struct site *site, u32 from,
                         u32 count, u64 next, const struct recorder *by, struct stub *stub) {
  struct displaced moved = {.length = 0};
  const struct function_code function = {
      .bytes = code + from, .address = site->address + from, .room = count, .size = count};
  u64 start = to->at + to->length;
  u32 guests = put_guests(to, by, site->address + from);
  if (guests != VERDICT_HOOKED || !count) return guests;
  u64 at = to->at + to->length;
  u32 verdict = displace_part(&function, count, next ? next : at, at, &moved);
  if (verdict != VERDICT_HOOKED) return verdict;
  if (stub->moves + moved.moves + 1 > MOST_MOVES) return VERDICT_UNSUPPORTED_INSTRUCTION;
  if (from) {
    stub->from[stub->moves] = site->address + from;
    stub->to[stub->moves++] = start;
  }
  for (u32 i = 0; i < moved.moves; i++) {
    stub->from[stub->moves] = site->address + from + moved.from[i];
    stub->to[stub->moves++] = at + moved.to[i];
  }
  /* Without the jump that ends it. */
  put(to, moved.code, next ? moved.length : moved.length - JUMP_BYTES);
  return VERDICT_HOOKED;
}

/* Bytes of whole instructions, JUMP_BYTES or more. */
static u32 first_part(const u8 *code, u32 count) {
  u32 bytes = 0;
  struct instruction in;
  while (bytes < JUMP_BYTES && decode(code + bytes, count - bytes, 0, &in)) bytes += in.length;
  return bytes;
}

/* What ends the call. */
static u32 put_leaving(struct writer *to, const u8 *code, const struct site *site,
                       struct stub *stub) {
  struct displaced moved = {.length = 0};
  u64 at = to->at + to->length, from = site->address + site->displaced;
  if (site->displaced && site->displaced < JUMP_BYTES) {
    stub->from[stub->moves] = from;
    stub->to[stub->moves++] = at;
  }
  const struct function_code function = {.bytes = code + site->displaced,
                                         .address = from,
                                         .room = site->leaving,
                                         .size = site->leaving};
  u32 verdict = displace_part(&function, site->leaving, at, at, &moved);
  if (verdict == VERDICT_HOOKED) put(to, moved.code, moved.length);
  return verdict;
}

/* Where the run of displaced instructions from `from` on ends: a guest comes next, or what follows
 * the jump. */
static u32 run_end(const u8 *code, const struct site *site, u32 from, const struct recorder *by) {
  u32 end = site->displaced, part = site->is_room ? first_part(code, end) : end;
  if (from < part && part < end) end = part;
  for (u32 i = 0; i < by->guest_count; i++) {
    u64 at = by->guests[i].address - site->address;
    if (at > from && at < end) end = (u32)at;
  }
  return end;
}

static u32 put_stub(struct writer *to, const u8 *code, const struct site *site,
                    const struct recorder *by, struct stub *stub) {
  u32 count = site->displaced, verdict = VERDICT_HOOKED;
  u64 next = site->leaves ? 0 : site->address + count;
  if (site->is_entry) put_entry(to, by->number, by->row);
  for (u32 from = 0, end; from < count && verdict == VERDICT_HOOKED; from = end) {
    end = run_end(code, site, from, by);
    verdict = put_displaced(to, code, site, from, end - from, end < count ? 0 : next, by, stub);
  }
  if (verdict != VERDICT_HOOKED || !site->leaves) return verdict;
  verdict = put_guests(to, by, site->address + count);
  if (by->row && verdict == VERDICT_HOOKED) put_end(to, site, by->number, by->row);
  return verdict == VERDICT_HOOKED ? put_leaving(to, code, site, stub) : verdict;
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

static u32 entry_code(u8 of) {
  if (!(of & ARM_PARKS)) return head.enter;
  if (of & ARM_RAISES) return head.raise;
  if (of & ARM_ENDS) return head.recover;
  return of & ARM_RECOVERS ? head.pass : head.park;
}

static u32 end_code(u8 of) {
  if (!(of & ARM_PARKS)) return head.leave;
  return of & ARM_RECOVERS ? head.recover : head.resume;
}

u32 block_stub(const u8 *code, const struct site *site, const struct recorder *by,
               struct stub *stub) {
  struct writer to = {.at = (stubs + used_stubs + 15) & ~15ul,
                      .enter = block + entry_code(by->flags),
                      .leave = block + end_code(by->flags)};
  if (!take_mirrors() || used_stubs + sizeof to.bytes > STUB_BYTES) return VERDICT_POOL_FULL;
  stub->address = to.at;
  stub->moves = 0;
  u32 verdict = put_stub(&to, code, site, by, stub);
  if (verdict != VERDICT_HOOKED) return verdict;
  memcpy(stub_bytes + (to.at - stubs), to.bytes, to.length);
  used_stubs = to.at + to.length - stubs;
  return VERDICT_HOOKED;
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

void block_switch(u32 number, int is_on) {
  switches[number % ROW_COUNT] = (u8)is_on;
  if (number < first_switch) first_switch = number;
  if (number >= last_switch) last_switch = number + 1;
}
