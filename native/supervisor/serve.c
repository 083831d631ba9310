/*
 * The keeper at work: one loop over the target's streams, the ends of its tree, its execs, and the
 * one daemon that is connected.
 */
#define _GNU_SOURCE
#include "keeper.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GROWN_NS = 5000000, RETRY_NS = 1000000000 };
enum { ON_CHILD, ON_LISTENER, ON_CONNECTION, ON_OUT, ON_ERR, ON_IN, ON_EXEC, ON_EXITS, SLOTS };

void fact(struct keeper *keeper, uint8_t type, uint32_t first, uint32_t second, uint32_t count)
{
  uint8_t payload[8];
  put32(payload, first);
  put32(payload + 4, second);
  log_fact(&keeper->log, type, monotonic_ns(), payload, count);
}

struct clock_pair log_clock(struct keeper *keeper)
{
  uint8_t payload[8];
  struct clock_pair pair = read_clocks();
  put64(payload, pair.tsc);
  log_fact(&keeper->log, LOG_CLOCK, pair.ns, payload, 8);
  return pair;
}

static void tell_grown(struct keeper *keeper)
{
  uint8_t payload[8];
  if (keeper->told_size == keeper->log.size) return;
  keeper->told_size = keeper->log.size;
  keeper->told_ns = monotonic_ns();
  put64(payload, keeper->log.size);
  link_send(&keeper->link, EVENT_GROWN, payload, sizeof payload);
}

static uint32_t stdin_state(const struct keeper *keeper)
{
  return keeper->target.in >= 0 && !keeper->input.end ? STDIN_OPEN : STDIN_CLOSED;
}

static void tell_state(struct keeper *keeper)
{
  uint8_t payload[12];
  tell_grown(keeper);
  put32(payload, keeper->state);
  put32(payload + 4, stdin_state(keeper));
  put32(payload + 8, (uint32_t)keeper->status);
  link_send(&keeper->link, EVENT_STATE, payload, sizeof payload);
}

static void tell_hello(struct keeper *keeper)
{
  uint8_t payload[40];
  put32(payload, WIRE_VERSION);
  put32(payload + 4, (uint32_t)getpid());
  put32(payload + 8, (uint32_t)keeper->target.pid);
  put32(payload + 12, keeper->state);
  put32(payload + 16, stdin_state(keeper));
  put32(payload + 20, (uint32_t)keeper->status);
  put64(payload + 24, keeper->target.started_ns);
  put64(payload + 32, keeper->log.size);
  keeper->told_size = keeper->log.size;
  link_send(&keeper->link, EVENT_HELLO, payload, sizeof payload);
}

static void answer(struct keeper *keeper, uint32_t request, int error)
{
  uint8_t payload[8];
  put32(payload, request);
  put32(payload + 4, (uint32_t)error);
  link_send(&keeper->link, EVENT_DONE, payload, sizeof payload);
}

static void answer_input(struct keeper *keeper, int error)
{
  if (keeper->input.count == 0) return;
  keeper->input.count = 0;
  if (keeper->input.generation == keeper->link.generation) answer(keeper, keeper->input.request, error);
}

static void close_input(struct keeper *keeper)
{
  if (keeper->target.in < 0) return;
  close(keeper->target.in);
  keeper->target.in = -1;
  guard_drop(GUARDED_IN);
  answer_input(keeper, EPIPE);
  tell_state(keeper);
}

void write_input(struct keeper *keeper)
{
  struct input *input = &keeper->input;
  while (input->count > 0) {
    input->writing = true;
    ssize_t done = write(keeper->target.in, input->bytes + input->done, input->count - input->done);
    if (done > 0) input->done += (uint32_t)done;
    input->writing = false;
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && errno == EAGAIN) return;
    if (done < 0) {
      close_input(keeper);
      return;
    }
    if (input->done == input->count) answer_input(keeper, 0);
  }
  if (input->end) close_input(keeper);
}

