/*
 * A pseudo-terminal for the target.
 *
 *   supervisor                          target
 *   master  ── what is typed ──▶    terminal = fds 0-2, controlling terminal of its session
 *           ◀── what it writes ──
 *
 * The supervisor holds both ends until the tree has ended: without an open terminal end a read of
 * the master fails, although a process of the tree may open /dev/tty again and write on; and
 * closing the master hangs the whole session up.
 */
#define _GNU_SOURCE
#include "tty.h"
#include "spec.h"
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static int open_terminal(int master) {
#ifdef TIOCGPTPEER
  int peer = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (peer >= 0) return peer;
#endif
  char name[64];
  if (ptsname_r(master, name, sizeof name) != 0) return -1;
  return open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

int tty_open(const struct spec *spec, struct target *target) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (master < 0) return errno;
  target->out = master;
  if (grantpt(master) < 0 || unlockpt(master) < 0) return errno;
  target->terminal = open_terminal(master);
  if (target->terminal < 0) return errno;
  target->in = fcntl(master, F_DUPFD_CLOEXEC, 3);
  if (target->in < 0) return errno;
  struct winsize size = {.ws_row = (unsigned short)spec->rows,
                         .ws_col = (unsigned short)spec->columns};
  ioctl(master, TIOCSWINSZ, &size);
  struct termios modes;
  if (tcgetattr(target->terminal, &modes) == 0) {
    modes.c_iflag |= IUTF8; /* as terminal emulators do: erasing takes a whole character */
    tcsetattr(target->terminal, TCSANOW, &modes);
  }
  return 0;
}

int tty_take(int terminal) { return ioctl(terminal, TIOCSCTTY, 0); }

void tty_close(struct target *target) {
  if (target->terminal >= 0) close(target->terminal);
  target->terminal = -1;
}
