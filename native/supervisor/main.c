/*
 * supervisor <session folder> [<spec> <answer>]: the small parent of one session's target. It owns
 * the target's pipes, writes its output with stamps to the session's log, reaps the whole tree and
 * tells true exit statuses. It outlives daemon and host; the target must not notice whether anybody
 * listens.
 *
 *   <spec>, <answer>               descriptors of the launch spec and the launch answer; 3 and 4
 *   <folder>/output.log            <folder>/supervisor.sock
 *   <folder>/supervisor.err        its last words
 *
 * It ends when the tree has ended and a daemon said quit, or nobody was connected for a minute.
 */
#define _GNU_SOURCE
#include "bytes.h"
#include "follow.h"
#include "handover.h"
#include "held.h"
#include "inherited.h"
#include "job.h"
#include "launch.h"
#include "link.h"
#include "log.h"
#include "processName.h"
#include "serve.h"
#include "spec.h"
#include "standby.h"
#include "standbyLine.h"
#include "streams.h"
#include "target.h"
#include "wire.h"
#include "words.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell_launch(const struct supervisor *supervisor, int to) {
  uint8_t bytes[ANSWER_BYTES];
  put32(bytes + ANSWER_AT_STAGE, supervisor->target.stage);
  put32(bytes + ANSWER_AT_ERRNO, (uint32_t)supervisor->target.error);
  put32(bytes + ANSWER_AT_SUPERVISOR_PID, (uint32_t)getpid());
  put32(bytes + ANSWER_AT_TARGET_PID, (uint32_t)supervisor->target.pid);
  put64(bytes + ANSWER_AT_STARTED_NS, supervisor->target.started_ns);
  ssize_t written = write(to, bytes, sizeof bytes);
  (void)written; /* nobody waits any more: the log and the socket tell the same */
  close(to);
}

static const struct target no_target = {
    .stage = STAGE_SPEC, .in = -1, .out = -1, .err = -1, .terminal = -1, .listener = -1};

/* All that comes before the process is split in two; false: the target says why. */
static bool prepare(struct supervisor *supervisor, const char *given, int from,
                    struct inherited_signals *saved) {
  char folder[PATH_MAX], log[PATH_MAX + 16];
  signals_shield(saved);
  supervisor->target = no_target;
  supervisor->target.error = spec_read(from, &supervisor->spec);
  close(from);
  if (supervisor->target.error) return false;
  /* What was left open by accident. */
  if (!(supervisor->spec.flags & SPEC_FLAG_INHERIT)) inherited_close();
  supervisor->target.stage = STAGE_SETUP;
  if (!realpath(given, folder)) {
    supervisor->target.error = errno;
    return false;
  }
  words_open(folder);
  int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  supervisor->target.error =
      at < 0 ? errno : log_open(&supervisor->log, at, supervisor->spec.max_log_bytes);
  if (at >= 0) close(at);
  if (supervisor->target.error) return false;
  snprintf(supervisor->socket_path, sizeof supervisor->socket_path, "%s/supervisor.sock", folder);
  snprintf(log, sizeof log, "%s/output.log", folder);
  handover_open(log);
  supervisor->target.error = link_open(&supervisor->link, supervisor->socket_path);
  if (supervisor->target.error) return false;
  if (supervisor->spec.flags & SPEC_FLAG_INHERIT) job_prepare();
  return true;
}

