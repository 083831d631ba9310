/* The engine as a part of a program, so that sanitizers see it: eight threads call traced functions in random
 * order while hooks, policies, watches and the recording are switched at random.
 * usage: storm RING_FILE SEED. Prints: true calls of leaf, lives of threads, switches, entries of it counted in place of
 * recorded, whether some are missing by intent. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../../native/engine/rings.h"

#define NOINLINE __attribute__((noinline, noclone, aligned(64)))
#define WORKERS 8
#define LIVES 3
#define STEPS 1500
#define RING (1u << 18)
#define MOST (1u << 22)
#define GROW (1ul << 30)
/* A record under way when the recording ends and begins anew is written, as ever, where it began: for the thread sanitizer a race. */
#ifdef __SANITIZE_THREAD__
#define CAN_LEAVE 0
#else
#define CAN_LEAVE 1
#endif

int engine_start(const char *, u32, u32, u32, u64, int (*)(u32 *, void (*)(void *)), int (*)(u32, const void *), void *);
int engine_arm(const u8 *table, u32 count, u8 *codes);
u32 engine_disarm(const u32 *functions, u32 count);
u32 engine_set_policies(const u8 *table, u32 count);
void engine_set_recording(u32 is_on);
void engine_set_sampling(u32 calls_per_second, u32 every);
int engine_set_watches(const u8 *bytes, u32 count, u32 set_count, u32 function_count);
void engine_leave(void);
int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *);

static u64 leaf_calls, watched;
static volatile long sink;

NOINLINE long leaf(long a) { __atomic_fetch_add(&leaf_calls, 1, __ATOMIC_RELAXED); return a * 3 + 1; }
NOINLINE long add(long a, long b) { sink; return a + b; }
NOINLINE long four(long a, long b, long c, long d) { sink; return a - b + c - d; }
NOINLINE long many(long a, long b, long c, long d, long e, long f, long g, long h) { sink; return a + b + c + d + e + f + g * h; }
NOINLINE long length_of(const char *text) { sink; return (long)strlen(text); }
NOINLINE const char *name_of(long a) { sink; return a & 1 ? "odd" : "even, which is longer"; }
NOINLINE long deep(long n) { return n ? deep(n - 1) + leaf(n) - leaf(n) + 1 : 0; }
NOINLINE long is_odd(long n);
NOINLINE long is_even(long n) { sink; return n ? is_odd(n - 1) : 1; }
NOINLINE long is_odd(long n) { sink; return n ? is_even(n - 1) : 0; }
NOINLINE void jumps(sigjmp_buf *to, long n) { if (n) jumps(to, n - 1); else siglongjmp(*to, 5); sink; }
NOINLINE void waits(long ns) { struct timespec time = {0, ns}; nanosleep(&time, 0); }
NOINLINE void ends(long n) { if (n) ends(n - 1); else pthread_exit(0); sink; }
NOINLINE void begins(long n) { __atomic_fetch_add(&watched, (u64)n, __ATOMIC_RELAXED); }

enum { LEAF, ADD, FOUR, MANY, LENGTH, NAME, DEEP, EVEN, ODD, JUMPS, WAITS, ENDS, BEGINS, FUNCTIONS };
static void *const places[] = {leaf, add, four, many, length_of, name_of, deep, is_even, is_odd, jumps, waits, ends, begins};

static u32 below(u64 *seed, u32 limit) {
  *seed = *seed * 6364136223846793005ul + 1442695040888963407ul;
  return (u32)(*seed >> 33) % limit;
}
static void expect(int right, const char *what) {
  if (right) return;
  fprintf(stderr, "wrong: %s\n", what);
  _exit(9);
}

static void on_signal(int number) {
  int kept = errno;
  expect(add(number, leaf(number)) == number * 4 + 1, "in a handler");
  errno = kept;
}

static void forks(void) {
#if CAN_LEAVE
  int status = 0;
  pid_t child = fork();
  if (!child) _exit(is_even(6) + (int)add(1, 2));
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 4, "a child");
#endif
}

static void step(u64 *seed) {
  long a = below(seed, 1000), b = below(seed, 1000);
  sigjmp_buf back;
  switch (below(seed, 14)) {
    case 0: expect(add(a, b) == a + b, "add"); break;
    case 1: expect(four(a, b, b, a) == 0, "four"); break;
    case 2: expect(many(a, b, 1, 2, 3, 4, a, b) == a + b + 10 + a * b, "many"); break;
    case 3: expect(length_of("a text of forty bytes, or about as much as") == 42, "length_of"); break;
    case 4: expect(*name_of(a) == (a & 1 ? 'o' : 'e'), "name_of"); break;
    case 5: expect(deep(a % 20) == a % 20, "deep"); break;
    case 6: expect(is_even(a % 30) == !(a % 2), "is_even"); break;
    case 7: if (!sigsetjmp(back, 1)) jumps(&back, a % 5); break;
    case 8: if (a < 50) waits(below(seed, 50000)); break;
    case 9: begins(a); break;
    case 10: sched_yield(); break;
    case 11: if (a < 5) forks(); break;
    case 12:
      if (a < 100) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(a % 2, &one);
        sched_setaffinity(0, sizeof one, &one);
      }
      break;
    default: for (int i = 0; i < 20; i++) expect(leaf(i) == i * 3 + 1, "leaf");
  }
}

