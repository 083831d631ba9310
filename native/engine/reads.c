/* See reads.h.
 *
 * What nobody takes away is copied directly: the stack of the first thread while it stands on it,
 * the page another stands on, and the program's constants, while a page of them is known to be
 * there.
 *
 * Where the processor has transactions, other memory is copied in one: a page that cannot be read
 * ends the transaction and not the program, whatever the thread does about signals. What a
 * transaction did not copy, and everything where there are none:
 *
 * Whether an address can be read only the kernel knows, and to ask it (process_vm_readv) costs half
 * a microsecond. So it is asked once for a page and a turn of some milliseconds; until then the
 * page is read directly. Should it be gone meanwhile, the fault is undone: the handler of fault
 * signals (sentSignals.c) lets the thread go on behind the copy, and the kernel is asked after all.
 * A blocked fault would end the program, so whether this thread blocks them is asked anew for each
 * event: it may be in a handler now. For the program's variables and the heap behind them that is
 * not asked: as long as the C library counts it to the heap, a page of it stays. A process whose
 * handler in the kernel is not ours any more always asks; that is looked at once in a turn. */
#include "reads.h"
#include "copies.h"
#include "cpu.h"
#include "process.h"
#include "raw.h"
#include "readSafely.h"
#include "rings.h"
#include "waitingFiles.h"

#define TURN_BITS 19
#define TURN_MASK ((1ul << TURN_BITS) - 1)
#define PAGES 512
#define RESIDENT_PAGES 16ul /* asked for at once */

#define SIGNAL_BUS 7
#define SIGNAL_FAULT 11

/* What one transaction copies: it must fit the first cache. */
#define MOST_IN_TRANSACTION 1024
u32 reads_first;

/* The program's own constants: where its first and its last segment without writing lie. */
#define AUXILIARY_HEADERS 3
#define AUXILIARY_HEADER_COUNT 5
#define HEADER_BYTES 56
#define SEGMENT_LOAD 1
#define SEGMENT_HEADERS 6
#define SEGMENT_WRITABLE 2
#define MOST_CONSTANTS 4
static struct range {
  u64 begin, end;
} constants[MOST_CONSTANTS], all_constants, variables;

/* Where the C library keeps the end of the heap that grows behind the variables (brk); null: it has
 * none. */
static const u64 *program_break;

/* A place at the far end of the first thread's stack; nothing else is ever put so near below it. */
#define AUXILIARY_RANDOM 25
#define NEAR_STACK_BYTES (1u << 20)
static u64 stack_end;

/* Page number << TURN_BITS | the turn in which it was read. A page is known by one word, so that
 * threads and handlers need no lock. */
static u64 readable[PAGES];
/* The same of constants alone, which lie in whole pages. */
#define CONSTANT_PAGES 64
static u64 readable_constants[CONSTANT_PAGES];
static u64 handler;
static u64 looked_at; /* turn << 1 | whether the handler was ours then */

struct segment {
  u32 kind, flags;
  u64 offset, address, physical, file_bytes, memory_bytes, alignment;
};
_Static_assert(sizeof(struct segment) == HEADER_BYTES, "ELF's program header");

