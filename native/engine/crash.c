/* Writing the crash file, see crash.h. Only system calls, and no memory of the program is touched
 * but by process_vm_readv: whatever is broken in it, nothing here can fault. */
#include "crash.h"
#include "clock.h"
#include "code.h"
#include "context.h"
#include "cpu.h"
#include "crashThreads.h"
#include "maps.h"
#include "ownFiles.h"
#include "ownThreads.h"
#include "process.h"
#include "raw.h"
#include "ringFile.h"
#include "rings.h"
#include "sites.h"
#include "tasks.h"
#include "text.h"
#include "tracer.h"

#define SIGNAL_BYTES 128
#define RED_ZONE 128
#define OWN_STACK 0x100000ul   /* of the thread that died */
#define FAR_STACK 0x10000ul    /* and as much of the other end when that is not all */
#define OTHER_STACK 0x10000ul  /* of each other thread */
#define POINTER_BYTES 0x2000ul /* of the stack are searched for pointers */
#define GLOBAL_BYTES 0x8000ul  /* of a file's data */
#define BLOCK 256ul
#define MAX_BLOCKS 4096u
#define BLOCK_PLACES (2 * MAX_BLOCKS)
#define WAIT_FOR_OTHER_NS 4000000000ul
#define MAX_FILES 64
#define MOST_FILES 65536u /* where they cannot be listed, so many numbers are tried */
#define ERR_MANY_FILES 24
#define APART_STACK 0x8000ul
#define PR_GET_NAME 16
#define LEAST_BYTES 0x40000ul /* less would hold hardly a stack */
static struct {
  u8 *base;
  u64 bytes;
  u32 pid;    /* whose file it is */
  u32 writer; /* tid */
  u32 reader; /* pid whose memory is copied: this one's, or that of a tracer, which is the same */
  struct map_table maps;
  int has_maps;
  u64 stack_start, stack_end; /* what of the own stack was written */
  u64 blocks[MAX_BLOCKS];
  u32 block_count;
  u16 block_places[BLOCK_PLACES]; /* number of a block plus one, by a hash of its address */
} crash;

static void (*also)(void);

void crash_tell_also(void (*tell)(void)) { __atomic_store_n(&also, tell, __ATOMIC_RELEASE); }

void crash_open(const char *ring_path) {
  char path[PATH_BYTES + 8];
  if (file_limit() < CRASH_MAX_BYTES) return;
  put_text(path, put_text(path, 0, ring_path), ".crash");
  /* Going beyond the process's limit would end it by a signal. */
  u64 limit = file_limit() & ~(PAGE - 1), bytes = limit < CRASH_MAX_BYTES ? limit : CRASH_MAX_BYTES;
  if (bytes < LEAST_BYTES) return;
  long file = raw_open(path, OPEN_READ_WRITE | OPEN_CREATE | OPEN_NO_LINK | OPEN_EMPTY, 0600);
  if (file < 0) return;
  long failed = raw2(__NR_ftruncate, file, bytes);
  if (!failed) failed = raw4(__NR_fallocate, file, 0, 0, PAGE);
  long mapped = failed ? failed
                       : raw6(__NR_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_NORESERVE, file, 0);
  raw1(__NR_close, file);
  if (mapped < 0 && mapped > -4096) return;
  /* A program that locks its memory does not get all of that. */
  raw3(__NR_mprotect, mapped + (long)PAGE, bytes - PAGE, 0);
  u8 *base = (u8 *)mapped;
  *(u32 *)(base + CRASH_AT_VERSION) = CRASH_VERSION;
  *(u32 *)(base + CRASH_AT_PID) = engine_pid;
  *(u32 *)(base + CRASH_AT_MACHINE) = CPU_MACHINE;
  __atomic_store_n((u64 *)(base + CRASH_AT_MAGIC), CRASH_MAGIC, __ATOMIC_RELEASE);
  crash.pid = engine_pid;
  crash.bytes = bytes;
  __atomic_store_n(&crash.base, base, __ATOMIC_RELEASE);
}

int crash_is_own(void) { return crash.pid == (u32)raw0(__NR_getpid); }

void crash_forget(void) {
  crash.base = 0;
  crash.writer = 0;
}

int crash_is_open(void) { return crash.base != 0; }