static u32 living = WORKERS * LIVES;
static void over(void *nothing) { (void)nothing; __atomic_fetch_sub(&living, 1, __ATOMIC_RELEASE); }
static void *live(void *argument) {
  u64 seed = (u64)argument;
  pthread_cleanup_push(over, 0);
  for (int i = 0; i < STEPS; i++) step(&seed);
  if (below(&seed, 2)) ends(below(&seed, 6));
  pthread_cleanup_pop(1);
  return 0;
}

static u8 table[FUNCTIONS][ARM_BYTES];
static void put(u8 *at, u64 value, u32 bytes) { memcpy(at, &value, bytes); }

/* A plan for each function, of those that fit it. */
static void plans(u64 *seed) {
  for (u32 fn = 0; fn < FUNCTIONS; fn++) {
    u32 ops = below(seed, 4), is_text = fn == LENGTH && below(seed, 4);
    u8 *row = table[fn];
    put(row + ARM_ADDRESS, (u64)places[fn], 8);
    put(row + ARM_SIZE, 64, 4);
    put(row + ARM_FN, fn, 4);
    put(row + ARM_STACK_BYTES, fn == MANY ? 16 : below(seed, 3) ? 0 : 64, 2);
    put(row + ARM_STRING_BYTES, 8, 2);
    put(row + ARM_RETURN_KIND, fn == NAME && below(seed, 4) ? RETURN_STRING : RETURN_INTEGER, 1);
    put(row + ARM_OP_COUNT, is_text ? 1 : ops, 1);
    for (u32 k = 0; k < ops; k++) put(row + ARM_OPS + k * 8, CAPTURE_INTEGER | k << 8, 8);
    if (is_text) put(row + ARM_OPS, CAPTURE_STRING_INTEGER | below(seed, 64) << 16, 8);
    if (fn == MANY && ops) put(row + ARM_OPS, CAPTURE_STACK | below(seed, 2) << 8, 8);
  }
}

/* Returns whether all are hooked: on a machine that has no processor for them, threads cannot be stopped in time. */
static int are_hooked(const u8 *codes, u32 first, u32 count) {
  char refused[40];
  int is_late = 0;
  for (u32 i = 0; i < count; i++) {
    snprintf(refused, sizeof refused, "verdict %u for function %u", codes[i], first + i);
    expect(codes[i] == VERDICT_HOOKED || codes[i] == VERDICT_NOT_STOPPED, refused);
    is_late |= codes[i] == VERDICT_NOT_STOPPED;
  }
  return !is_late;
}

static void arms(u32 first, u32 count) {
  u8 codes[FUNCTIONS];
  do expect(engine_arm(table[first], count, codes) >= 0, "arming");
  while (!are_hooked(codes, first, count));
}

static void disarms(u64 *seed) {
  u32 list[FUNCTIONS], count = 0;
  for (u32 fn = LEAF + 1; fn < FUNCTIONS; fn++)
    if (below(seed, 3) == 0) list[count++] = fn;
  engine_disarm(list, count);
}

static void policies(u64 *seed, u32 fn, int has_triggers) {
  static u8 row[POLICY_BYTES];
  u64 code[3] = {CONDITION_INTEGER | 8 << 16 | 1 << 24, CONDITION_CONSTANT, below(seed, 1000)}, less = CONDITION_LESS;
  u32 every = below(seed, 3) ? 0 : 1 + below(seed, 9), limit = below(seed, 4) ? 0 : below(seed, 500);
  u32 words = below(seed, 3) ? 0 : 4, depth = below(seed, 4) ? 0 : 1 + below(seed, 5);
  u64 least = below(seed, 3) ? 0 : below(seed, 20000);
  u32 triggers = has_triggers && fn == BEGINS ? POLICY_START_TRIGGER | POLICY_STOP_TRIGGER : 0;
  memset(row, 0, sizeof row);
  put(row + POLICY_FN, fn, 4);
  put(row + POLICY_EVERY, every, 4);
  put(row + POLICY_FIRST, limit, 4);
  put(row + POLICY_WORDS, words, 4);
  put(row + POLICY_LEAST, least, 8);
  put(row + POLICY_DEPTH, depth, 4);
  put(row + POLICY_TRIGGERS, triggers, 4);
  memcpy(row + POLICY_CODE, code, sizeof code);
  memcpy(row + POLICY_CODE + sizeof code, &less, 8);
  expect(engine_set_policies(row, 1) == 0, "a policy");
}

