/*
 * The supervisor at work: one loop over the target's streams, the ends of its tree, its execs, and
 * the one daemon that is connected.
 */
#define _GNU_SOURCE
#include "serve.h"
#include "bytes.h"
#include "clock.h"
#include "follow.h"
#include "job.h"
#include "link.h"
#include "log.h"
#include "soon.h"
#include "standbyLine.h"
#include "streams.h"
#include "tree.h"
#include "tty.h"
#include "wire.h"
#include "words.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GROWN_NS = 5000000, RETRY_NS = 1000000000 };
enum { ON_CHILD, ON_LISTENER, ON_CONNECTION, ON_OUT, ON_ERR, ON_IN, ON_EXEC, ON_EXITS, SLOTS };

void fact(struct supervisor *supervisor, uint8_t type, uint32_t first, uint32_t second,
          uint32_t count) {
  uint8_t payload[8];
  put32(payload, first);
  put32(payload + 4, second);
  log_fact(&supervisor->log, type, monotonic_ns(), payload, count);
}

struct clock_pair log_clock(struct supervisor *supervisor) {
  uint8_t payload[8];
  struct clock_pair pair = read_clocks();
  put64(payload, pair.tsc);
  log_fact(&supervisor->log, LOG_CLOCK, pair.ns, payload, 8);
  return pair;
}

static void tell_grown(struct supervisor *supervisor) {
  uint8_t payload[8];
  if (supervisor->told_size == supervisor->log.size || !link_has_room(&supervisor->link)) return;
  supervisor->told_size = supervisor->log.size;
  supervisor->told_ns = monotonic_ns();
  put64(payload, supervisor->log.size);
  link_send(&supervisor->link, EVENT_GROWN, payload, sizeof payload);
}

static uint32_t stdin_state(const struct supervisor *supervisor) {
  return supervisor->target.in >= 0 && !supervisor->input.end ? STDIN_OPEN : STDIN_CLOSED;
}

static void tell_state(struct supervisor *supervisor) {
  uint8_t payload[12];
  tell_grown(supervisor);
  put32(payload, supervisor->state);
  put32(payload + 4, stdin_state(supervisor));
  put32(payload + 8, (uint32_t)supervisor->status);
  link_send(&supervisor->link, EVENT_STATE, payload, sizeof payload);
}

static void tell_hello(struct supervisor *supervisor) {
  uint8_t payload[40];
  put32(payload, WIRE_VERSION);
  put32(payload + 4, (uint32_t)getpid());
  put32(payload + 8, (uint32_t)supervisor->target.pid);
  put32(payload + 12, supervisor->state);
  put32(payload + 16, stdin_state(supervisor));
  put32(payload + 20, (uint32_t)supervisor->status);
  put64(payload + 24, supervisor->target.started_ns);
  put64(payload + 32, supervisor->log.size);
  supervisor->told_size = supervisor->log.size;
  link_send(&supervisor->link, EVENT_HELLO, payload, sizeof payload);
}

static void answer(struct supervisor *supervisor, uint32_t request, int error) {
  uint8_t payload[8];
  put32(payload, request);
  put32(payload + 4, (uint32_t)error);
  link_send(&supervisor->link, EVENT_DONE, payload, sizeof payload);
}

static void answer_input(struct supervisor *supervisor, int error) {
  if (supervisor->input.count == 0) return;
  supervisor->input.count = 0;
  if (supervisor->input.generation == supervisor->link.generation)
    answer(supervisor, supervisor->input.request, error);
}

static void close_input(struct supervisor *supervisor) {
  if (supervisor->target.in < 0) return;
  close(supervisor->target.in);
  supervisor->target.in = -1;
  standby_drop(KEPT_IN);
  answer_input(supervisor, EPIPE);
  tell_state(supervisor);
}

void write_input(struct supervisor *supervisor) {
  struct input *input = &supervisor->input;
  while (input->count > 0) {
    input->writing = true;
    ssize_t done =
        write(supervisor->target.in, input->bytes + input->done, input->count - input->done);
    if (done > 0) input->done += (uint32_t)done;
    input->writing = false;
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && errno == EAGAIN) return;
    if (done < 0) {
      close_input(supervisor);
      return;
    }
    if (input->done == input->count) answer_input(supervisor, 0);
  }
  if (input->end) close_input(supervisor);
}

static void take_input(struct supervisor *supervisor, uint32_t request, const uint8_t *bytes,
                       uint32_t count) {
  struct input *input = &supervisor->input;
  if (stdin_state(supervisor) == STDIN_CLOSED) answer(supervisor, request, EPIPE);
  else if (input->count > 0) answer(supervisor, request, EAGAIN);
  else if (count > sizeof input->bytes) answer(supervisor, request, EMSGSIZE);
  else if (count == 0) answer(supervisor, request, 0);
  else {
    memcpy(input->bytes, bytes, count);
    input->count = count;
    input->done = 0;
    input->request = request;
    input->generation = supervisor->link.generation;
    write_input(supervisor);
  }
}

