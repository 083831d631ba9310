/* See traps.h. A stop that the stopper took and did not end before it was killed reaches the
 * program as a signal, too: one of a single step, or an int3 that it made look like one, with the
 * address where the thread goes on. */
#include "traps.h"
#include "clock.h"
#include "context.h"
#include "maps.h"
#include "process.h"
#include "raw.h"
#include "readSafely.h"

#define CODE_KERNEL 0x80 /* an int3 */
#define CODE_STEP 2
#define CODE_STEP_OF_CALL 1
#define INT3 0xcc
#define INT 0xcd

EXPORT struct trap_table engine_traps __attribute__((aligned(PAGE))) = {.mark = TRAPS_MARK};

struct trap_information {
  int number, error, code, padding;
  u64 address, data;
};

static const struct trap *trap_at(u64 address) {
  for (u32 i = 0; i < TRAPS_MOST; i++)
    if (RELAXED(engine_traps.traps[i].address) == address) return &engine_traps.traps[i];
  return 0;
}

int traps_planted(u64 address, u8 *original) {
  const struct trap *trap = trap_at(address);
  if (trap) *original = (u8)trap->original;
  return trap != 0;
}

static int write_by_file(u64 address, u8 byte) {
  if (engine_sandboxed) return 0;
  long file = raw_open("/proc/self/mem", OPEN_WRITE, 0);
  if (file < 0) return 0;
  long wrote = raw4(__NR_pwrite64, file, &byte, 1, address);
  raw1(__NR_close, file);
  return wrote == 1;
}

/* Where there is no /proc the page stays writable: another thread may write there now. */
static void lift(const struct trap *trap) {
  u8 byte = (u8)trap->original;
  if (write_by_file(trap->address, byte)) return;
  u64 page = trap->address & ~(PAGE - 1);
  if (raw3(__NR_mprotect, page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
    *(volatile u8 *)trap->address = byte;
}

/* A debugger of the process takes out itself what is its own. */
static int is_debugged(void) {
  static const char name[] = "TracerPid:\t";
  char text[4096];
  long file = raw_open("/proc/self/status", OPEN_READ, 0), at = 0, got;
  if (file < 0) return 0;
  got = raw3(__NR_read, file, text, sizeof text);
  raw1(__NR_close, file);
  for (u64 met = 0; at < got && met < sizeof name - 1; at++)
    met = text[at] == name[met] ? met + 1 : text[at] == name[0];
  return at < got && text[at] != '0';
}

void traps_leave(void) {
  if (!RELAXED(engine_traps.is_used) || is_debugged()) return;
  for (u32 i = 0; i < TRAPS_MOST; i++) {
    const struct trap *trap = &engine_traps.traps[i];
    u64 address = RELAXED(trap->address);
    u8 now = 0;
    if (address && read_safely(&now, address, 1) == 1 && now == INT3) lift(trap);
  }
}

/* A process that was forked meanwhile: no stopper comes into that. */
static int is_copy(void) {
  return (u32)raw0(__NR_getpid) != engine_pid && process_is_apart(engine_pid);
}

/* The stopper cannot hold a thread while another process holds the program at its start. */
static int is_expected(void) {
  return !engine_sandboxed && clock_now() < RELAXED(engine_traps.expects_until) && !is_copy();
}

void traps_forked(void) { __atomic_store_n(&engine_traps.expects_until, 0, __ATOMIC_RELAXED); }

static void wait_a_moment(void) {
  const u64 wait[2] = {0, 200000};
  raw2(__NR_nanosleep, wait, 0);
}

int traps_take(const void *information, u64 *context) {
  const struct trap_information *info = information;
  u64 *pc = &context[CONTEXT_PC], at = *pc - 1;
  if (!RELAXED(engine_traps.is_used)) return 0;
  if (info->code == CODE_STEP || info->code == CODE_STEP_OF_CALL) {
    if (*pc == info->address + 1) *pc = info->address;
    return 1;
  }
  if (info->code == TRAP_OF_DATA) return info->data >> 32 == TRAP_DATA_MARK;
  if (info->code != CODE_KERNEL) return 0;
  const struct trap *trap = trap_at(at);
  u8 now = *(const volatile u8 *)at;
  if (trap && now == INT3) {
    if (is_expected()) wait_a_moment();
    else lift(trap);
  }
  if (!trap && (now == INT3 || *(const volatile u8 *)(at - 1) == INT)) return 0;
  *pc = at;
  return 1;
}
