/* A serial port: a pseudo-terminal whose other end is this program's standard input and output.
 *
 *   serial
 *
 * The first line of standard output is the path that another program opens. What comes in on
 * standard input is what that program reads. Then records follow, a line "KIND TIME COUNT" and
 * COUNT bytes each: o: it wrote them; i: it may read them; s: it set the speed, in baud. TIME is
 * CLOCK_MONOTONIC, in nanoseconds; that of an i is before the program could read. (A
 * pseudo-terminal keeps no parity and no stop bits.) It ends with its standard input. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define MOST_BYTES 65536
#define LINE_TURN_MS 100

static const struct {
  speed_t code;
  int baud;
} speeds[] = {
    {B50, 50},           {B75, 75},           {B110, 110},         {B134, 134},
    {B150, 150},         {B200, 200},         {B300, 300},         {B600, 600},
    {B1200, 1200},       {B1800, 1800},       {B2400, 2400},       {B4800, 4800},
    {B9600, 9600},       {B19200, 19200},     {B38400, 38400},     {B57600, 57600},
    {B115200, 115200},   {B230400, 230400},   {B460800, 460800},   {B921600, 921600},
    {B1000000, 1000000}, {B1152000, 1152000}, {B1500000, 1500000}, {B2000000, 2000000},
    {B2500000, 2500000}, {B3000000, 3000000}, {B3500000, 3500000}, {B4000000, 4000000},
};

static int baud_of(const struct termios *modes) {
  for (unsigned row = 0; row < sizeof speeds / sizeof *speeds; row++)
    if (speeds[row].code == cfgetospeed(modes)) return speeds[row].baud;
  return 0;
}

static int speed(int terminal) {
  struct termios modes;
  return tcgetattr(terminal, &modes) < 0 ? 0 : baud_of(&modes);
}

/* As a port is before a program sets it up. */
static int open_port(int *terminal, char *path, int size) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0) return -1;
  if (ptsname_r(master, path, size) != 0) return -1;
  /* Held open: without it a read of the master fails between two programs. */
  *terminal = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
  struct termios modes;
  if (*terminal < 0 || tcgetattr(*terminal, &modes) < 0) return -1;
  cfmakeraw(&modes);
  cfsetspeed(&modes, B9600);
  return tcsetattr(*terminal, TCSANOW, &modes) < 0 ? -1 : master;
}

static int write_all(int to, const char *bytes, ssize_t count) {
  while (count > 0) {
    ssize_t done = write(to, bytes, count);
    if (done < 0 && errno != EINTR) return 0;
    if (done > 0) bytes += done, count -= done;
  }
  return 1;
}

static long long clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int tell(char kind, long long time, const char *bytes, ssize_t count) {
  char line[64];
  int length = snprintf(line, sizeof line, "%c %lld %zd\n", kind, time, count);
  return write_all(1, line, length) && write_all(1, bytes, count);
}

/* `pending`: what the program cannot read yet, as it has not read what came before. */
static void pass(int master, int terminal) {
  static char pending[MOST_BYTES], taken[MOST_BYTES];
  ssize_t waiting = 0;
  int last = speed(terminal);
  for (;;) {
    struct pollfd slots[] = {
        {waiting == 0 ? 0 : -1, POLLIN, 0},
        {master, (short)(waiting > 0 ? POLLIN | POLLOUT : POLLIN), 0},
    };
    if (poll(slots, 2, LINE_TURN_MS) < 0 && errno != EINTR) return;
    int now = speed(terminal);
    if (now != last) {
      char text[16];
      last = now;
      if (!tell('s', clock_ns(), text, snprintf(text, sizeof text, "%d", now))) return;
    }
    if (slots[1].revents & POLLIN) {
      ssize_t count = read(master, taken, sizeof taken);
      if (count > 0 && !tell('o', clock_ns(), taken, count)) return;
    }
    if (slots[0].revents) {
      waiting = read(0, pending, sizeof pending);
      if (waiting <= 0) return;
    }
    if (waiting > 0) {
      long long time = clock_ns();
      ssize_t count = write(master, pending, waiting);
      if (count > 0 && !tell('i', time, pending, count)) return;
      if (count > 0) memmove(pending, pending + count, waiting -= count);
    }
  }
}

int main(void) {
  int terminal;
  char path[64];
  int master = open_port(&terminal, path, sizeof path);
  if (master < 0) {
    dprintf(2, "%s\n", strerror(errno));
    return 1;
  }
  dprintf(1, "%s\n", path);
  pass(master, terminal);
  return 0;
}