/* `no_standby`: errno; without a standby nothing is followed. */
static bool start(struct supervisor *supervisor, const struct inherited_signals *saved,
                  int no_standby) {
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  if (no_standby) supervisor->spec.flags &= ~SPEC_FLAG_FOLLOW;
  log_clock(supervisor);
  launch(&supervisor->spec, saved, &supervisor->target);
  if (supervisor->target.stage != STAGE_NONE) {
    fact(supervisor, LOG_EXEC_FAILED, (uint32_t)supervisor->target.error, supervisor->target.stage,
         8);
    fact(supervisor, LOG_ENDED, 0, 0, 0);
    unlink(supervisor->socket_path);
    words_close();
    return false;
  }
  uint8_t pid[4];
  put32(pid, (uint32_t)supervisor->target.pid);
  log_fact(&supervisor->log, LOG_STARTED, supervisor->target.started_ns, pid, sizeof pid);
  struct follower follower = follower_of(supervisor);
  if (no_standby) supervisor->target.unfollowed = no_standby;
  follow_start(&supervisor->target, &follower);
  if (supervisor->spec.flags & SPEC_FLAG_INHERIT) job_begin(supervisor->target.pid);
  supervisor->state = supervisor->target.place.code ? STATE_STOPPED : STATE_RUNNING;
  return true;
}

/* The supervisor before was killed; its descriptors went with it. */
static void inherit(struct supervisor *supervisor, const struct target *held) {
  struct target *target = &supervisor->target;
  target->in = held->in;
  target->out = held->out;
  target->err = held->err;
  target->terminal = held->terminal;
  target->listener = held->listener;
  supervisor->link.connection = -1;
  supervisor->link.in_bytes = supervisor->link.out_bytes = 0;
  supervisor->link.generation++;
  log_inherit(&supervisor->log);
  streams_inherit(target, &supervisor->log, &supervisor->reading);
  if (supervisor->state != STATE_ENDED) fact(supervisor, LOG_FAILOVER, (uint32_t)getpid(), 0, 4);
  struct follower follower = follower_of(supervisor);
  follow_inherit(target, &follower);
  if (supervisor->spec.flags & SPEC_FLAG_INHERIT && supervisor->state < STATE_EXITED)
    job_begin(target->pid);
  /* How much of it the target got is not known, and twice would be worse than not. */
  if (supervisor->input.writing) supervisor->input.count = 0;
  supervisor->input.writing = false;
  if (target->in >= 0) write_input(supervisor);
}

static size_t rounded(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

int main(int argc, char **argv) {
  name_room(argv[0]);
  if (argc != 2 && argc != 4) {
    fputs("usage: supervisor <session folder> [<spec> <answer>]   (started by strobe)\n", stderr);
    return 2;
  }
  int spec = argc == 4 ? atoi(argv[2]) : 3, answer = argc == 4 ? atoi(argv[3]) : 4;
  /* No pipe of ours may land on a closed fd 0–2. */
  while (fcntl(0, F_GETFD) < 0 || fcntl(1, F_GETFD) < 0 || fcntl(2, F_GETFD) < 0)
    if (open("/dev/null", O_RDWR) < 0) return 2;
  inherited_note(spec, answer);
  fcntl(spec, F_SETFD, FD_CLOEXEC);
  fcntl(answer, F_SETFD, FD_CLOEXEC);
  size_t own_bytes = rounded(sizeof(struct supervisor)), held_bytes = rounded(held_shared_bytes);
  uint8_t *memory = mmap(NULL, own_bytes + held_bytes + follow_shared_bytes, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 2;
  struct supervisor *supervisor = (struct supervisor *)memory;
  held_prepare(memory + own_bytes);
  follow_prepare((struct shared *)(memory + own_bytes + held_bytes));
  struct inherited_signals saved;
  struct target held = no_target;
  bool prepared = prepare(supervisor, argv[1], spec, &saved);
  enum standby_role role = prepared ? standby_split(answer, &held) : STANDBY_NONE;
  if (role == STANDBY_TAKES_OVER) inherit(supervisor, &held);
  else {
    bool started = prepared && start(supervisor, &saved, role == STANDBY_NONE ? errno : 0);
    inherited_close();
    tell_launch(supervisor, answer);
    if (!started) return 1;
    standby_launched();
    let_go_of_caller();
  }
  serve(supervisor);
  /* For a caller whose daemon died: as a shell says it. */
  if (!(supervisor->spec.flags & SPEC_FLAG_INHERIT)) return 0;
  return WIFEXITED(supervisor->status) ? WEXITSTATUS(supervisor->status)
                                       : 128 + WTERMSIG(supervisor->status);
}
