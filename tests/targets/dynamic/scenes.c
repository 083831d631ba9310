/* A runtime that tells of calls as a test wants them: scenes <engine> <ring> <scene>. It says what
 * it did. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS 500
#define HOT_CALLS 400000

static const char *ring;

static void say(const char *what, unsigned long number) {
  printf("%s %lu\n", what, number);
  fflush(stdout);
}

static void enter(uint32_t fn, uint64_t activation, int value) {
  uint64_t word = whole_number(value);
  engine_record(EVENT_ENTER, fn, activation, &word, 1);
}

static void leave(uint32_t fn, uint64_t activation, int value) {
  uint64_t word = whole_number(value);
  engine_record(EVENT_RETURN, fn, activation, &word, 1);
}

static void with_line(uint32_t kind, uint32_t fn, uint64_t activation, const char *text,
                      uint64_t line) {
  uint64_t words[24];
  uint32_t count = text_value(words, text);
  words[count] = line;
  engine_record(kind, fn, activation, words, count + 1);
}

static void with_text(uint32_t kind, uint32_t fn, uint64_t activation, const char *text) {
  uint64_t words[24];
  engine_record(kind, fn, activation, words, text_value(words, text));
}

/* Every kind once, on one thread. */
static void kinds(void) {
  uint32_t file = define_file("/toy/kinds.toy");
  uint32_t strand = define_strand(STRAND_TASK, "first task");
  define_type("Point", "shapes", TYPE_FLAG_DATACLASS);
  define_name("x");
  struct fields fields = {0};
  put_text(&fields, "Promise");
  put_text(&fields, "");
  put_word(&fields, 0);
  uint32_t promise_type = engine_define(DEFINITION_KIND_TYPE, DEFINITION_LANGUAGE_JAVASCRIPT, 0,
                                        fields.at, fields.bytes);
  uint32_t outer = define_function("outer", file, 3, 0, "a b");
  uint32_t steps = define_function("Maker.steps", file, 7, FUNCTION_FLAG_GENERATOR, "");
  uint64_t words[24], kind = STRAND_TASK;
  engine_record(EVENT_CONTEXT, 0, strand, &kind, 1);
  uint32_t count = text_value(words, "a text of twenty-four..");
  words[count] = whole_number(-3);
  engine_record(EVENT_ENTER, outer, 1, words, count + 1);
  engine_record(EVENT_ENTER, steps, (1ul << 53) - 2, 0, 0);
  with_text(EVENT_SUSPEND, steps, (1ul << 53) - 2, "yielded");
  with_text(EVENT_RESUME, steps, (1ul << 53) - 2, "sent");
  with_text(EVENT_SUSPEND, steps, (1ul << 53) - 2, "yielded again");
  with_text(EVENT_THROW_IN, steps, (1ul << 53) - 2, "thrown");
  with_line(EVENT_HANDLED, steps, (1ul << 53) - 2, "thrown", 9);
  with_line(EVENT_RAISE, steps, (1ul << 53) - 2, "raised", 10);
  with_text(EVENT_UNWOUND, steps, (1ul << 53) - 2, "raised");
  uint64_t promise[] = {header(8, 0), ITEM_OTHER | (uint64_t)promise_type << 8 | 0x123456ul << 16};
  engine_record(EVENT_SUSPEND, outer, 1, promise, 2);
  with_text(EVENT_RETURN, outer, 1, "settled");
  engine_record(EVENT_CONTEXT, 0, 0, 0, 0);
}

/* Each round begins on one thread, waits, and goes on on the next. */
static uint32_t passed_on[THREADS];
static volatile uint64_t turn;

