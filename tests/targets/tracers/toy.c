/* An interpreter of a toy language: toy <script> [command …]. A script names its functions, a line
 * each: `add a b`; their bodies are built in. Commands are those of conform.cpp and `steps`, of its
 * arguments or of standard input.
 *
 * It can be traced: where a tracer listens at /tmp/strobe-toy-<pid>, it is asked before each
 * command what is wanted of each function, and the calls are told to the engine.
 *
 *   tracer → toy   start <engine> <ring> <calls per second> <every>     once
 *   toy → tracer   ring <path>                                          once, the ring it records
 * in toy → tracer   ? tracer → toy   want <function> <every> <words of its condition …> . the last
 * of what is wanted */
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_FUNCTIONS 16
#define MOST_THREADS 16

struct value {
  long number;
  const char *text;
  int is_text;
};

struct function {
  char name[64], parameters[64], condition[128];
  int line, is_wanted;
  uint32_t every, number;
};

static struct function functions[MOST_FUNCTIONS];
static int function_count;
static const char *self, *script;
static FILE *tracer; /* what it says */
static uint64_t activations;

static struct function *function_named(const char *name) {
  for (int i = 0; i < function_count; i++)
    if (!strcmp(functions[i].name, name)) return &functions[i];
  fprintf(stderr, "%s: no function %s\n", script, name);
  exit(2);
}

static void read_script(void) {
  char line[256];
  FILE *file = fopen(script, "r");
  if (!file) exit(2);
  for (int at = 1; fgets(line, sizeof line, file) && function_count < MOST_FUNCTIONS; at++) {
    struct function *one = &functions[function_count];
    if (sscanf(line, "%63s %63[^\n]", one->name, one->parameters) < 1 || line[0] == '#') continue;
    one->line = at;
    function_count++;
  }
  fclose(file);
}

/* ── what is wanted ── */

/* The tracer may have gone: no signal tells of it. */
static void say_to_tracer(const char *text) {
  send(fileno(tracer), text, strlen(text), MSG_NOSIGNAL);
}

static void begin_recording(char *engine, char *own_ring, unsigned calls, unsigned every) {
  engine_open(engine);
  const char *(*ring_path)(void) = engine_function("engine_ring_path");
  void (*sample)(uint32_t, uint32_t) = engine_function("engine_set_sampling");
  /* Who hooks native code here may have begun: then it is one ring for both. */
  if (engine_begin(own_ring, 64, 1 << 22, 1 << 26) == 0) sample(calls, every);
  uint32_t file = define_file(script);
  for (int i = 0; i < function_count; i++)
    functions[i].number = define_function(functions[i].name, file, (uint32_t)functions[i].line, 0,
                                          functions[i].parameters);
  char answer[600];
  snprintf(answer, sizeof answer, "ring %s\n", ring_path());
  say_to_tracer(answer);
}

static void forget_tracer(void) {
  fclose(tracer);
  tracer = NULL;
  for (int i = 0; i < function_count; i++) functions[i].is_wanted = 0;
}

static void look_for_tracer(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  sprintf(address.sun_path, "/tmp/strobe-toy-%d", (int)getpid());
  if (access(address.sun_path, F_OK) != 0) return;
  int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(made, (struct sockaddr *)&address, sizeof address) == 0) tracer = fdopen(made, "r");
  else close(made);
}

static void ask_tracer(void) {
  uint32_t (*set_share)(uint32_t, uint32_t);
  char line[1024], first[512], second[512];
  unsigned calls, every;
  int is_new = !tracer;
  if (is_new) look_for_tracer();
  if (!tracer) return;
  if (!is_new) say_to_tracer("?\n");
  while (fgets(line, sizeof line, tracer) && line[0] != '.') {
    if (sscanf(line, "start %511s %511s %u %u", first, second, &calls, &every) == 4) {
      begin_recording(first, second, calls, every);
      say_to_tracer("?\n");
      for (int i = 0; i < function_count; i++) functions[i].is_wanted = 0;
    } else if (!strncmp(line, "none", 4)) {
      for (int i = 0; i < function_count; i++) functions[i].is_wanted = 0;
    } else if (sscanf(line, "want %63s %u", first, &every) == 2) {
      struct function *one = function_named(first);
      int at = 0;
      sscanf(line, "want %*s %*u %n", &at);
      strncpy(one->condition, at ? line + at : "", sizeof one->condition - 1);
      one->is_wanted = one->number != 0;
      set_share = engine_function("engine_set_share");
      set_share(one->number, every);
    }
  }
  if (feof(tracer) || ferror(tracer)) forget_tracer();
}