/* `pid` 0: the target. `runs`: a host let it go. */
static int release(struct supervisor *supervisor, pid_t pid, bool runs) {
  pid_t target = supervisor->target.pid;
  int error = follow_resume(pid ? pid : target, runs);
  if (pid != 0 && pid != target) return error;
  if (supervisor->state >= STATE_EXITED) return ESRCH;
  supervisor->release_ns = 0;
  if (supervisor->state != STATE_STOPPED) return 0;
  supervisor->state = STATE_RUNNING;
  tell_state(supervisor);
  return 0;
}

static int on_resume(struct supervisor *supervisor, const uint8_t *payload, uint32_t count) {
  return release(supervisor, count < 4 ? 0 : (pid_t)get32(payload),
                 count >= 8 && get32(payload + 4) != 0);
}

static int stand(struct supervisor *supervisor, pid_t pid, bool stands) {
  if (supervisor->standing != 0 && supervisor->standing != pid) return EBUSY;
  supervisor->standing = stands ? pid : 0;
  if (!stands || kill(pid, SIGSTOP) == 0) return 0;
  supervisor->standing = 0;
  return errno;
}

/* Nobody brings its debugger any more. */
static void let_stand_go(struct supervisor *supervisor) {
  if (supervisor->standing != 0) kill(supervisor->standing, SIGCONT);
  supervisor->standing = 0;
}

static int send_signal(struct supervisor *supervisor, int number, uint32_t scope) {
  if (number < 0 || number >= NSIG) return EINVAL;
  if (scope == SCOPE_TREE) {
    /* An unreaped target keeps its group number from being given to somebody else. */
    bool own = supervisor->state < STATE_EXITED && !(supervisor->spec.flags & SPEC_FLAG_INHERIT);
    return tree_signal(own ? supervisor->target.pid : 0, number);
  }
  if (supervisor->state >= STATE_EXITED) return ESRCH;
  return kill(supervisor->target.pid, number) < 0 ? errno : 0;
}

static void on_frame(void *context, uint8_t type, const uint8_t *payload, uint32_t count) {
  struct supervisor *supervisor = context;
  if (count < 4) {
    say("A daemon was let go: it sent %u bytes as a request.\n", count);
    link_drop(&supervisor->link);
    return;
  }
  uint32_t request = get32(payload);
  payload += 4;
  count -= 4;
  follow_heard();
  switch (type) {
  case REQUEST_RESUME: answer(supervisor, request, on_resume(supervisor, payload, count)); return;
  case REQUEST_INPUT: take_input(supervisor, request, payload, count); return;
  case REQUEST_INPUT_EOF:
    if (supervisor->target.in >= 0) {
      supervisor->input.end = true;
      write_input(supervisor);
    }
    answer(supervisor, request, 0);
    return;
  case REQUEST_SIGNAL:
    answer(supervisor, request,
           count < 8 ? EPROTO : send_signal(supervisor, (int)get32(payload), get32(payload + 4)));
    return;
  case REQUEST_CLOCK: {
    struct clock_pair pair = log_clock(supervisor);
    uint8_t both[24] = {0};
    put32(both, request);
    put64(both + 8, pair.tsc);
    put64(both + 16, pair.ns);
    link_send(&supervisor->link, EVENT_CLOCK, both, sizeof both);
    return;
  }
  case REQUEST_FORGET:
    log_forget(&supervisor->log);
    answer(supervisor, request, 0);
    return;
  case REQUEST_QUIT:
    supervisor->quit = true;
    answer(supervisor, request, 0);
    return;
  case REQUEST_DECIDE:
    answer(supervisor, request,
           count < 8 ? EPROTO : follow_decide(get32(payload), get32(payload + 4)));
    return;
  case REQUEST_ASK:
    follow_ask(count >= 4 && get32(payload) != 0);
    answer(supervisor, request, 0);
    return;
  case REQUEST_ENVIRON:
    answer(supervisor, request,
           count < 4 ? EPROTO : follow_environ((pid_t)get32(payload), payload + 4, count - 4));
    return;
  case REQUEST_STAND:
    answer(supervisor, request,
           count < 8 ? EPROTO : stand(supervisor, (pid_t)get32(payload), get32(payload + 4) != 0));
    return;
  case REQUEST_SCAN:
    follow_scan();
    answer(supervisor, request, 0);
    return;
  default: answer(supervisor, request, ENOSYS);
  }
}