static void *pass_on(void *argument) {
  uint64_t self = (uint64_t)argument;
  char name[32];
  sprintf(name, "work%lu", self);
  uint32_t own = define_function(name, 0, (uint32_t)self + 1, 0, "n");
  for (uint64_t round = 0; round < ROUNDS; round++) {
    enter(own, self << 40 | round, (int)round);
    leave(own, self << 40 | round, (int)round);
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != round * THREADS + self) sched_yield();
    if (self == 0) engine_record(EVENT_ENTER, passed_on[0], 1ul << 50 | round, 0, 0);
    else
      engine_record(EVENT_RESUME, passed_on[0], 1ul << 50 | round,
                    (uint64_t[]){whole_number((int)self)}, 1);
    if (self < THREADS - 1)
      engine_record(EVENT_SUSPEND, passed_on[0], 1ul << 50 | round,
                    (uint64_t[]){whole_number((int)self)}, 1);
    else leave(passed_on[0], 1ul << 50 | round, (int)round);
    __atomic_store_n(&turn, round * THREADS + self + 1, __ATOMIC_RELEASE);
  }
  return 0;
}

static void threads(void) {
  pthread_t all[THREADS];
  passed_on[0] = define_function("passed_on", 0, 1, FUNCTION_FLAG_COROUTINE, "");
  for (uint64_t i = 0; i < THREADS; i++) pthread_create(&all[i], 0, pass_on, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(all[i], 0);
}

/* Parent, child and grandchild define different functions under the same numbers, and call those
 * they share. */
static void call_once(uint32_t fn, uint64_t activation) {
  enter(fn, activation, (int)getpid() & 0xffff);
  leave(fn, activation, 0);
}

static void forks(void) {
  uint32_t file = define_file("/toy/shared.toy");
  uint32_t shared = define_function("shared", file, 1, 0, "pid");
  define_type("Shared", "toy", 0);
  call_once(shared, 1);
  pid_t child = fork();
  if (child == 0) {
    call_once(shared, 2);
    uint32_t own = define_function("of_child", file, 2, 0, "pid");
    define_type("OfChild", "toy", 0);
    call_once(own, 3);
    pid_t grandchild = fork();
    if (grandchild == 0) {
      uint32_t last = define_function("of_grandchild", define_file("/toy/late.toy"), 3, 0, "pid");
      call_once(shared, 4);
      call_once(own, 5);
      call_once(last, 6);
      say("of_grandchild", last);
      _exit(0);
    }
    waitpid(grandchild, 0, 0);
    uint32_t after = define_function("of_child_later", file, 4, 0, "pid");
    call_once(after, 7);
    call_once(define_function("alike", file, 9, 0, "pid"), 8);
    say("of_child", own);
    _exit(0);
  }
  uint32_t own = define_function("of_parent", file, 5, 0, "pid");
  define_type("OfParent", "toy", 0);
  call_once(own, 9);
  waitpid(child, 0, 0);
  call_once(define_function("alike", file, 9, 0, "pid"), 10);
  say("of_parent", own);
}

/* One more than native code can have, and then some; each is called. */
static void many(unsigned long count) {
  char name[32];
  uint32_t first = 0, last = 0;
  for (unsigned long i = 0; i < count; i++) {
    sprintf(name, "f%lu", i);
    last = define_function(name, 0, (uint32_t)i + 1, 0, "n");
    if (!last) break;
    if (!first) first = last;
    if (i % 1000 == 0 || i == count - 1) call_once(last, i);
  }
  say("first", first);
  say("last", last);
}

/* A function that is called as fast as can be, with a generator that is, and one that is not. */
static unsigned long hot_entered, hot_taken, hot_exceptions;

static void hot_call(uint32_t fn, uint64_t activation, int waits) {
  hot_entered++;
  int is_taken = (int)engine_takes(EVENT_ENTER, fn, activation);
  hot_taken += is_taken != 0;
  if (is_taken) enter(fn, activation, 1);
  if (waits) {
    if (engine_takes(EVENT_SUSPEND, fn, activation)) with_text(EVENT_SUSPEND, fn, activation, "");
    if (engine_takes(EVENT_RESUME, fn, activation)) with_text(EVENT_RESUME, fn, activation, "");
  }
  if (hot_entered % 1000 == 0) {
    hot_exceptions++;
    if (engine_takes(EVENT_RAISE, fn, activation)) with_line(EVENT_RAISE, fn, activation, "oh", 1);
  }
  if (engine_takes(EVENT_RETURN, fn, activation)) leave(fn, activation, 2);
}

static void hot(void) {
  void (*sample)(uint32_t, uint32_t) = engine_function("engine_set_sampling");
  uint32_t busy = define_function("busy", 0, 1, 0, "n");
  uint32_t waiting = define_function("waiting", 0, 2, FUNCTION_FLAG_GENERATOR, "n");
  uint32_t rare = define_function("rare", 0, 3, 0, "n");
  sample(5000, 50);
  for (uint64_t i = 0; i < HOT_CALLS; i++) {
    hot_call(busy, 2 * i, 0);
    hot_call(waiting, 2 * i + 1, 1);
    if (i % 40000 == 0) call_once(rare, 1ul << 45 | i);
  }
  say("entered", hot_entered);
  say("taken", hot_taken);
  say("exceptions", hot_exceptions);
}

/* Of one function one call in ten is recorded, of another those that its runtime wants, of the
 * third all. */
static void shares(void) {
  uint32_t (*set_share)(uint32_t, uint32_t) = engine_function("engine_set_share");
  uint32_t (*counts)(uint32_t, uint64_t) = engine_function("engine_counts");
  uint32_t tenth = define_function("tenth", 0, 1, 0, "n");
  uint32_t chosen = define_function("chosen", 0, 2, 0, "n");
  uint32_t whole = define_function("whole", 0, 3, 0, "n");
  set_share(tenth, 10);
  set_share(whole, 1);
  void (*sample)(uint32_t, uint32_t) = engine_function("engine_set_sampling");
  sample(100, 1000);
  for (uint64_t i = 0; i < 20000; i++) {
    uint64_t self = 3 * i;
    if (engine_takes(EVENT_ENTER, tenth, self)) enter(tenth, self, (int)i);
    if (engine_takes(EVENT_RETURN, tenth, self)) leave(tenth, self, 0);
    if (i % 4 || !counts(chosen, self + 1)) enter(chosen, self + 1, (int)i);
    if (engine_takes(EVENT_UNWOUND, chosen, self + 1))
      engine_record(EVENT_UNWOUND, chosen, self + 1, 0, 0);
    if (engine_takes(EVENT_ENTER, whole, self + 2)) enter(whole, self + 2, (int)i);
    if (engine_takes(EVENT_RETURN, whole, self + 2)) leave(whole, self + 2, 0);
  }
}

/* Native functions that the runtime calls, and that call it back. */
static uint32_t outer_fn, back_fn, steps_fn;
static uint64_t activations;

#define NATIVE __attribute__((noinline, noclone))

NATIVE long native_leaf(long n) {
  volatile long sum = 0;
  for (long i = 0; i < n; i++) sum += i;
  return sum;
}

NATIVE long native_call(long n, long (*back)(long)) {
  long first = native_leaf(n), second = back(n);
  return first + second + native_leaf(n + 1);
}

static long outer(long n);

static long back(long n) {
  uint64_t self = ++activations;
  enter(back_fn, self, (int)n);
  long result = n > 0 ? outer(n - 1) : native_leaf(1);
  leave(back_fn, self, (int)n);
  return result;
}

static long outer(long n) {
  uint64_t self = ++activations;
  enter(outer_fn, self, (int)n);
  long result = native_call(n, back);
  leave(outer_fn, self, (int)n);
  return result;
}

/* A generator runs native code, waits, and goes on when another native function calls back. */
static uint64_t waiting_steps;

static long go_on(long n) {
  uint64_t word = whole_number((int)n);
  engine_record(EVENT_RESUME, steps_fn, waiting_steps, &word, 1);
  long result = native_leaf(n);
  engine_record(EVENT_SUSPEND, steps_fn, waiting_steps, &word, 1);
  return result;
}

static void arm(const char *name, void *function, uint32_t number, uint32_t size, uint8_t *rows) {
  uint8_t *row = rows + number * ARM_BYTES;
  uint64_t address = (uint64_t)function, op = CAPTURE_INTEGER;
  memcpy(row + ARM_ADDRESS, &address, 8);
  memcpy(row + ARM_SIZE, &size, 4);
  memcpy(row + ARM_FN, &number, 4);
  row[ARM_RETURN_KIND] = RETURN_INTEGER;
  row[ARM_OP_COUNT] = 1;
  memcpy(row + ARM_OPS, &op, 8);
  say(name, number);
}

static void mixed(uint32_t leaf_size, uint32_t call_size) {
  static uint8_t rows[2 * ARM_BYTES];
  uint8_t codes[2];
  int (*engine_arm)(const uint8_t *, uint32_t, uint8_t *) = engine_function("engine_arm");
  arm("native_leaf", (void *)native_leaf, 0, leaf_size, rows);
  arm("native_call", (void *)native_call, 1, call_size, rows);
  if (engine_arm(rows, 2, codes) != 0 || codes[0] || codes[1]) exit(4);
  outer_fn = define_function("outer", 0, 1, 0, "n");
  back_fn = define_function("back", 0, 2, 0, "n");
  steps_fn = define_function("steps", 0, 3, FUNCTION_FLAG_GENERATOR, "n");
  long sum = outer(2);
  waiting_steps = ++activations;
  enter(steps_fn, waiting_steps, 9);
  sum += native_leaf(2);
  engine_record(EVENT_SUSPEND, steps_fn, waiting_steps, 0, 0);
  sum += native_call(3, go_on);
  say("sum", (unsigned long)sum);
}

/* Defines without end, until it is killed. */
static void defining(void) {
  static char name[4000];
  static struct fields fields;
  memset(name, 'n', sizeof name - 1);
  for (unsigned long i = 0;; i++) {
    fields.bytes = 0;
    put_text(&fields, name);
    for (int j = 0; j < 4; j++) put_word(&fields, 0);
    put_word(&fields, 10);
    for (int j = 0; j < 10; j++) put_text(&fields, name);
    call_once(define(DEFINITION_KIND_FUNCTION, (uint32_t)i, &fields), i);
    if (i == 20) say("defined", i);
  }
}

/* Under a limit on files, and in a sandbox: what cannot be written has no number, and the program
 * goes on. */
static void limited(void) {
  say("before", define_name("before"));
  struct rlimit none = {4096, 4096};
  setrlimit(RLIMIT_FSIZE, &none);
  unsigned long refused = 0;
  for (int i = 0; i < 1000; i++) refused += define_name("a name of some length") == 0;
  say("refused", refused);
}

/* Waits twice for a line: the disk is full, and then it is not. */
static void full_disk(void) {
  static char name[4000];
  char line[16];
  unsigned long refused = 0;
  memset(name, 'n', sizeof name - 1);
  uint32_t first = define_function("before", 0, 1, 0, "n");
  call_once(first, 1);
  say("ready", define_name(name));
  if (!fgets(line, sizeof line, stdin)) exit(5);
  for (int i = 0; i < 100; i++) refused += define_name(name) == 0;
  say("refused", refused);
  if (!fgets(line, sizeof line, stdin)) exit(5);
  call_once(define_function("after", 0, 2, 0, "n"), 2);
  say("defined", define_name(name));
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  ring = argv[2];
  const char *scene = argv[3];
  engine_open(argv[1]);
  int failed = engine_begin(ring, 64, 1 << 20, 1 << 26);
  if (failed) return 3;
  if (!strcmp(scene, "kinds")) kinds();
  if (!strcmp(scene, "threads")) threads();
  if (!strcmp(scene, "forks")) forks();
  if (!strcmp(scene, "many")) many(strtoul(argv[4], 0, 10));
  if (!strcmp(scene, "hot")) hot();
  if (!strcmp(scene, "shares")) shares();
  if (!strcmp(scene, "mixed")) mixed((uint32_t)atoi(argv[4]), (uint32_t)atoi(argv[5]));
  if (!strcmp(scene, "defining")) defining();
  if (!strcmp(scene, "limited")) limited();
  if (!strcmp(scene, "full_disk")) full_disk();
  if (!strcmp(scene, "undefined")) {
    uint32_t known = define_function("known", 0, 1, 0, "n");
    call_once(known, 1);
    call_once(known + 1, 2);
    call_once(known, 3);
  }
  return 0;
}