/* Whether a call meets its condition: numbers, names of parameters and operators, operands first.
 */
static int is_met(const struct function *one, const struct value *given) {
  long stack[16];
  int depth = 0;
  char words[128], *rest, *word;
  strcpy(words, one->condition);
  for (word = strtok_r(words, " \n", &rest); word && depth < 15;
       word = strtok_r(NULL, " \n", &rest)) {
    char parameters[64], *more, *name;
    int at = 0, found = -1;
    strcpy(parameters, one->parameters);
    for (name = strtok_r(parameters, " ", &more); name; name = strtok_r(NULL, " ", &more), at++)
      if (!strcmp(name, word)) found = at;
    if (found >= 0) stack[depth++] = given[found].number;
    else if (strchr("<>=&", word[0]) && depth >= 2) {
      long b = stack[--depth], a = stack[--depth];
      stack[depth++] = word[0] == '<'   ? a < b
                       : word[0] == '>' ? a > b
                       : word[0] == '=' ? a == b
                                        : a && b;
    } else stack[depth++] = strtol(word, NULL, 10);
  }
  return depth == 0 || stack[depth - 1] != 0;
}

/* ── calls ── */

static uint32_t put_value(uint64_t *words, struct value value) {
  if (value.is_text && !value.text) words[0] = immediate(IMMEDIATE_NONE);
  else if (value.is_text) return text_value(words, value.text);
  else if (value.number >= -(1 << 23) && value.number < 1 << 23)
    words[0] = whole_number((int)value.number);
  else {
    uint8_t bytes[16] = {ITEM_I64};
    memcpy(bytes + 1, &value.number, 8);
    words[0] = header(9, 0);
    memcpy(words + 1, bytes, 16);
    return 3;
  }
  return 1;
}

static void tell(const struct function *one, uint32_t kind, uint64_t self_number,
                 const struct value *values, int count) {
  uint64_t words[64];
  uint32_t used = 0;
  if (!engine_takes(kind, one->number, self_number)) return;
  for (int i = 0; i < count; i++) used += put_value(words + used, values[i]);
  if (kind == EVENT_RAISE) words[used++] = (uint64_t)one->line;
  engine_record(kind, one->number, self_number, words, used);
}

static long call(const char *name, struct value a, struct value b);

static struct value number(long of) { return (struct value){of, NULL, 0}; }
static struct value text(const char *of) { return (struct value){0, of, 1}; }
static long call1(const char *name, long a) { return call(name, number(a), number(0)); }

/* A generator, whose caller works each time it waits. */
static long steps(long n, const struct function *one, uint64_t self_number) {
  for (long i = 0; i < n; i++) {
    struct value yielded = number(i);
    if (self_number) tell(one, EVENT_SUSPEND, self_number, &yielded, 1);
    call1("work", i);
    if (self_number) tell(one, EVENT_RESUME, self_number, &yielded, 1);
  }
  return call1("inner", n);
}

/* What a function does; *raised: the exception it ends by. */
static long body(const char *name, struct value a, struct value b, const char **raised) {
  if (!strcmp(name, "add")) return a.number + b.number;
  if (!strcmp(name, "inner")) return a.number * 2;
  if (!strcmp(name, "outer")) return call1("inner", a.number) + call1("inner", a.number + 1);
  if (!strcmp(name, "depth")) return a.number == 0 ? 0 : 1 + call1("depth", a.number - 1);
  if (!strcmp(name, "work")) return a.number + 100;
  if (!strcmp(name, "tick")) return a.number & 1;
  if (!strcmp(name, "text")) return a.text ? (long)strlen(a.text) : 0;
  if (!strcmp(name, "fails")) *raised = a.text;
  return a.number;
}