void crash_close(void) {
  u8 *base = __atomic_exchange_n(&crash.base, 0, __ATOMIC_ACQ_REL);
  if (base && !crash.writer) unmap_memory(base, crash.bytes);
}

/* Copies within this process; the destination may be a page the file system has no room for. */
static u64 transfer(u64 to, u64 from, u64 bytes) {
  struct memory_range local = {(void *)to, bytes}, remote = {(void *)from, bytes};
  long count = raw6(__NR_process_vm_readv, crash.reader, &local, 1, &remote, 1, 0);
  return count < 0 ? 0 : (u64)count;
}

static u64 room(void) {
  u64 used = CRASH_HEADER_BYTES + *(u64 *)(crash.base + CRASH_AT_USED);
  return used + CRASH_CHUNK_BYTES < crash.bytes ? crash.bytes - used - CRASH_CHUNK_BYTES : 0;
}

/* A chunk of what can be read at `from`; answers how many bytes that was. */
static u64 put(u32 kind, u32 tid, u64 address, u64 from, u64 bytes, u32 flags) {
  u64 *used = (u64 *)(crash.base + CRASH_AT_USED);
  u64 at = (u64)crash.base + CRASH_HEADER_BYTES + *used, space = room() & ~7ul;
  struct {
    u32 kind, tid;
    u64 address;
    u32 length, flags;
  } head = {kind, tid, address, 0, flags};
  u64 copied = transfer(at + CRASH_CHUNK_BYTES, from, bytes < space ? bytes : space);
  head.length = (u32)copied;
  if (copied == 0 || transfer(at, (u64)&head, sizeof head) != sizeof head) {
    ++*(u32 *)(crash.base + CRASH_AT_MISSED_CHUNKS);
    return 0;
  }
  __atomic_store_n(used, *used + CRASH_CHUNK_BYTES + ((copied + 7) & ~7ul), __ATOMIC_RELEASE);
  return copied;
}

static void put_own_name(void) {
  u8 name[CRASH_NAME_BYTES] = {0};
  if (raw2(__NR_prctl, PR_GET_NAME, name) == 0)
    put(CRASH_CHUNK_NAME, crash.writer, 0, (u64)name, crash_name_length(name, sizeof name), 0);
}

static void put_maps(void) {
  long file = raw_open("/proc/self/maps", OPEN_READ, 0);
  if (file < 0) return;
  const u64 capacity = 0x200000;
  u8 *text = map_memory(capacity);
  u64 length = 0;
  while (text && length < capacity) {
    long got = raw3(__NR_read, file, text + length, capacity - length);
    if (got <= 0) break;
    length += (u64)got;
  }
  raw1(__NR_close, file);
  if (!text) return;
  put(CRASH_CHUNK_MAPS, 0, 0, (u64)text, length, 0);
  unmap_memory(text, capacity);
}

static void read_maps(void) {
  put_maps();
  crash.has_maps = maps_open(&crash.maps);
}

/* The process may have opened as many files as it may: that is what some die of. */
static void read_maps_apart(void) {
  crash.reader = (u32)raw0(__NR_getpid);
  raw1(__NR_close, 0);
  read_maps();
}

static void apart(void (*work)(void)) {
  struct tracer tracer;
  if (tracer_start(&tracer, work, APART_STACK, TRACER_COPIES_FILES)) tracer_end(&tracer);
  crash.reader = engine_pid;
}

static int begins(const char *text, const char *with) {
  while (*with && *text == *with) text++, with++;
  return !*with;
}

/* A forked child, and a process that was attached to, may have closed ours and opened others under
 * their numbers. */
static int is_ours(u32 number, const char *target) {
  return own_files_hold(number) && (begins(target, "socket:") || begins(target, "anon_inode:"));
}

static void put_file(u32 number, void *listing) {
  char path[64], target[512];
  u32 *seen = (u32 *)(crash.base + CRASH_AT_OPEN_FILES);
  put_number(path, put_text(path, 0, "/proc/self/fd/"), number);
  long length = number == *(u32 *)listing ? -1 : raw_readlink(path, target, sizeof target - 1);
  if (length <= 0) return;
  target[length] = 0;
  if (!is_ours(number, target) && ++*seen <= MAX_FILES)
    put(CRASH_CHUNK_FILE, 0, 0, (u64)target, (u64)length, number);
}