static void find_constants(void) {
  u64 auxiliary[64 * 2] = {0}, base = 0, headers = 0, count = 0, found = 0;
  long file = raw_open("/proc/self/auxv", OPEN_READ, 0);
  if (file < 0) return;
  raw3(__NR_read, file, auxiliary, sizeof auxiliary - 16);
  raw1(__NR_close, file);
  for (u32 i = 0; auxiliary[i]; i += 2) {
    if (auxiliary[i] == AUXILIARY_HEADERS) headers = auxiliary[i + 1];
    if (auxiliary[i] == AUXILIARY_HEADER_COUNT) count = auxiliary[i + 1];
    if (auxiliary[i] == AUXILIARY_RANDOM) stack_end = auxiliary[i + 1];
  }
  struct segment segments[32];
  if (count > 32 || read_safely(segments, headers, count * HEADER_BYTES) != count * HEADER_BYTES)
    return;
  for (u32 i = 0; i < count; i++)
    if (segments[i].kind == SEGMENT_HEADERS) base = headers - segments[i].address;
  for (u32 i = 0; base && i < count && found < MOST_CONSTANTS; i++) {
    const struct segment *one = &segments[i];
    if (one->kind != SEGMENT_LOAD) continue;
    const u64 page = (1ul << PAGE_SHIFT) - 1, at = base + one->address;
    if (one->flags & SEGMENT_WRITABLE) {
      if (!variables.begin) variables.begin = at;
      variables.end = at + one->memory_bytes;
      continue;
    }
    constants[found].begin = at & ~page;
    constants[found++].end = (at + one->file_bytes + page) & ~page;
    if (found == 1) all_constants.begin = constants[0].begin;
    all_constants.end = constants[found - 1].end;
  }
}

/* `place`: the C library's __curbrk, or null. */
EXPORT void engine_know_break(const u64 *place) { program_break = place; }

void reads_set_handler(u64 of_kernel) { handler = of_kernel; }

int reads_recover(u64 *pc) {
  if (*pc < (u64)copy_directly || *pc >= (u64)copies_end) return 0;
  *pc = (u64)copies_failed;
  return 1;
}

void reads_start(void) {
  reads_first = processor_has_transactions() ? READS_AT_ONCE_NEXT : READS_UNKNOWN;
  find_constants();
}

static int is_ours(u32 number) {
  u64 action[4] = {0};
  return handler && raw4(__NR_rt_sigaction, number, 0, action, 8) == 0 && action[0] == handler;
}

static u64 turn_now(void) {
  if (!engine_thread.turn) engine_thread.turn = (u32)(turns(timestamp()) >> TURN_SHIFT);
  return engine_thread.turn;
}

static int has_handler(void) {
  u64 turn = turn_now();
  u64 known = __atomic_load_n(&looked_at, __ATOMIC_RELAXED);
  if (known >> 1 != turn) {
    known = turn << 1 | (is_ours(SIGNAL_FAULT) && is_ours(SIGNAL_BUS));
    __atomic_store_n(&looked_at, known, __ATOMIC_RELAXED);
  }
  return known & 1;
}

/* Whether a fault of this thread would be undone. Inlined: behind a system call a processor that
 * guards its predictions from the kernel's predicts no return, and each costs some nanoseconds. */
static inline __attribute__((always_inline)) int may_fault(void) {
  const u64 faults = 1ul << (SIGNAL_BUS - 1) | 1ul << (SIGNAL_FAULT - 1);
  u64 blocked = ~0ul;
  if (!engine_thread.reads) {
    raw4(__NR_rt_sigprocmask, 0, 0, &blocked, 8);
    engine_thread.reads = !(blocked & faults) && has_handler() ? READS_DIRECTLY : READS_ASKING;
  }
  return engine_thread.reads == READS_DIRECTLY;
}

/* Whether all of that are the program's variables, or its heap. */
static int is_variable(u64 from, u64 length) {
  u64 end = program_break ? RELAXED(*program_break) : 0;
  if (end < variables.end) end = variables.end;
  return variables.begin && from >= variables.begin && from + length <= end;
}

static u64 *place_of(u64 page) { return &readable[(page ^ page >> 9) % PAGES]; }

static int is_of_this_turn(u64 known, u64 page) {
  return known >> TURN_BITS == page && ((turn_now() - known) & TURN_MASK) <= 1;
}

static int is_readable(u64 page) { return is_of_this_turn(RELAXED(*place_of(page)), page); }