static void drain(struct supervisor *supervisor) {
  streams_drain(&supervisor->target, &supervisor->log, &supervisor->reading);
}

static void tree_ended(struct supervisor *supervisor) {
  drain(supervisor);
  follow_exits_ready(); /* of all others, too: nothing comes after the end */
  stream_close(&supervisor->target, &supervisor->log, LOG_STDOUT);
  stream_close(&supervisor->target, &supervisor->log, LOG_STDERR);
  tty_close(&supervisor->target);
  follow_tell_cost();
  log_clock(supervisor);
  fact(supervisor, LOG_ENDED, 0, 0, 0);
  supervisor->state = STATE_ENDED;
  supervisor->release_ns = 0;
  close_input(supervisor);
  tell_state(supervisor);
}

static void take_stops(struct supervisor *supervisor) {
  siginfo_t info = {0};
  while (waitid(P_ALL, 0, &info, WSTOPPED | WNOHANG | __WALL) == 0 && info.si_pid != 0) {
    int status = info.si_status << 8 | 0x7f; /* as wait(2) tells it, with a tracer's event above */
    if (!follow_stopped(info.si_pid, status) && info.si_pid == supervisor->target.pid &&
        supervisor->state == STATE_RUNNING && info.si_pid != supervisor->standing)
      job_stopped();
    info.si_pid = 0;
  }
}

static void take_exit(struct supervisor *supervisor, pid_t pid, int status) {
  drain(supervisor);
  if (!follow_reaped(pid) && supervisor->told_exit != pid)
    fact(supervisor, LOG_EXITED, (uint32_t)pid, (uint32_t)status, 8);
  supervisor->told_exit = pid;
  if (pid != supervisor->target.pid || supervisor->state >= STATE_EXITED) return;
  supervisor->status = status;
  supervisor->state = STATE_EXITED;
  job_ended(status);
  log_clock(supervisor);
  tell_state(supervisor);
}

/* The kernel empties the process's folder of /proc then, and spins while another task is leaving a
 * file in there. */
static void let_it_go(pid_t pid) {
  bool was_soon = come_as_usual();
  waitpid(pid, NULL, __WALL);
  if (was_soon) come_soon();
}

/* An end is told before it is waited for: should the supervisor be killed in between, its heir
 * still sees it. */
static void reap(struct supervisor *supervisor) {
  take_stops(supervisor);
  for (;;) {
    siginfo_t info = {0};
    int error = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL);
    if (error == 0 && info.si_pid == 0) return;
    if (error < 0 && errno == EINTR) continue;
    if (error < 0) break;
    /* A tracee's stop is told whatever was asked for (wait(2), WUNTRACED). */
    if (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED) {
      take_stops(supervisor);
      continue;
    }
    int signal = info.si_status | (info.si_code == CLD_DUMPED ? 0x80 : 0);
    take_exit(supervisor, info.si_pid,
              info.si_code == CLD_EXITED ? (info.si_status & 0xff) << 8 : signal);
    let_it_go(info.si_pid);
    supervisor->told_exit = 0;
  }
  if (supervisor->state != STATE_ENDED) tree_ended(supervisor);
}

static void on_connected(struct supervisor *supervisor) {
  /* A connected daemon decides; the clocks run again when it goes. It knows nothing of what the one
     before it was asked. */
  follow_left();
  let_stand_go(supervisor);
  supervisor->release_ns = supervisor->leave_ns = 0;
  tell_hello(supervisor);
}

static void set_deadlines(struct supervisor *supervisor, uint64_t now) {
  if (supervisor->link.connection >= 0) return;
  follow_left();
  let_stand_go(supervisor);
  if (supervisor->state == STATE_STOPPED && supervisor->spec.release_ms > 0 &&
      supervisor->release_ns == 0)
    supervisor->release_ns = now + (uint64_t)supervisor->spec.release_ms * 1000000u;
  if (supervisor->state == STATE_ENDED && supervisor->leave_ns == 0)
    supervisor->leave_ns = now + (uint64_t)WIRE_LINGER_MS * 1000000u;
}

/* Does what is due and answers how long poll may sleep, in ms. */
static int next_wait(struct supervisor *supervisor) {
  uint64_t now = monotonic_ns(), next = UINT64_MAX;
  set_deadlines(supervisor, now);
  if (supervisor->release_ns > 0 && now >= supervisor->release_ns) release(supervisor, 0, false);
  if (supervisor->release_ns > 0) next = supervisor->release_ns;
  if (supervisor->leave_ns > 0 && supervisor->leave_ns < next) next = supervisor->leave_ns;
  if (supervisor->log.waiting_bytes > 0 || supervisor->log.lost > 0) {
    if (now >= supervisor->retry_ns) {
      log_retry(&supervisor->log);
      supervisor->retry_ns = now + RETRY_NS;
    }
    if (supervisor->retry_ns < next) next = supervisor->retry_ns;
  }
  if (link_has_room(&supervisor->link) && supervisor->told_size != supervisor->log.size) {
    uint64_t due = supervisor->told_ns + GROWN_NS;
    if (now >= due) tell_grown(supervisor);
    else if (due < next) next = due;
  }
  uint64_t follow = follow_due(now);
  if (follow < next) next = follow;
  if (next == UINT64_MAX) return -1;
  return next <= now ? 0 : (int)((next - now) / 1000000u + 1);
}

