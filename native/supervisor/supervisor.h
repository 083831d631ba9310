/* The supervisor: small parent of one session's target. See docs in each file's head comment. */
#ifndef STROBE_SUPERVISOR_H
#define STROBE_SUPERVISOR_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "wire.h"

static inline void put32(uint8_t *at, uint32_t value) { memcpy(at, &value, 4); }
static inline void put64(uint8_t *at, uint64_t value) { memcpy(at, &value, 8); }
static inline uint32_t get32(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, at, 4);
  return value;
}
static inline uint64_t get64(const uint8_t *at) {
  uint64_t value;
  memcpy(&value, at, 8);
  return value;
}

/* clock.c */
uint64_t monotonic_ns(void);
struct clock_pair {
  uint64_t tsc, ns;
};
struct clock_pair read_clocks(void);

/* spec.c: strings point into one allocation that lives as long as the supervisor. */
struct spec {
  uint32_t flags, stdin_mode, release_ms, umask, columns, rows, ignored;
  uint64_t max_log_bytes;
  char *path, *cwd;
  char **argv, **envp;
};
int spec_read(int fd, struct spec *spec); /* 0 or errno */

/* launch.c */
struct inherited_signals {
  struct sigaction actions[NSIG];
  sigset_t mask;
};
void signals_shield(
    struct inherited_signals *saved); /* ignore what must not end the supervisor; block SIGCHLD */
void close_above(int last);           /* what the caller left open by accident */
void name_process(const char *name);  /* as ps shows it */
void let_go_of_caller(
    void); /* neither a terminal or a pipe of the caller's stays open, nor a mounted folder */
struct target {
  uint32_t stage; /* STAGE_NONE when it was started */
  int error;
  pid_t pid;
  uint64_t started_ns;
  int in, out,
      err;        /* supervisor's ends of the pipes, or -1; of a terminal both lead to its master */
  int terminal;   /* the pseudo-terminal's other end, or -1 */
  int listener;   /* of the tree's execs, or -1 */
  int unfollowed; /* errno: why there is no listener although it was asked for */
  bool no_new_privs;
};
void launch(const struct spec *spec, const struct inherited_signals *saved, struct target *target);

/* guard.c: who goes on when the supervisor is killed. */
enum guarded {
  GUARDED_IN,
  GUARDED_OUT,
  GUARDED_ERR,
  GUARDED_TERMINAL,
  GUARDED_LISTENER,
  GUARDED,
  GUARDED_CALLER /* the terminal of a target that has its caller's */
};
enum guard_role {
  GUARD_NONE,       /* there is none; errno says why */
  GUARD_SUPERVISOR, /* the caller is the supervisor */
  GUARD_HEIR, /* it was killed: the caller is the supervisor from now on, with what it inherited */
};
enum guard_role guard_split(int answer, struct target *inherited);
void guard_give(enum guarded which, int fd); /* -1: nothing to give */
void guard_drop(enum guarded which); /* closed by the supervisor: the guard must not hold it open */
void guard_launched(void);

/* streams.c */
enum { READ_MARK_BYTES = 16 };
struct reading {  /* shared with the guard */
  uint32_t count; /* of a read that is not in the log yet; 0 = none */
  uint8_t stream, mark[READ_MARK_BYTES];
  uint64_t log_size; /* before it */
  uint8_t bytes[WIRE_MAX_OUTPUT_BYTES];
};
struct log;
bool stream_read(struct target *target, struct log *log, struct reading *reading,
                 uint8_t stream); /* false: nothing is left just now */
void stream_close(struct target *target, struct log *log, uint8_t stream);
void streams_drain(struct target *target, struct log *log, struct reading *reading);
void streams_inherit(struct target *target, struct log *log, struct reading *reading);

/* tty.c */
int tty_open(const struct spec *spec, struct target *target); /* 0 or errno */
int tty_take(int terminal); /* in the child, a session's leader: 0 or -1 with errno */
void tty_close(struct target *target);

/* supervise.c: following the tree's execs. */
void follow_enter(
    int line); /* in the target, just before its exec: says over `line` what became of it */
void follow_begin(
    int line, struct target *target); /* in the supervisor, until the target's own exec is let go */