static void watches(u64 *seed) {
  static u8 rows[WATCH_BYTES + WATCH_SET_BYTES + 16];
  u32 words = 3, one = 1, count = below(seed, 3);
  u16 number = 7;
  u64 code[3] = {CONDITION_CONSTANT, (u64)&watched, CONDITION_LOAD | 8 << 16};
  u32 functions[4] = {below(seed, FUNCTIONS), 0, below(seed, FUNCTIONS), 0};
  memset(rows, 0, sizeof rows);
  rows[WATCH_AT] = rows[WATCH_BYTES + WATCH_SET_BYTES - 4] = (u8)(1 + below(seed, 3));
  rows[WATCH_FORM] = WATCH_FLAG_ADDRESS;
  memcpy(rows + WATCH_NUMBER, &number, 2);
  memcpy(rows + WATCH_WORDS, &words, 4);
  memcpy(rows + WATCH_CODE, code, sizeof code);
  memcpy(rows + WATCH_BYTES, &one, 4);
  memcpy(rows + WATCH_BYTES + WATCH_SET_BYTES, functions, sizeof functions);
  expect(engine_set_watches(rows, 1, 1, count) == 0, "watches");
}

static void starts(const char *file, u32 number) {
  char path[200];
  snprintf(path, sizeof path, number ? "%s-%u" : "%s", file, number);
  /* Our destructor would run when the thread sanitizer has given the thread up. */
  void *create = CAN_LEAVE ? (void *)pthread_key_create : 0;
  int failed = engine_start(path, WORKERS * LIVES + 1, RING, MOST, GROW, create, pthread_setspecific, __register_atfork);
  expect(failed == 0, "a start");
}

int main(int arguments, char **argument) {
  if (arguments < 3) return 2;
  u64 seed = strtoul(argument[2], 0, 10) * 2654435761u + 1;
  u8 before[FUNCTIONS][16];
  u32 switches = 0, lives = 0, all[FUNCTIONS];
  int has_triggers = (int)below(&seed, 2), may_leave = CAN_LEAVE && strtoul(argument[2], 0, 10) % 3 == 0;
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  pthread_t threads[WORKERS * LIVES];
  sigaction(SIGUSR1, &action, 0);
  for (u32 fn = 0; fn < FUNCTIONS; fn++) memcpy(before[fn], places[all[fn] = fn], 16);
  engine_set_sampling(20000, 7);
  starts(argument[1], 0);
  plans(&seed);
  arms(LEAF, FUNCTIONS);
  for (; lives < WORKERS; lives++) pthread_create(&threads[lives], 0, live, (void *)(seed + lives));
  while (__atomic_load_n(&living, __ATOMIC_ACQUIRE)) {
    u32 fn = below(&seed, FUNCTIONS);
    switch (below(&seed, may_leave ? 11 : 10)) {
      case 10: engine_disarm(all, FUNCTIONS); engine_leave(); starts(argument[1], ++switches); arms(LEAF, FUNCTIONS); break;
      case 0: disarms(&seed); break;
      case 1: arms(LEAF, FUNCTIONS); break;
      case 2: arms(fn, 1); break;
      case 3: case 4: policies(&seed, fn, has_triggers); break;
      case 5: watches(&seed); break;
      case 6: if (has_triggers) engine_set_recording(below(&seed, 2)); break;
      case 7: if (lives < WORKERS * LIVES) { pthread_create(&threads[lives], 0, live, (void *)(seed + lives)); lives++; } break;
      default: fn = below(&seed, lives); if (__atomic_load_n(&living, __ATOMIC_ACQUIRE) == WORKERS * LIVES) pthread_kill(threads[fn], SIGUSR1);
    }
    switches++;
  }
  for (u32 i = 0; i < lives; i++) pthread_join(threads[i], 0);
  engine_disarm(all, FUNCTIONS);
  for (u32 fn = 0; fn < FUNCTIONS; fn++) expect(memcmp(before[fn], places[fn], 16) == 0, "code that was restored");
  u64 counted = 0, total = leaf_calls;
  for (u32 i = 0; i < engine_file.slot_count; i++)
    for (u32 row = 1; row < COUNTED_COUNT; row++) {
      const u8 *at = engine_file.base + FILE_BYTES + engine_file.stride * i + SLOT_COUNTED + row * COUNTED_BYTES;
      if (i < *(u32 *)(engine_file.base + FILE_USED_SLOTS) && *(u32 *)at == LEAF) counted += *(u64 *)(at + COUNTED_CALLS);
    }
  engine_leave();
  printf("%lu %u %u %lu %d\n", total, lives, switches, counted, has_triggers || may_leave);
  return 0;
}
