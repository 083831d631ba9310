/* See filter.h. A filter is a program of classic BPF (struct sock_fprog), which jumps forward only:
 * going through it once tells where it can come to. What it loads other than the number of the call
 * and the processor is not known: both ways are gone then. */
#include "filter.h"
#include "../../engine/raw.h"
#include "forbid.h"

#define GET_SECCOMP 21 /* PR_GET_SECCOMP */
#define MODE_STRICT 1
#define MODE_FILTER 2
#define FOR_ALL_THREADS 1        /* SECCOMP_FILTER_FLAG_TSYNC */
#define PROCESSOR_IS 0xc000003eu /* AUDIT_ARCH_X86_64 */
#define NUMBER_AT 0
#define PROCESSOR_AT 4
#define ALLOWED 0x7fff0000u
#define LOGGED 0x7ffc0000u
#define ACTION 0xffff0000u

/* Instructions: their classes, and of jumps the condition. */
#define CLASS 7
#define LOADS 0
#define STORES 2
#define STORES_INDEX 3
#define COMPUTES 4
#define JUMPS 5
#define RETURNS 6
#define LOADS_WORD_AT 0x20
#define BY_REGISTER 8
#define RETURNS_REGISTER 0x10
#define MOVES_BACK 0x87 /* txa; the others of its class leave the register */
#define JUMP 0x05
#define JUMP_EQUAL 0x15
#define JUMP_GREATER 0x25
#define JUMP_AT_LEAST 0x35
#define JUMP_BITS 0x45

#define MOST_CODE 4096
#define PART_CODE 512

struct code {
  u16 code;
  u8 yes, no;
  u32 value;
};

struct program {
  u16 count;
  u64 code;
};

/* What is known of the register where an instruction begins. */
enum { UNREACHED = 0, NUMBER, PROCESSOR, UNKNOWN };

/* Both are in the thread's area, in the room for captured values. */
struct reading {
  u8 known[MOST_CODE];
  struct code part[PART_CODE];
};
_Static_assert(sizeof(struct reading) <= AREA_WORDS * sizeof(u64), "there is room");

static int read_exactly(void *to, u64 from, u64 length) {
  const struct memory_range own = {to, length}, other = {(const void *)from, length};
  u64 pid = outside_settings.pid;
  return raw6(__NR_process_vm_readv, pid, &own, 1, &other, 1, 0) == (long)length;
}

static void reach(struct reading *reading, u32 at, u8 known) {
  if (at >= MOST_CODE) return;
  u8 before = reading->known[at];
  reading->known[at] = before == UNREACHED || before == known ? known : UNKNOWN;
}

static void jump(struct reading *reading, u32 at, const struct code *one, u8 known, u32 number) {
  u32 value = known == NUMBER ? number : PROCESSOR_IS, next = at + 1;
  int is_met;
  switch (one->code) {
  case JUMP: reach(reading, next + one->value, known); return;
  case JUMP_EQUAL: is_met = value == one->value; break;
  case JUMP_GREATER: is_met = value > one->value; break;
  case JUMP_AT_LEAST: is_met = value >= one->value; break;
  case JUMP_BITS: is_met = (value & one->value) != 0; break;
  default: is_met = 0; known = UNKNOWN;
  }
  if (known == UNKNOWN || is_met) reach(reading, next + one->yes, known);
  if (known == UNKNOWN || !is_met) reach(reading, next + one->no, known);
}

/* What is known behind an instruction that is no jump. */
static u8 behind(const struct code *one, u8 known) {
  switch (one->code & CLASS) {
  case LOADS:
    if (one->code != LOADS_WORD_AT) return UNKNOWN;
    if (one->value == NUMBER_AT) return NUMBER;
    return one->value == PROCESSOR_AT ? PROCESSOR : UNKNOWN;
  case COMPUTES: return UNKNOWN;
  default: return one->code == MOVES_BACK ? UNKNOWN : known;
  }
}

static int lets_pass(const struct code *one) {
  u32 action = one->value & ACTION;
  return !(one->code & RETURNS_REGISTER) && (action == ALLOWED || action == LOGGED);
}

/* Whether the call is allowed whatever its arguments are. */
static int allows(struct reading *reading, const struct program *program, u32 number) {
  clear_bytes(reading->known, sizeof reading->known);
  reading->known[0] = UNKNOWN;
  for (u32 at = 0; at < program->count; at++) {
    u32 within = at % PART_CODE, left = program->count - at;
    u64 bytes = (left < PART_CODE ? left : PART_CODE) * sizeof(struct code);
    const struct code *one = &reading->part[within];
    if (!within && !read_exactly(reading->part, program->code + at * sizeof *one, bytes)) return 0;
    u8 known = reading->known[at], class = one->code & CLASS;
    if (known == UNREACHED) continue;
    if (class == RETURNS && !lets_pass(one)) return 0;
    if (class == JUMPS) jump(reading, at, one, known, number);
    else if (class != RETURNS) reach(reading, at + 1, behind(one, known));
  }
  return 1;
}

static u32 forbidden_by(struct area *area, u64 at) {
  struct program program;
  u32 calls = 0;
  if (!area || forbid_has(__NR_process_vm_readv)) return CALLS_ALL;
  /* Such a filter the system refuses, too. */
  if (!read_exactly(&program, at, sizeof program)) return 0;
  if (!program.count || program.count > MOST_CODE) return 0;
  for (u32 i = 0; i < forbid_count(); i++)
    if (!allows((struct reading *)area->words, &program, forbid_numbers[i])) calls |= 1u << i;
  return calls;
}

/* A child that has the memory of its parent until it becomes another program filters its own calls.
 */
static int is_of_child(void) {
  long pid = raw0(__NR_getpid);
  return pid > 0 && pid != outside_settings.pid;
}

void filter_comes(struct area *area, u64 number, u64 first, u64 second, u64 third) {
  int is_prctl = (u32)number == NUMBER_OF_PRCTL;
  u64 mode = is_prctl ? second : (u32)first + MODE_STRICT, flags = is_prctl ? 0 : second;
  if (is_prctl ? (u32)first != SET_SECCOMP : (u32)number != NUMBER_OF_SECCOMP) return;
  if ((mode != MODE_STRICT && mode != MODE_FILTER) || is_of_child()) return;
  if (mode == MODE_FILTER) forbid(area, forbidden_by(area, third), (flags & FOR_ALL_THREADS) != 0);
  else if (raw1(__NR_prctl, GET_SECCOMP) == 0) forbid_all(); /* with a filter it is refused */
}