struct follower {
  void *supervisor;
  void (*log)(void *supervisor, uint8_t type, const uint8_t *payload, uint32_t count);
  void (*tell)(void *supervisor, uint8_t type, const uint8_t *payload, uint32_t count);
  bool (*connected)(void *supervisor);
};
struct shared;
extern const size_t follow_shared_bytes;
void follow_prepare(struct shared *shared); /* memory that the guard sees */
void follow_start(const struct target *target, const struct follower *follower);
void follow_inherit(const struct target *target, const struct follower *follower);
int follow_listener(void); /* to poll, or -1 */
int follow_exits(void);    /* to poll, or -1 */
void follow_listener_ready(short events);
void follow_exits_ready(void);
bool follow_stopped(pid_t pid, int status); /* a stop of a process that is being held */
bool follow_reaped(pid_t pid);              /* true: its exit was told before */
uint64_t follow_due(uint64_t now);          /* does what is due; when to come again */
int follow_decide(uint32_t number, uint32_t decision);
void follow_ask(bool ask);
void follow_heard(void);                 /* the daemon spoke */
void follow_left(void);                  /* who was connected is not any more */
int follow_resume(pid_t pid, bool runs); /* runs: whoever attached let it go already */
void follow_scan(void);
void follow_tell_cost(void); /* to the log, if there is news */

/* job.c: for a target that has its caller's terminal */
void job_prepare(void); /* before it starts */
void job_relay(
    pid_t supervisor); /* in the guard: what the caller asks is passed on to the supervisor */
void job_let_go(void); /* in the guard: the target has ended */
void job_begin(pid_t target);
void job_stopped(void); /* the target stopped, by no hand of ours */
void job_ended(int status);

/* log.c */
struct log {
  int fd;
  uint64_t size, max_output, lost, facts_lost;
  bool forgets;
  uint8_t waiting[32 << 10]; /* facts the disk did not take yet */
  size_t waiting_bytes;
};
int log_open(struct log *log, int folder, uint64_t max_output); /* 0 or errno */
void log_output(struct log *log, uint8_t type, const uint8_t *bytes, uint32_t count);
void log_fact(struct log *log, uint8_t type, uint64_t ns, const uint8_t *payload, uint32_t count);
void log_forget(struct log *log);  /* output is no longer kept, nor counted as lost */
bool log_retry(struct log *log);   /* true when nothing waits any more */
void log_inherit(struct log *log); /* its writer was killed: takes a torn record back */

/* words.c: what is told of a supervisor that was lost. */
void words_open(const char *folder);
void words_to(int fd); /* what is written to it comes there, too */
void say(const char *format, ...) __attribute__((format(printf, 1, 2))); /* a line, with its end */
void words_close(void); /* nothing was said: nothing is left */

/* tree.c */
int tree_signal(pid_t group, int number); /* every descendant of the supervisor; 0 or errno */
void tree_each(void (*found)(void *, pid_t, pid_t),
               void *context); /* pid and parent of every descendant */

/* link.c: the socket and its one connection. */
struct link {
  int listener, connection;
  uint32_t generation; /* raised with each connection */
  uint8_t in[WIRE_MAX_FRAME_BYTES + 4], out[32 << 10];
  size_t in_bytes, out_bytes;
};
int link_open(struct link *link, const char *path); /* 0 or errno */
bool link_accept(struct link *link); /* true: a new connection replaced the old one */
void link_drop(struct link *link);
void link_send(struct link *link, uint8_t type, const uint8_t *payload, uint32_t count);
void link_flush(struct link *link);
/* Reads what is there and hands complete frames over; drops the connection at its end. */
void link_read(struct link *link, void (*frame)(void *, uint8_t, const uint8_t *, uint32_t),
               void *context);

/* serve.c: the supervisor at work. All it knows lies in memory shared with the guard. */
struct input {
  uint8_t bytes[WIRE_MAX_INPUT_BYTES];
  uint32_t count, done, request, generation;
  bool end; /* close when all is written */
  bool writing;
};

struct supervisor {
  struct spec spec;
  struct target target;
  struct log log;
  struct link link;
  struct input input;
  struct reading reading;
  char socket_path[PATH_MAX + 16];
  uint32_t state;
  int status;
  bool quit;
  pid_t told_exit;               /* the last process whose end is in the log */
  uint64_t told_size, told_ns;   /* what the daemon knows of the log */
  uint64_t release_ns, leave_ns; /* deadlines; 0 = none */
  uint64_t retry_ns;
};

void fact(struct supervisor *supervisor, uint8_t type, uint32_t first, uint32_t second,
          uint32_t count); /* `count` bytes of the two, into the log */
struct clock_pair log_clock(struct supervisor *supervisor);
void write_input(struct supervisor *supervisor); /* as much as the pipe takes */
struct follower follower_of(struct supervisor *supervisor);
void serve(struct supervisor
               *supervisor); /* until the tree has ended and nobody needs its status any more */

#endif
