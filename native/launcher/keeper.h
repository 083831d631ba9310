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
  uint32_t flags, stdin_mode, release_ms, umask, columns, rows;
  uint64_t max_log_bytes;
  char *path, *cwd;
  char **argv, **envp;
};
int spec_read(int fd, struct spec *spec); /* 0 or errno */

/* launch.c */
struct inherited_signals { struct sigaction actions[NSIG]; sigset_t mask; };
void signals_shield(struct inherited_signals *saved); /* ignore what must not end the keeper; block SIGCHLD */
void close_above(int last); /* what the caller left open by accident */
struct target {
  uint32_t stage; /* STAGE_NONE when it was started */
  int error;
  pid_t pid;
  uint64_t started_ns;
  int in, out, err; /* keeper's ends of the pipes, or -1; of a terminal both lead to its master */
  int terminal;     /* the pseudo-terminal's other end, or -1 */
};
void launch(const struct spec *spec, const struct inherited_signals *saved, struct target *target);

/* tty.c */
int tty_open(const struct spec *spec, struct target *target); /* 0 or errno */
int tty_take(int terminal); /* in the child, a session's leader: 0 or -1 with errno */
void tty_close(struct target *target);

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