static void take_input(struct keeper *keeper, uint32_t request, const uint8_t *bytes, uint32_t count)
{
  struct input *input = &keeper->input;
  if (stdin_state(keeper) == STDIN_CLOSED) answer(keeper, request, EPIPE);
  else if (input->count > 0) answer(keeper, request, EAGAIN);
  else if (count > sizeof input->bytes) answer(keeper, request, EMSGSIZE);
  else if (count == 0) answer(keeper, request, 0);
  else {
    memcpy(input->bytes, bytes, count);
    input->count = count;
    input->done = 0;
    input->request = request;
    input->generation = keeper->link.generation;
    write_input(keeper);
  }
}

/* `pid` 0: the target. What runs already is sent nothing: a SIGCONT takes back every stop that is on its way,
   also one by a debugger or by the leak sanitizer, which would wait for it for ever. */
static int release(struct keeper *keeper, pid_t pid, bool runs)
{
  if (pid != 0 && pid != keeper->target.pid) return follow_resume(pid, runs);
  if (follow_resume(keeper->target.pid, runs) == 0) return 0; /* held again, at a later exec */
  if (keeper->state >= STATE_EXITED) return ESRCH;
  keeper->release_ns = 0;
  if (keeper->state != STATE_STOPPED) return 0;
  if (!runs && kill(keeper->target.pid, SIGCONT) < 0) return errno;
  keeper->state = STATE_RUNNING;
  tell_state(keeper);
  return 0;
}

static int on_resume(struct keeper *keeper, const uint8_t *payload, uint32_t count)
{
  return release(keeper, count < 4 ? 0 : (pid_t)get32(payload), count >= 8 && get32(payload + 4) != 0);
}

static int send_signal(struct keeper *keeper, int number, uint32_t scope)
{
  if (number < 0 || number >= NSIG) return EINVAL;
  if (scope == SCOPE_TREE) {
    /* An unreaped target keeps its group number from being given to somebody else. */
    bool own = keeper->state < STATE_EXITED && !(keeper->spec.flags & SPEC_FLAG_INHERIT);
    return tree_signal(own ? keeper->target.pid : 0, number);
  }
  if (keeper->state >= STATE_EXITED) return ESRCH;
  return kill(keeper->target.pid, number) < 0 ? errno : 0;
}

static void on_frame(void *context, uint8_t type, const uint8_t *payload, uint32_t count)
{
  struct keeper *keeper = context;
  if (count < 4) {
    say("A daemon was let go: it sent %u bytes as a request.\n", count);
    link_drop(&keeper->link);
    return;
  }
  uint32_t request = get32(payload);
  payload += 4;
  count -= 4;
  follow_heard();
  switch (type) {
  case REQUEST_RESUME: answer(keeper, request, on_resume(keeper, payload, count)); return;
  case REQUEST_INPUT: take_input(keeper, request, payload, count); return;
  case REQUEST_INPUT_EOF:
    if (keeper->target.in >= 0) {
      keeper->input.end = true;
      write_input(keeper);
    }
    answer(keeper, request, 0);
    return;
  case REQUEST_SIGNAL:
    answer(keeper, request,
               count < 8 ? EPROTO : send_signal(keeper, (int)get32(payload), get32(payload + 4)));
    return;
  case REQUEST_CLOCK: {
    struct clock_pair pair = log_clock(keeper);
    uint8_t both[24] = {0};
    put32(both, request);
    put64(both + 8, pair.tsc);
    put64(both + 16, pair.ns);
    link_send(&keeper->link, EVENT_CLOCK, both, sizeof both);
    return;
  }
  case REQUEST_FORGET:
    log_forget(&keeper->log);
    answer(keeper, request, 0);
    return;
  case REQUEST_QUIT:
    keeper->quit = true;
    answer(keeper, request, 0);
    return;
  case REQUEST_DECIDE:
    answer(keeper, request, count < 8 ? EPROTO : follow_decide(get32(payload), get32(payload + 4)));
    return;
  case REQUEST_ASK:
    follow_ask(count >= 4 && get32(payload) != 0);
    answer(keeper, request, 0);
    return;
  case REQUEST_SCAN:
    follow_scan();
    answer(keeper, request, 0);
    return;
  default: answer(keeper, request, ENOSYS);
  }
}