static __thread const char *raised_now;

static long call(const char *name, struct value a, struct value b) {
  struct function *one = function_named(name);
  struct value given[2] = {a, b};
  const char *raised = NULL;
  int is_wanted = one->is_wanted, is_shown = 0;
  uint64_t self_number = 0;
  if (is_wanted) {
    uint32_t (*counts)(uint32_t, uint64_t) = engine_function("engine_counts");
    self_number = __atomic_add_fetch(&activations, 1, __ATOMIC_RELAXED);
    is_shown = is_met(one, given) || !counts(one->number, self_number);
    if (is_shown) tell(one, EVENT_ENTER, self_number, given, strchr(one->parameters, ' ') ? 2 : 1);
  }
  long result =
      strcmp(name, "steps") ? body(name, a, b, &raised) : steps(a.number, one, self_number);
  struct value end = raised ? text(raised) : number(result);
  if (is_wanted && raised) tell(one, EVENT_RAISE, self_number, &end, 1);
  if (is_wanted) tell(one, raised ? EVENT_UNWOUND : EVENT_RETURN, self_number, &end, 1);
  raised_now = raised;
  return result;
}

/* ── commands ── */

static void *thread(void *of) {
  call1("work", (long)of);
  return NULL;
}

static void run_threads(long count) {
  pthread_t all[MOST_THREADS];
  for (long i = 0; i < count && i < MOST_THREADS; i++)
    pthread_create(&all[i], NULL, thread, (void *)i);
  for (long i = 0; i < count && i < MOST_THREADS; i++) pthread_join(all[i], NULL);
  printf("%ld threads\n", count);
}

static void run_child(void) {
  int status = 0;
  pid_t pid = fork();
  if (pid == 0) {
    execl(self, self, script, "add 20 22", NULL);
    _exit(127);
  }
  waitpid(pid, &status, 0);
  printf("child %d\n", WEXITSTATUS(status));
}

static void run_hostile(void) {
  char *long_text = malloc(100001);
  memset(long_text, 'x', 100000);
  long_text[100000] = 0;
  long sum = call("text", text("\x1b[31m\"]}\n\xff\xfe"), number(0));
  sum += call("text", text(long_text), number(0)) + call("text", text(NULL), number(0));
  printf("%ld\n%ld\n", sum, call1("blind", 8));
  free(long_text);
}

static void carry_out(const char *line) {
  long a, b, sum = 0;
  ask_tracer();
  if (sscanf(line, "add %ld %ld", &a, &b) == 2) printf("%ld\n", call("add", number(a), number(b)));
  else if (sscanf(line, "outer %ld", &a) == 1) printf("%ld\n", call1("outer", a));
  else if (sscanf(line, "depth %ld", &a) == 1) printf("%ld\n", call1("depth", a));
  else if (sscanf(line, "steps %ld", &a) == 1) printf("%ld\n", call1("steps", a));
  else if (sscanf(line, "threads %ld", &a) == 1) run_threads(a);
  else if (sscanf(line, "many %ld", &a) == 1) {
    for (long i = 0; i < a; i++) sum += call1("tick", i);
    printf("%ld\n", sum);
  } else if (!strncmp(line, "fail ", 5)) {
    call("fails", text(line + 5), number(0));
    printf("caught %s\n", raised_now);
  } else if (!strcmp(line, "hostile")) run_hostile();
  else if (!strcmp(line, "child")) fflush(stdout), run_child();
  else if (sscanf(line, "exit %ld", &a) == 1) fflush(stdout), _exit((int)a);
  else printf("what? %s\n", line);
  fflush(stdout);
}

int main(int argc, char **argv) {
  char line[4096];
  if (argc < 2) return 2;
  self = argv[0];
  script = argv[1];
  read_script();
  for (int i = 2; i < argc; i++) carry_out(argv[i]);
  while (argc == 2 && fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    carry_out(line);
  }
  return 0;
}
