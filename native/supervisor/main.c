/*
 * keeper <session folder>: the small parent of one session's target. It owns the target's pipes,
 * writes its output with stamps to the session's log, reaps the whole tree and tells true exit
 * statuses. It outlives daemon and host; the target must not notice whether anybody listens.
 *
 *   fd 3  launch spec        fd 4  launch answer
 *   <folder>/output.log      <folder>/keeper.sock       <folder>/keeper.err    its last words
 *
 * It ends when the tree has ended and a daemon said quit, or nobody was connected for a minute.
 */
#define _GNU_SOURCE
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SPEC_FD = 3, ANSWER_FD = 4 };

static void tell_launch(const struct keeper *keeper)
{
  uint8_t bytes[ANSWER_BYTES];
  put32(bytes + ANSWER_AT_STAGE, keeper->target.stage);
  put32(bytes + ANSWER_AT_ERRNO, (uint32_t)keeper->target.error);
  put32(bytes + ANSWER_AT_KEEPER_PID, (uint32_t)getpid());
  put32(bytes + ANSWER_AT_TARGET_PID, (uint32_t)keeper->target.pid);
  put64(bytes + ANSWER_AT_STARTED_NS, keeper->target.started_ns);
  ssize_t written = write(ANSWER_FD, bytes, sizeof bytes);
  (void)written; /* nobody waits any more: the log and the socket tell the same */
  close(ANSWER_FD);
}

static const struct target no_target = {
  .stage = STAGE_SPEC, .in = -1, .out = -1, .err = -1, .terminal = -1, .listener = -1};

/* All that comes before the process is split in two; false: the target says why. */
static bool prepare(struct keeper *keeper, const char *given, struct inherited_signals *saved)
{
  char folder[PATH_MAX];
  signals_shield(saved);
  keeper->target = no_target;
  keeper->target.error = spec_read(SPEC_FD, &keeper->spec);
  close(SPEC_FD);
  if (keeper->target.error) return false;
  keeper->target.stage = STAGE_SETUP;
  if (!realpath(given, folder)) {
    keeper->target.error = errno;
    return false;
  }
  words_open(folder);
  int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  keeper->target.error = at < 0 ? errno : log_open(&keeper->log, at, keeper->spec.max_log_bytes);
  if (at >= 0) close(at);
  if (keeper->target.error) return false;
  snprintf(keeper->socket_path, sizeof keeper->socket_path, "%s/keeper.sock", folder);
  keeper->target.error = link_open(&keeper->link, keeper->socket_path);
  if (keeper->target.error) return false;
  if (keeper->spec.flags & SPEC_FLAG_INHERIT) job_prepare();
  return true;
}

/* `unguarded`: errno; without a guard nothing is followed. */
static bool start(struct keeper *keeper, const struct inherited_signals *saved, int unguarded)
{
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  if (unguarded) keeper->spec.flags &= ~SPEC_FLAG_FOLLOW;
  log_clock(keeper);
  launch(&keeper->spec, saved, &keeper->target);
  if (keeper->target.stage != STAGE_NONE) {
    fact(keeper, LOG_EXEC_FAILED, (uint32_t)keeper->target.error, keeper->target.stage, 8);
    fact(keeper, LOG_ENDED, 0, 0, 0);
    unlink(keeper->socket_path);
    words_close();
    return false;
  }
  uint8_t pid[4];
  put32(pid, (uint32_t)keeper->target.pid);
  log_fact(&keeper->log, LOG_STARTED, keeper->target.started_ns, pid, sizeof pid);
  struct follower follower = follower_of(keeper);
  if (unguarded) keeper->target.unfollowed = unguarded;
  follow_start(&keeper->target, &follower);
  if (keeper->spec.flags & SPEC_FLAG_INHERIT) job_begin(keeper->target.pid);
  keeper->state = keeper->spec.flags & SPEC_FLAG_STOP_AT_EXEC ? STATE_STOPPED : STATE_RUNNING;
  return true;
}

/* The keeper before was killed; its descriptors went with it. */
static void inherit(struct keeper *keeper, const struct target *held)
{
  struct target *target = &keeper->target;
  target->in = held->in;
  target->out = held->out;
  target->err = held->err;
  target->terminal = held->terminal;
  target->listener = held->listener;
  keeper->link.connection = -1;
  keeper->link.in_bytes = keeper->link.out_bytes = 0;
  keeper->link.generation++;
  log_inherit(&keeper->log);
  streams_inherit(target, &keeper->log, &keeper->reading);
  if (keeper->state != STATE_ENDED) fact(keeper, LOG_HEIR, (uint32_t)getpid(), 0, 4);
  struct follower follower = follower_of(keeper);
  follow_inherit(target, &follower);
  if (keeper->spec.flags & SPEC_FLAG_INHERIT && keeper->state < STATE_EXITED) job_begin(target->pid);
  /* How much of it the target got is not known, and twice would be worse than not. */
  if (keeper->input.writing) keeper->input.count = 0;
  keeper->input.writing = false;
  if (target->in >= 0) write_input(keeper);
}

static char *own_name;
static size_t own_name_room;

void name_process(const char *name)
{
  memset(own_name, 0, own_name_room);
  strncpy(own_name, name, own_name_room);
  prctl(PR_SET_NAME, name, 0, 0, 0);
}

static size_t rounded(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

int main(int argc, char **argv)
{
  own_name = argv[0];
  own_name_room = strlen(argv[0]);
  if (argc != 2) {
    fputs("usage: keeper <session folder>   (started by strobe)\n", stderr);
    return 2;
  }
  /* No pipe of ours may land on a closed fd 0–2. */
  while (fcntl(0, F_GETFD) < 0 || fcntl(1, F_GETFD) < 0 || fcntl(2, F_GETFD) < 0)
    if (open("/dev/null", O_RDWR) < 0) return 2;
  close_above(ANSWER_FD);
  fcntl(SPEC_FD, F_SETFD, FD_CLOEXEC);
  fcntl(ANSWER_FD, F_SETFD, FD_CLOEXEC);
  size_t own_bytes = rounded(sizeof(struct keeper));
  uint8_t *memory = mmap(NULL, own_bytes + follow_shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 2;
  struct keeper *keeper = (struct keeper *)memory;
  follow_prepare((struct shared *)(memory + own_bytes));
  struct inherited_signals saved;
  struct target held = no_target;
  bool prepared = prepare(keeper, argv[1], &saved);
  enum guard_role role = prepared ? guard_split(ANSWER_FD, &held) : GUARD_NONE;
  if (role == GUARD_HEIR) inherit(keeper, &held);
  else {
    bool started = prepared && start(keeper, &saved, role == GUARD_NONE ? errno : 0);
    tell_launch(keeper);
    if (!started) return 1;
    guard_launched();
    let_go_of_caller();
  }
  serve(keeper);
  /* For a caller whose daemon died: as a shell says it. */
  if (!(keeper->spec.flags & SPEC_FLAG_INHERIT)) return 0;
  return WIFEXITED(keeper->status) ? WEXITSTATUS(keeper->status) : 128 + WTERMSIG(keeper->status);
}