static void drain(struct keeper *keeper) { streams_drain(&keeper->target, &keeper->log, &keeper->reading); }

static void tree_ended(struct keeper *keeper)
{
  drain(keeper);
  stream_close(&keeper->target, &keeper->log, LOG_STDOUT);
  stream_close(&keeper->target, &keeper->log, LOG_STDERR);
  tty_close(&keeper->target);
  follow_tell_cost();
  log_clock(keeper);
  fact(keeper, LOG_ENDED, 0, 0, 0);
  keeper->state = STATE_ENDED;
  keeper->release_ns = 0;
  close_input(keeper);
  tell_state(keeper);
}

static void take_stops(struct keeper *keeper)
{
  siginfo_t info = {0};
  while (waitid(P_ALL, 0, &info, WSTOPPED | WNOHANG | __WALL) == 0 && info.si_pid != 0) {
    int status = info.si_status << 8 | 0x7f; /* as wait(2) tells it, with a tracer's event above */
    if (!follow_stopped(info.si_pid, status) && info.si_pid == keeper->target.pid && keeper->state == STATE_RUNNING)
      job_stopped();
    info.si_pid = 0;
  }
}

static void take_exit(struct keeper *keeper, pid_t pid, int status)
{
  drain(keeper);
  if (!follow_reaped(pid) && keeper->told_exit != pid) fact(keeper, LOG_EXITED, (uint32_t)pid, (uint32_t)status, 8);
  keeper->told_exit = pid;
  if (pid != keeper->target.pid || keeper->state >= STATE_EXITED) return;
  keeper->status = status;
  keeper->state = STATE_EXITED;
  job_ended(status);
  log_clock(keeper);
  tell_state(keeper);
}

/* An end is told before it is waited for: should the keeper be killed in between, its heir still sees it. */
static void reap(struct keeper *keeper)
{
  take_stops(keeper);
  for (;;) {
    siginfo_t info = {0};
    int error = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL);
    if (error == 0 && info.si_pid == 0) return;
    if (error < 0 && errno == EINTR) continue;
    if (error < 0) break;
    /* A tracee's stop is told whatever was asked for (wait(2), WUNTRACED). */
    if (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED) {
      take_stops(keeper);
      continue;
    }
    int signal = info.si_status | (info.si_code == CLD_DUMPED ? 0x80 : 0);
    take_exit(keeper, info.si_pid, info.si_code == CLD_EXITED ? (info.si_status & 0xff) << 8 : signal);
    waitpid(info.si_pid, NULL, __WALL);
    keeper->told_exit = 0;
  }
  if (keeper->state != STATE_ENDED) tree_ended(keeper);
}

static void on_connected(struct keeper *keeper)
{
  /* A connected daemon decides; the clocks run again when it goes. It knows nothing of what the one
     before it was asked. */
  follow_left();
  keeper->release_ns = keeper->leave_ns = 0;
  tell_hello(keeper);
}

static void set_deadlines(struct keeper *keeper, uint64_t now)
{
  if (keeper->link.connection >= 0) return;
  follow_left();
  if (keeper->state == STATE_STOPPED && keeper->spec.release_ms > 0 && keeper->release_ns == 0)
    keeper->release_ns = now + (uint64_t)keeper->spec.release_ms * 1000000u;
  if (keeper->state == STATE_ENDED && keeper->leave_ns == 0)
    keeper->leave_ns = now + (uint64_t)WIRE_LINGER_MS * 1000000u;
}

