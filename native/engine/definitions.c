/* The definitions file beside the ring: what the numbers mean that a runtime records under, see
 * src/protocol/definitions.ts.
 *
 * The engine hands out the numbers, so that all who write in a process agree. A number is given
 * when its entry has been written: nothing can be recorded under one that has no meaning. A forked
 * child goes on behind its parent's numbers, in a file of its own that it makes at its first
 * definition. When the engine starts again in a process, the numbers of before keep their meaning:
 * what the file held is kept in memory meanwhile, as the file may be gone by then.
 *
 * The file is opened each time, as a program may close every descriptor it finds. */
#include "definitions.h"
#include "cpu.h"
#include "forked.h"
#include "maps.h"
#include "plan.h"
#include "process.h"
#include "raw.h"
#include "ringFile.h"
#include "rings.h"
#include "signals.h"
#include "tables.h"
#include "text.h"

#define KINDS 6
#define OPEN_TO_APPEND (OPEN_WRITE | OPEN_APPEND | OPEN_NO_LINK)
#define NAME_BYTES (PATH_BYTES + 8)
#define STATUS_BYTES 6 /* word of struct stat */

/* Those that come next, by kind; of functions it is engine_next_local. */
static u32 next_others[KINDS] = {0, 0, 1, 1, 1, 1};

static u32 *next_of(u32 kind) {
  return kind == DEFINITION_KIND_FUNCTION ? &engine_next_local : &next_others[kind];
}

static struct {
  u64 epoch; /* in which this process made the file */
  u64 device, inode, bytes, entries;
} made;

/* The file of before the engine was left. */
static struct {
  void *from;
  u64 bytes, entries;
} kept;

struct head {
  u64 magic;
  u32 version, pid, bases[KINDS], unused[2];
};
_Static_assert(sizeof(struct head) == DEFINITIONS_HEAD_BYTES, "the head is the contract's");
_Static_assert(__builtin_offsetof(struct head, bases) == DEFINITIONS_AT_BASES, "as above");

struct entry {
  u32 length;
  u16 kind, language;
  u32 number, line;
};
_Static_assert(sizeof(struct entry) == DEFINITIONS_ENTRY_BYTES, "the head is the contract's");
_Static_assert(__builtin_offsetof(struct entry, line) == DEFINITION_LINE, "as above");

struct part {
  const void *from;
  u64 bytes;
};

static void put_name(char *name) { put_text(name, put_text(name, 0, engine_file.path), ".defs"); }

/* Writes all of the parts at the end of an open file, or nothing. */
static int append(long file, const struct part *parts, u32 count) {
  u64 bytes = 0;
  for (u32 i = 0; i < count; i++) bytes += parts[i].bytes;
  if (made.bytes + bytes > file_limit()) return 0;
  if (raw3(__NR_writev, file, parts, count) != (long)bytes) {
    raw2(__NR_ftruncate, file, made.bytes);
    return 0;
  }
  made.bytes += bytes;
  return 1;
}

/* Makes the file, which begins with `head`. */
static int make_file(const struct part *head) {
  char name[NAME_BYTES];
  put_name(name);
  long file = raw_open(name, OPEN_TO_APPEND | OPEN_CREATE | OPEN_EMPTY, 0600);
  if (file < 0) return 0;
  u64 status[18];
  made.bytes = made.entries = 0;
  int is_made = raw2(__NR_fstat, file, status) == 0 && append(file, head, 1);
  raw1(__NR_close, file);
  made.device = status[0];
  made.inode = status[1];
  made.epoch = is_made ? engine_process.epoch : 0;
  return is_made;
}

static int make_empty_file(void) {
  struct head head = {.magic = DEFINITIONS_MAGIC, .version = DEFINITIONS_VERSION};
  head.pid = *(u32 *)(engine_file.base + FILE_PID);
  for (u32 kind = 0; kind < KINDS; kind++) head.bases[kind] = *next_of(kind);
  return make_file(&(struct part){&head, sizeof head});
}

