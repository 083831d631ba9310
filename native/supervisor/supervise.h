/* Following the tree's execs: what the files supervise.c, program.c, exits.c and guard.c share. */
#ifndef STROBE_SUPERVISE_H
#define STROBE_SUPERVISE_H

#include <linux/seccomp.h>

#include "supervisor.h"

enum { WAITING_EXECS = 64, HELD_PROCESSES = 256 };

/* program.c: what an exec is about. */
struct file {
  uint64_t device, number, changed_ns;
};
struct program {
  struct file file; /* as named: of a script, the script */
  uint32_t flags;
  uint32_t bytes; /* of text: path, then argv, each with a NUL */
  char text[WIRE_MAX_PROGRAM_BYTES];
};
struct kin {
  pid_t process, parent;
};
bool kin_of(pid_t thread, struct kin *kin);
bool is_stopped(pid_t pid);
/* False: the kernel would refuse it, so there is nothing to tell. */
bool program_asked_for(const struct seccomp_notif *notice, bool no_new_privs,
                       struct program *program);
/* What a process runs now, from /proc. */
void program_running(pid_t pid, struct program *program);

/* exits.c: exits of processes that are no children of the supervisor. */
enum { WATCHED_PROCESSES = 16384, REMEMBERED_EXITS = 256 };
struct exits {
  int events; /* to poll, or -1 */
  uint32_t count, told_at;
  struct watched {
    pid_t pid;
    int fd;
  } watched[WATCHED_PROCESSES];
  pid_t told[REMEMBERED_EXITS];
};
int exits_open(struct exits *exits);
bool exits_known(const struct exits *exits, pid_t pid);
void exits_watch(struct exits *exits, pid_t pid);
/* The supervisor reaped it: true when its exit was told before. */
bool exits_reaped(struct exits *exits, pid_t pid);
/* Calls `told` for each process that has ended; status -1 when nobody saw it. */
void exits_read(struct exits *exits, void (*told)(void *, pid_t, int), void *context);
/* Goes on with what a supervisor watched that was killed. */
void exits_inherit(struct exits *exits, void (*told)(void *, pid_t, int), void *context);

/* What must be known when the supervisor is killed: who waits for an answer, who is stopped, who
 * lives. */
struct shared {
  uint32_t number;                             /* of the last exec that was asked about */
  struct seccomp_notif waiting[WAITING_EXECS]; /* id 0 = free */
  pid_t held[HELD_PROCESSES];                  /* 0 = free */
  struct exits exits;
  struct cost {
    uint32_t programs;
    uint64_t waited_ns;
  } cost; /* of following, to those who execute programs */
};

/* borrow.c: what a process does for the supervisor at its exec. */
enum { TAKEN_NUMBERS = WIRE_LOW_NUMBERS - 3, BORROWED_WORDS = 3 };
struct borrowed {
  uint64_t registers[27], code[BORROWED_WORDS];
  uint32_t taken, numbers[TAKEN_NUMBERS]; /* descriptors that the host's are to lie above */
};
bool begin_borrowing(pid_t pid, struct borrowed *saved); /* a SIGTRAP follows when true */
void end_borrowing(pid_t pid, const struct borrowed *saved);

/* guard.c */
void guard_let_go(int listener, struct seccomp_notif *notice); /* the exec goes on */

#endif