static void remember(u64 from, u64 length, int is_constant) {
  for (u64 page = from >> PAGE_SHIFT; length && page <= (from + length - 1) >> PAGE_SHIFT; page++) {
    u64 known = page << TURN_BITS | (turn_now() & TURN_MASK);
    SET_RELAXED(*place_of(page), known);
    if (is_constant) SET_RELAXED(readable_constants[page % CONSTANT_PAGES], known);
  }
}

/* Whether all of that are the program's own constants. */
static int is_constant(u64 from, u64 length) {
  if (from - all_constants.begin >= all_constants.end - all_constants.begin) return 0;
  for (u32 i = 0; i < MOST_CONSTANTS && constants[i].end; i++)
    if (from >= constants[i].begin && from + length <= constants[i].end) return 1;
  return 0;
}

static u32 may_wait;

void reads_may_wait(void) { SET_RELAXED(may_wait, 1); }

/* The same of a process that had one when it was entered. */
EXPORT void engine_may_wait(void) { reads_may_wait(); }

/* Whether all of that is in memory. What cannot be asked is not mapped as a whole, and read as far
 * as it is. */
static int is_resident(u64 from, u64 length) {
  const u64 page = (1ul << PAGE_SHIFT) - 1;
  u64 at = from & ~page, end = (from + length + page) & ~page;
  u8 there[RESIDENT_PAGES];
  for (u64 part; at < end; at += part) {
    part = end - at < RESIDENT_PAGES << PAGE_SHIFT ? end - at : RESIDENT_PAGES << PAGE_SHIFT;
    if (raw3(__NR_mincore, at, part, there) != 0) continue;
    for (u64 i = 0; i < part >> PAGE_SHIFT; i++)
      if (!(there[i] & 1)) return 0;
  }
  return 1;
}

/* Changes every fifty milliseconds or so. */
static u32 period_now(void) { return (u32)turn_now() >> 3; }

static u64 read_asking(void *to, u64 from, u64 length) {
  if (engine_sandboxed || (RELAXED(may_wait) && !is_resident(from, length))) return 0;
  /* The program's own file is where its code comes from as well. */
  if (!is_constant(from, length) && waiting_files_mounted(period_now()) &&
      waiting_files_hold(from, length))
    return 0;
  u64 got = read_safely(to, from, length);
  remember(from, got, is_constant(from, got));
  return got;
}

/* Up to the end of a page, or of what fits a transaction. */
static u64 part_of(u64 from, u64 length, u64 most) {
  u64 part = most - (from & (most - 1));
  return part < length ? part : length;
}

/* How many bytes from there on are sure to be there: nobody takes them away in the few milliseconds
 * for which a page is known. That is the stack this thread stands on, as far as it is known, and
 * constants. */
static inline u64 steady_bytes(u64 from, u64 length) {
  u64 here = (u64)__builtin_frame_address(0), page = from >> PAGE_SHIFT;
  if (from - here < stack_end - here && stack_end - here < NEAR_STACK_BYTES)
    return stack_end - from < length ? stack_end - from : length;
  if (!is_of_this_turn(RELAXED(readable_constants[page % CONSTANT_PAGES]), page) &&
      page != here >> PAGE_SHIFT)
    return 0;
  return engine_sandboxed ? 0 : part_of(from, length, 1ul << PAGE_SHIFT);
}

static void forget_page(u64 page) {
  SET_RELAXED(*place_of(page), 0);
  SET_RELAXED(readable_constants[page % CONSTANT_PAGES], 0);
}

/* Where it ends early, this function has answered 0. */
static int is_at_once(void) {
  if (engine_thread.reads != READS_AT_ONCE_NEXT) return engine_thread.reads == READS_AT_ONCE;
  engine_thread.reads = READS_UNKNOWN;
  if (!transaction_begins()) return 0;
  engine_thread.reads = READS_AT_ONCE;
  return 1;
}

/* How many bytes from there on can be copied directly, where nothing has to be asked. */
static inline u64 sure_bytes(u64 from, u64 length) {
  u64 part = steady_bytes(from, length);
  if (part) return part;
  part = part_of(from, length, MOST_IN_TRANSACTION);
  return !is_constant(from, part) && is_at_once() ? part : 0;
}