static void count_entries(u64 count) {
  made.entries += count;
  __atomic_fetch_add((u64 *)(engine_file.base + FILE_DEFINITIONS), count, __ATOMIC_RELEASE);
}

/* Not mapped: the process would show that it is traced. */
static void keep_file(void) {
  char name[NAME_BYTES];
  put_name(name);
  long file = raw_open(name, OPEN_READ, 0);
  if (file < 0) return;
  kept.from = map_memory(made.bytes);
  kept.bytes = made.bytes;
  kept.entries = made.entries;
  long got = kept.from ? raw3(__NR_read, file, kept.from, made.bytes) : 0;
  raw1(__NR_close, file);
  if (!kept.from || got == (long)made.bytes) return;
  unmap_memory(kept.from, kept.bytes);
  kept.from = 0;
}

void definitions_leave(u64 epoch) {
  take_lock(&engine_process.define_lock);
  if (made.epoch == epoch) keep_file();
  made.epoch = 0;
  give_lock(&engine_process.define_lock);
}

static int make_first_file(void) {
  if (!kept.from) return make_empty_file();
  int is_made = make_file(&(struct part){kept.from, kept.bytes});
  if (is_made) count_entries(kept.entries);
  unmap_memory(kept.from, kept.bytes);
  kept.from = 0;
  return is_made;
}

void definitions_start(void) {
  take_lock(&engine_process.define_lock);
  if (kept.from) make_first_file();
  give_lock(&engine_process.define_lock);
}

static int append_entry(const struct entry *entry, const u8 *fields, u32 bytes) {
  static const u64 zeros;
  struct part parts[] = {
      {entry, sizeof *entry}, {fields, bytes}, {&zeros, entry->length - sizeof *entry - bytes}};
  char name[NAME_BYTES];
  put_name(name);
  long file = raw_open(name, OPEN_TO_APPEND, 0);
  if (file < 0) return 0;
  u64 status[18];
  int is_same = raw2(__NR_fstat, file, status) == 0 && status[0] == made.device &&
                status[1] == made.inode && status[STATUS_BYTES] == made.bytes;
  int is_there = is_same && append(file, parts, 3);
  raw1(__NR_close, file);
  return is_there;
}

/* With signals blocked: a handler may define, too, or fork. */
static u32 define(struct entry *entry, const u8 *fields, u32 bytes) {
  if (!RELAXED(engine_process.epoch) && !forked_begin()) return 0;
  /* A child by vfork: what it would write is not its parent's. */
  if ((u32)raw0(__NR_getpid) != engine_pid) return 0;
  u32 number = 0;
  take_lock(&engine_process.define_lock);
  u32 *own = next_of(entry->kind);
  int has_number = entry->kind != DEFINITION_KIND_FUNCTION || *own < ALL_FUNCTIONS;
  u64 epoch = RELAXED(engine_process.epoch); /* 0: it was left meanwhile */
  int has_file = epoch && (made.epoch == epoch || make_first_file());
  entry->number = *own;
  if (has_number && has_file && append_entry(entry, fields, bytes)) {
    number = *own;
    SET_RELAXED(*own, number + 1);
    count_entries(1);
  }
  give_lock(&engine_process.define_lock);
  return number;
}

/* Defines a function, type, file, name or strand: `fields` are those of the kind in the contract.
 * Returns its number; 0 where it cannot be written, and then nothing is to be recorded of it. */
EXPORT u32 engine_define(u32 kind, u32 language, u32 line, const u8 *fields, u32 bytes) {
  u64 before;
  if (kind == 0 || kind >= KINDS || bytes > DEFINITIONS_MOST_BYTES - sizeof(struct entry)) return 0;
  struct entry entry = {.length = (sizeof entry + bytes + 7) & ~7u,
                        .kind = (u16)kind,
                        .language = (u16)language,
                        .line = line};
  if (engine_sandboxed || signals_block(&before)) return 0;
  u32 number = define(&entry, fields, bytes);
  signals_set(&before);
  return number;
}
