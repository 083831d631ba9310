/* Arms the program that it is loaded into before, as the agent does under Frida: for an emulator, where Frida does not run.
 * The environment says where the engine, the table, the steps of walks and the rings are, and where the verdicts go; FAULTS:
 * fault signals are handled. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../native/engine/record.h"

#define RING (1u << 23)

typedef int start(const char *, uint32_t, uint32_t, uint32_t, uint64_t, void *, void *, void *);
typedef int arm(const uint8_t *, uint32_t, uint8_t *);
typedef int set_steps(uint32_t, const uint8_t *, uint32_t);
int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *);

static void fail(const char *what, int number) {
  fprintf(stderr, "preload: %s %d\n", what, number);
  _exit(99);
}

/* As Frida's handler for a program without one: the instruction faults again, and the program dies of it. */
static void put_default_back(int number, siginfo_t *information, void *context) {
  (void)information;
  (void)context;
  signal(number, SIG_DFL);
}

static void handle_faults(void *engine) {
  void (*pass)(void *) = (void (*)(void *))dlsym(engine, "engine_pass_sent_signals");
  struct sigaction action = {.sa_sigaction = put_default_back, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigaction(SIGSEGV, &action, NULL);
  pass(NULL);
}

__attribute__((constructor)) static void arm_program(void) {
  static uint8_t table[256 * ARM_BYTES], codes[256];
  void *engine = dlopen(getenv("ENGINE"), RTLD_NOW | RTLD_NODELETE);
  if (!engine) fail(dlerror(), 0);
  start *begin = (start *)dlsym(engine, "engine_start");
  arm *put = (arm *)dlsym(engine, "engine_arm");
  void (*set_unwinder)(void *) = (void (*)(void *))dlsym(engine, "engine_set_unwinder");
  set_unwinder(dlsym(RTLD_DEFAULT, "_Unwind_GetCFA"));
  if (getenv("FAULTS")) handle_faults(engine);
  int failed = begin(getenv("RINGS"), 16, RING, RING, 0, pthread_key_create, pthread_setspecific, __register_atfork);
  if (failed) fail("no start:", failed);
  static uint8_t steps[RECORD_MAX_STEPS * WALK_STEP_BYTES];
  const char *path = getenv("STEPS");
  int file = path ? open(path, O_RDONLY) : -1;
  long bytes = path ? read(file, steps, sizeof steps) : 0;
  if (path) close(file);
  set_steps *put_steps = (set_steps *)dlsym(engine, "engine_set_steps");
  if (bytes < 0 || put_steps(0, steps, (uint32_t)(bytes / WALK_STEP_BYTES)) < 0) fail("no steps", (int)bytes);
  file = open(getenv("TABLE"), O_RDONLY);
  bytes = read(file, table, sizeof table);
  close(file);
  if (bytes <= 0 || put(table, (uint32_t)(bytes / ARM_BYTES), codes) < 0) fail("not armed", (int)bytes);
  file = open(getenv("CODES"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (write(file, codes, (size_t)(bytes / ARM_BYTES)) != bytes / ARM_BYTES) fail("no verdicts", file);
  close(file);
}