static void put_files(void) {
  long folder = raw_open("/proc/self/fd", OPEN_READ | OPEN_FOLDER, 0);
  u32 listing = (u32)folder;
  if (folder >= 0) {
    tasks_each_number(folder, put_file, &listing);
    raw1(__NR_close, folder);
  } else if (folder == -ERR_MANY_FILES) {
    for (u32 number = 0; number < MOST_FILES; number++) put_file(number, &listing);
  } else return;
  *(u32 *)(crash.base + CRASH_AT_HAS_FILES) = 1;
}

/* From below the stack pointer to the end of what is mapped there. */
static void put_stack(u32 tid, u64 sp, u64 most, u64 far) {
  const struct mapping *row = crash.has_maps ? maps_find(&crash.maps, sp) : 0;
  /* An overflow leaves the stack pointer in the guard below: the stack is what comes next. */
  for (u32 i = 0;
       crash.has_maps && i < crash.maps.count && (!row || !(row->protection & PROT_WRITE)); i++) {
    const struct mapping *next = &crash.maps.rows[i];
    if (next->start > sp && next->start - sp < 0x200000 && (next->protection & PROT_WRITE))
      row = next;
    if (next->start > sp) break;
  }
  if (!row) return;
  u64 start = sp - RED_ZONE;
  if (start < row->start) start = row->start;
  u64 bytes = row->end - start, head = bytes > most ? most : bytes;
  u64 copied = put(CRASH_CHUNK_STACK, tid, start, start, head, 0);
  if (tid == crash.writer) {
    crash.stack_start = start;
    crash.stack_end = start + copied;
  }
  if (head < bytes && far) {
    if (far > bytes - head) far = bytes - head;
    put(CRASH_CHUNK_STACK, tid, row->end - far, row->end - far, far, 1);
  }
}

/* Notes the block an address lies in, unless it is code, a stack that is kept, or nothing. */
static void want(u64 address) {
  if (address < PAGE || address >> 47 || crash.block_count == MAX_BLOCKS) return;
  if (address >= crash.stack_start && address < crash.stack_end) return;
  const struct mapping *row = maps_find(&crash.maps, address);
  if (!row || !(row->protection & PROT_READ) || row->protection & PROT_EXEC) return;
  u64 block = address & ~(BLOCK - 1);
  u32 place = (u32)(block / BLOCK * 0x9e3779b97f4a7c15ul >> 40) % BLOCK_PLACES;
  for (; crash.block_places[place]; place = (place + 1) % BLOCK_PLACES)
    if (crash.blocks[crash.block_places[place] - 1] == block) return;
  crash.blocks[crash.block_count++] = block;
  crash.block_places[place] = (u16)crash.block_count;
}

static void want_words(u64 from, u64 bytes) {
  u64 words[32];
  for (u64 at = 0; at < bytes; at += sizeof words) {
    u64 count = transfer((u64)words, from + at, sizeof words) / 8;
    for (u64 i = 0; i < count; i++) {
      want(words[i]);
      want(words[i] + BLOCK / 2);
      /* Elements of Rust's hash tables lie below the address. */
      want(words[i] - BLOCK / 2);
    }
  }
}

/* The writable data of the file whose code this is: mapped behind its code without a gap. */
static void want_globals(u64 code) {
  const struct mapping *row = maps_find(&crash.maps, code),
                       *end = crash.maps.rows + crash.maps.count;
  u64 left = GLOBAL_BYTES;
  if (!row) return;
  for (int seen = 0; ++row < end && row->start == row[-1].end && !(row->protection & PROT_EXEC);) {
    int writable = row->protection & PROT_WRITE;
    if (seen && !writable) return;
    seen |= writable;
    for (u64 at = row->start; writable && at < row->end && left; at += BLOCK, left -= BLOCK)
      want(at);
  }
}

/* What registers and stack point to, the globals, what they point to, and so on: what is near comes
 * first. */