/* Does what is due and answers how long poll may sleep, in ms. */
static int next_wait(struct keeper *keeper)
{
  uint64_t now = monotonic_ns(), next = UINT64_MAX;
  set_deadlines(keeper, now);
  if (keeper->release_ns > 0 && now >= keeper->release_ns) release(keeper, 0, false);
  if (keeper->release_ns > 0) next = keeper->release_ns;
  if (keeper->leave_ns > 0 && keeper->leave_ns < next) next = keeper->leave_ns;
  if (keeper->log.waiting_bytes > 0 || keeper->log.lost > 0) {
    if (now >= keeper->retry_ns) {
      log_retry(&keeper->log);
      keeper->retry_ns = now + RETRY_NS;
    }
    if (keeper->retry_ns < next) next = keeper->retry_ns;
  }
  if (keeper->link.connection >= 0 && keeper->told_size != keeper->log.size) {
    uint64_t due = keeper->told_ns + GROWN_NS;
    if (now >= due) tell_grown(keeper);
    else if (due < next) next = due;
  }
  uint64_t follow = follow_due(now);
  if (follow < next) next = follow;
  if (next == UINT64_MAX) return -1;
  return next <= now ? 0 : (int)((next - now) / 1000000u + 1);
}

static bool finished(const struct keeper *keeper)
{
  if (keeper->state != STATE_ENDED) return false;
  return keeper->quit || (keeper->leave_ns > 0 && monotonic_ns() >= keeper->leave_ns);
}

static void run(struct keeper *keeper, int child_events)
{
  while (!finished(keeper)) {
    int wait = next_wait(keeper);
    struct link *link = &keeper->link;
    struct pollfd slots[SLOTS] = {
      [ON_CHILD] = {child_events, POLLIN, 0},
      [ON_LISTENER] = {link->listener, POLLIN, 0},
      [ON_CONNECTION] = {link->connection, POLLIN | (link->out_bytes > 0 ? POLLOUT : 0), 0},
      [ON_OUT] = {keeper->target.out, POLLIN, 0},
      [ON_ERR] = {keeper->target.err, POLLIN, 0},
      [ON_IN] = {keeper->target.in, keeper->input.count > 0 ? POLLOUT : 0, 0},
      [ON_EXEC] = {follow_listener(), POLLIN, 0},
      [ON_EXITS] = {follow_exits(), POLLIN, 0},
    };
    if (poll(slots, SLOTS, wait) < 0) continue;
    if (slots[ON_OUT].revents) stream_read(&keeper->target, &keeper->log, &keeper->reading, LOG_STDOUT);
    if (slots[ON_ERR].revents) stream_read(&keeper->target, &keeper->log, &keeper->reading, LOG_STDERR);
    if (slots[ON_EXEC].revents) follow_listener_ready(slots[ON_EXEC].revents);
    if (slots[ON_EXITS].revents) {
      drain(keeper);
      follow_exits_ready();
    }
    if (slots[ON_CHILD].revents) {
      struct signalfd_siginfo info;
      while (read(child_events, &info, sizeof info) > 0) {}
      reap(keeper);
    }
    if (keeper->target.in >= 0) {
      if (slots[ON_IN].revents & POLLERR) close_input(keeper);
      else if (slots[ON_IN].revents) write_input(keeper);
    }
    if (slots[ON_CONNECTION].revents & POLLOUT) link_flush(link);
    if (link->connection >= 0 && slots[ON_CONNECTION].revents & ~POLLOUT)
      link_read(link, on_frame, keeper);
    if (slots[ON_LISTENER].revents && link_accept(link)) on_connected(keeper);
  }
}

static void log_follow(void *context, uint8_t type, const uint8_t *payload, uint32_t count)
{
  struct keeper *keeper = context;
  log_fact(&keeper->log, type, monotonic_ns(), payload, count);
}

static void tell_follow(void *context, uint8_t type, const uint8_t *payload, uint32_t count)
{
  struct keeper *keeper = context;
  tell_grown(keeper);
  link_send(&keeper->link, type, payload, count);
}

static bool is_connected(void *context) { return ((struct keeper *)context)->link.connection >= 0; }

struct follower follower_of(struct keeper *keeper)
{
  return (struct follower){keeper, log_follow, tell_follow, is_connected};
}

void serve(struct keeper *keeper)
{
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  int child_events = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  /* An exit before the signal descriptor existed is seen all the same. */
  reap(keeper);
  run(keeper, child_events);
  link_flush(&keeper->link);
  unlink(keeper->socket_path);
  if (!keeper->quit) say("The program had ended, and nobody came for %u s.\n", WIRE_LINGER_MS / 1000);
  words_close();
}
