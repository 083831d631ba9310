/* The keeper: small parent of one session's target. See docs in each file's head comment. */
#ifndef STROBE_KEEPER_H
#define STROBE_KEEPER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "wire.h"

static inline void put32(uint8_t *at, uint32_t value) { memcpy(at, &value, 4); }
static inline void put64(uint8_t *at, uint64_t value) { memcpy(at, &value, 8); }
static inline uint32_t get32(const uint8_t *at) { uint32_t value; memcpy(&value, at, 4); return value; }
static inline uint64_t get64(const uint8_t *at) { uint64_t value; memcpy(&value, at, 8); return value; }

/* clock.c */
uint64_t monotonic_ns(void);
struct clock_pair { uint64_t tsc, ns; };
struct clock_pair read_clocks(void);

/* spec.c: strings point into one allocation that lives as long as the keeper. */
struct spec {
  uint32_t flags, stdin_mode, release_ms, umask, columns, rows, ignored;
  uint64_t max_log_bytes;
  char *path, *cwd;
  char **argv, **envp;
};
int spec_read(int fd, struct spec *spec); /* 0 or errno */

/* launch.c */
struct inherited_signals { struct sigaction actions[NSIG]; sigset_t mask; };
void signals_shield(struct inherited_signals *saved); /* ignore what must not end the keeper; block SIGCHLD */
void close_above(int last); /* what the caller left open by accident */
void name_process(const char *name); /* as ps shows it */
void let_go_of_caller(void); /* neither a terminal or a pipe of the caller's stays open, nor a mounted folder */
struct target {
  uint32_t stage; /* STAGE_NONE when it was started */
  int error;
  pid_t pid;
  uint64_t started_ns;
  int in, out, err; /* keeper's ends of the pipes, or -1; of a terminal both lead to its master */
  int terminal;     /* the pseudo-terminal's other end, or -1 */
  int listener;     /* of the tree's execs, or -1 */
  int unfollowed;   /* errno: why there is no listener although it was asked for */
  bool no_new_privs;
};
void launch(const struct spec *spec, const struct inherited_signals *saved, struct target *target);

/* tty.c */
int tty_open(const struct spec *spec, struct target *target); /* 0 or errno */
int tty_take(int terminal); /* in the child, a session's leader: 0 or -1 with errno */
void tty_close(struct target *target);

/* supervise.c: following the tree's execs. */
void follow_enter(int line); /* in the target, just before its exec: says over `line` what became of it */
void follow_begin(int line, struct target *target); /* in the keeper, until the target's own exec is let go */
struct follower {
  void *keeper;
  void (*log)(void *keeper, uint8_t type, const uint8_t *payload, uint32_t count);
  void (*tell)(void *keeper, uint8_t type, const uint8_t *payload, uint32_t count);
  bool (*connected)(void *keeper);
};
struct shared;
bool follow_prepare(void); /* before the keeper becomes a subreaper; false: without a guard nothing is followed */
void follow_start(const struct target *target, const struct follower *follower);
int follow_listener(void); /* to poll, or -1 */
int follow_exits(void);    /* to poll, or -1 */
void follow_listener_ready(short events);
void follow_exits_ready(void);
bool follow_stopped(pid_t pid, int status);  /* a stop of a process that is being held */
bool follow_reaped(pid_t pid);               /* true: its exit was told before */
uint64_t follow_due(uint64_t now);           /* does what is due; when to come again */
int follow_decide(uint32_t number, uint32_t decision);
void follow_ask(bool ask);
void follow_heard(void); /* the daemon spoke */
void follow_left(void);  /* who was connected is not any more */
int follow_resume(pid_t pid);
void follow_scan(void);

/* job.c: for a target that has its caller's terminal */
void job_prepare(void); /* before it starts */
void job_begin(pid_t target);
void job_stopped(void); /* the target stopped, by no hand of ours */
void job_ended(int status);

/* log.c */
struct log {
  int fd;
  uint64_t size, max_output, lost;
  bool forgets;
  uint8_t waiting[32 << 10]; /* facts the disk did not take yet */
  size_t waiting_bytes;
};
int log_open(struct log *log, int folder, uint64_t max_output); /* 0 or errno */
void log_output(struct log *log, uint8_t type, const uint8_t *bytes, uint32_t count);
void log_fact(struct log *log, uint8_t type, uint64_t ns, const uint8_t *payload, uint32_t count);
void log_forget(struct log *log); /* output is no longer kept, nor counted as lost */
bool log_retry(struct log *log); /* true when nothing waits any more */

/* tree.c */
int tree_signal(pid_t group, int number); /* every descendant of the keeper; 0 or errno */
void tree_each(void (*found)(void *, pid_t, pid_t), void *context); /* pid and parent of every descendant */

/* link.c: the socket and its one connection. */
struct link {
  int listener, connection;
  uint32_t generation; /* raised with each connection */
  uint8_t in[WIRE_MAX_FRAME_BYTES + 4], out[32 << 10];
  size_t in_bytes, out_bytes;
};
int link_open(struct link *link, const char *path); /* 0 or errno */
bool link_accept(struct link *link);                /* true: a new connection replaced the old one */
void link_drop(struct link *link);
void link_send(struct link *link, uint8_t type, const uint8_t *payload, uint32_t count);
void link_flush(struct link *link);
/* Reads what is there and hands complete frames over; drops the connection at its end. */
void link_read(struct link *link, void (*frame)(void *, uint8_t, const uint8_t *, uint32_t), void *context);

#endif