static void put_pointed(const u64 *registers) {
  if (!crash.has_maps) return;
  for (u32 i = 0; i < CPU_PROGRAM_COUNTER; i++) want(registers[i]);
  want_words(crash.stack_start, crash.stack_end - crash.stack_start < POINTER_BYTES
                                    ? crash.stack_end - crash.stack_start
                                    : POINTER_BYTES);
  want_globals(registers[CPU_PROGRAM_COUNTER]);
  for (u32 i = 0; i < crash.block_count && crash.block_count < MAX_BLOCKS; i++)
    want_words(crash.blocks[i], BLOCK);
  for (u32 i = 0; i < crash.block_count; i++)
    put(CRASH_CHUNK_MEMORY, 0, crash.blocks[i], crash.blocks[i], BLOCK, 0);
}

/* A breakpoint in a jump of ours changes where it leads. */
static void put_breakpoints(void) {
  for (u32 fn = 0; fn < RECORD_MAX_FUNCTIONS; fn++) {
    const struct site *site = &engine_sites[fn];
    u8 jump[JUMP_BYTES], found[JUMP_BYTES];
    if (site->state != SITE_PATCHED) continue;
    code_jump(site->address, site->island, jump);
    if (transfer((u64)found, site->address, JUMP_BYTES) == JUMP_BYTES &&
        code_has_breakpoint(jump, found))
      put(CRASH_CHUNK_BREAKPOINT, 0, site->address, (u64)found, JUMP_BYTES, 0);
  }
}

static void see_other(struct crash_thread *thread) {
  thread->registers[CPU_PROGRAM_COUNTER] = sites_original(thread->registers[CPU_PROGRAM_COUNTER]);
  put(CRASH_CHUNK_REGISTERS, thread->tid, 0, (u64)thread->registers, sizeof thread->registers,
      thread_is_ignored(thread->tid));
  put_stack(thread->tid, thread->registers[CPU_STACK_POINTER], OTHER_STACK, 0);
  if (thread->name_length)
    put(CRASH_CHUNK_NAME, thread->tid, 0, (u64)thread->name, thread->name_length, 0);
}

static void write_all(int number, const u8 *information, const u64 *context) {
  u64 registers[CPU_REGISTERS], vector_bytes;
  context_interrupted(context, registers);
  registers[CPU_PROGRAM_COUNTER] = sites_original(registers[CPU_PROGRAM_COUNTER]);
  *(u64 *)(crash.base + CRASH_AT_MONOTONIC_NS) = clock_now();
  *(u32 *)(crash.base + CRASH_AT_TID) = crash.writer;
  __atomic_store_n((u32 *)(crash.base + CRASH_AT_STATE), 1, __ATOMIC_RELEASE);
  put(CRASH_CHUNK_SIGNAL, crash.writer, 0, (u64)information, SIGNAL_BYTES, (u32)number);
  put(CRASH_CHUNK_REGISTERS, crash.writer, 0, (u64)registers, sizeof registers, 0);
  put_breakpoints();
  read_maps();
  if (!crash.has_maps) apart(read_maps_apart);
  put_stack(crash.writer, registers[CPU_STACK_POINTER], OWN_STACK, FAR_STACK);
  put_own_name();
  u64 vectors = context_vectors(context, &vector_bytes);
  if (vectors) put(CRASH_CHUNK_VECTORS, crash.writer, 0, vectors, vector_bytes, 0);
  put_pointed(registers);
  put_files();
  *(u32 *)(crash.base + CRASH_AT_MISSED_THREADS) = crash_each_thread(crash.writer, see_other);
  if (crash.has_maps) maps_close(&crash.maps);
  __atomic_store_n((u32 *)(crash.base + CRASH_AT_STATE), 2, __ATOMIC_RELEASE);
}

void crash_write(int number, const void *information, const void *context) {
  u32 none = 0, self = (u32)raw0(__NR_gettid);
  /* A child by vfork has our mapping, but it is not its to write in. */
  if (!crash.base || (u32)raw0(__NR_getpid) != engine_pid) return;
  if (__atomic_compare_exchange_n(&crash.writer, &none, self, 0, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE)) {
    crash.reader = engine_pid;
    raw3(__NR_mprotect, crash.base, crash.bytes, PROT_READ | PROT_WRITE);
    write_all(number, information, context);
    if (also) also();
    return;
  }
  /* Two threads die at once: the process must not end before the first is written down. */
  u64 limit = clock_now() + WAIT_FOR_OTHER_NS;
  while (none != self && clock_now() < limit && *(volatile u32 *)(crash.base + CRASH_AT_STATE) != 2)
    raw0(__NR_sched_yield);
}