static bool finished(const struct supervisor *supervisor) {
  if (supervisor->state != STATE_ENDED) return false;
  return supervisor->quit || (supervisor->leave_ns > 0 && monotonic_ns() >= supervisor->leave_ns);
}

static short awaited_of(const struct link *link) {
  return (short)((link_has_room(link) ? POLLIN : 0) | (link->out_bytes > 0 ? POLLOUT : 0));
}

static void serve_connection(struct supervisor *supervisor, short events) {
  struct link *link = &supervisor->link;
  if (events & POLLOUT) link_flush(link);
  if (events & (POLLIN | POLLHUP | POLLERR) && link->connection >= 0) {
    if (link_has_room(link)) link_read(link);
    else if (events & (POLLHUP | POLLERR)) link_drop(link); /* it is gone, and read nothing more */
  }
  link_take(link, on_frame, supervisor);
  follow_tell_asked();
}

static void run(struct supervisor *supervisor, int child_events) {
  while (!finished(supervisor)) {
    int wait = next_wait(supervisor);
    struct link *link = &supervisor->link;
    struct pollfd slots[SLOTS] = {
        [ON_CHILD] = {child_events, POLLIN, 0},
        [ON_LISTENER] = {link->listener, POLLIN, 0},
        [ON_CONNECTION] = {link->connection, awaited_of(link), 0},
        [ON_OUT] = {supervisor->target.out, POLLIN, 0},
        [ON_ERR] = {supervisor->target.err, POLLIN, 0},
        [ON_IN] = {supervisor->target.in, supervisor->input.count > 0 ? POLLOUT : 0, 0},
        [ON_EXEC] = {follow_listener(), POLLIN, 0},
        [ON_EXITS] = {follow_exits(), POLLIN, 0},
    };
    if (poll(slots, SLOTS, wait) < 0) continue;
    if (slots[ON_OUT].revents)
      stream_read(&supervisor->target, &supervisor->log, &supervisor->reading, LOG_STDOUT);
    if (slots[ON_ERR].revents)
      stream_read(&supervisor->target, &supervisor->log, &supervisor->reading, LOG_STDERR);
    if (slots[ON_EXEC].revents) follow_listener_ready(slots[ON_EXEC].revents);
    if (slots[ON_EXITS].revents) {
      drain(supervisor);
      follow_exits_ready();
    }
    if (slots[ON_CHILD].revents) {
      struct signalfd_siginfo info;
      while (read(child_events, &info, sizeof info) > 0) {
      }
      reap(supervisor);
    }
    if (supervisor->target.in >= 0) {
      if (slots[ON_IN].revents & POLLERR) close_input(supervisor);
      else if (slots[ON_IN].revents) write_input(supervisor);
    }
    serve_connection(supervisor, slots[ON_CONNECTION].revents);
    if (slots[ON_LISTENER].revents && link_accept(link)) on_connected(supervisor);
  }
}

static void log_follow(void *context, uint8_t type, const uint8_t *payload, uint32_t count) {
  struct supervisor *supervisor = context;
  log_fact(&supervisor->log, type, monotonic_ns(), payload, count);
}

static void tell_follow(void *context, uint8_t type, const uint8_t *payload, uint32_t count) {
  struct supervisor *supervisor = context;
  tell_grown(supervisor);
  link_send(&supervisor->link, type, payload, count);
}

static bool is_connected(void *context) {
  return ((struct supervisor *)context)->link.connection >= 0;
}

static bool has_room(void *context) { return link_has_room(&((struct supervisor *)context)->link); }

struct follower follower_of(struct supervisor *supervisor) {
  return (struct follower){supervisor, log_follow, tell_follow, is_connected, has_room};
}

void serve(struct supervisor *supervisor) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  int child_events = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  /* An exit before the signal descriptor existed is seen all the same. */
  reap(supervisor);
  run(supervisor, child_events);
  link_flush(&supervisor->link);
  unlink(supervisor->socket_path);
  if (!supervisor->quit)
    say("The program had ended, and nobody came for %u s.\n", WIRE_LINGER_MS / 1000);
  words_close();
}