u64 read_quickly(void *to, u64 from, u64 length) {
  if (!length || from + length < from) return 0;
  u64 last = (from + length - 1) >> PAGE_SHIFT, page = from >> PAGE_SHIFT;
  if (steady_bytes(from, length) == length) {
    if (copy_directly(to, from, length) >= 0) return length;
    forget_page(page);
  }
  int is_own = is_constant(from, length);
  if (!is_own && is_at_once()) return (u64)copy_directly(to, from, length);
  if (reads_first && length <= MOST_IN_TRANSACTION && copy_at_once(to, from, length) >= 0) {
    if (is_own) remember(from, length, 1);
    return length;
  }
  if (engine_sandboxed) return 0;
  while (page <= last && is_readable(page) && !RELAXED(may_wait)) page++;
  if (page <= last || !(is_own || is_variable(from, length) || may_fault()))
    return read_asking(to, from, length);
  if (copy_directly(to, from, length) >= 0) return length;
  for (page = from >> PAGE_SHIFT; page <= last; page++) forget_page(page);
  return read_asking(to, from, length);
}

u64 read_own(void *to, u64 from, u64 length) {
  return copy_directly(to, from, length) >= 0 ? length : read_safely(to, from, length);
}

/* A processor waits for a word that was written in parts. */
int read_own_word(u64 *word, u64 from, u64 length) {
  if (copy_word_directly(word, from) >= 0) return 1;
  return read_own(word, from, length) == length;
}

/* Copies text up to the end of a page at most, in the cheapest way there is; -1 where only the
 * kernel can. */
static long copy_text(u8 *to, u64 from, u64 length, u64 *part) {
  long got = -1;
  if ((*part = sure_bytes(from, length))) {
    if ((got = copy_text_directly(to, from, *part)) >= 0) return got;
    forget_page(from >> PAGE_SHIFT);
  }
  *part = part_of(from, length, MOST_IN_TRANSACTION);
  int is_own = is_constant(from, *part);
  if (reads_first && (got = copy_text_at_once(to, from, *part)) >= 0) {
    if (is_own) remember(from, *part, 1);
    return got;
  }
  *part = part_of(from, length, 1ul << PAGE_SHIFT);
  if (engine_sandboxed || RELAXED(may_wait) || !is_readable(from >> PAGE_SHIFT)) return -1;
  int may_copy = is_own || is_variable(from, *part) || may_fault();
  return may_copy ? copy_text_directly(to, from, *part) : -1;
}

/* Whether a NUL is among the last bytes of a part, which is copied in words. */
static int has_end(const u8 *part, u64 length) {
  for (u64 at = length > 8 ? length - 8 : 0; at < length; at++)
    if (!part[at]) return 1;
  return 0;
}

static __attribute__((noinline)) u32 read_text_in_parts(u8 *to, u64 from, u32 most) {
  u32 done = 0;
  while (done < most) {
    u64 at = from + done, part;
    long got = copy_text(to + done, at, most - done, &part);
    if (got < 0) {
      forget_page(at >> PAGE_SHIFT);
      u32 end = done + (u32)read_asking(to + done, at, most - done);
      while (done < end && to[done]) done++;
      return done < end ? done + 1 : end;
    }
    if ((u64)got < part || has_end(to + done, (u64)got)) return done + (u32)got;
    done += (u32)got;
  }
  return done;
}

u32 read_text_quickly(u8 *to, u64 from, u32 most) {
  if (from + most < from) return 0;
  /* Most often its end is near, in one page, and nothing has to be asked. */
  u64 part = sure_bytes(from, most);
  long got = part ? copy_text_directly(to, from, part) : -1;
  return got > 0 && (u64)got < part ? (u32)got : read_text_in_parts(to, from, most);
}
