/* The stage of one session: a display, a window manager and a session bus that only its program
 * uses. The session bus starts the accessibility bus when it is asked for: programs of Qt that find
 * it running at their start do not join it.
 *
 *   stage FOLDER SIZE XVFB BUS MANAGER ORDERS ANSWER
 *
 * FOLDER holds Xauthority and openbox.xml already, and gets the bus's socket and stage.log. MANAGER
 * is Openbox, or empty. ORDERS and ANSWER are descriptors. The answer is one line, "DISPLAY
 * ADDRESS", with a third word "managed" where the window manager is up, or the name of the program
 * that did not start. The order is one line of pids: the stage ends when all of them have, when its
 * display does, or when ORDERS ends before any order. It is no child of the supervisor, which
 * counts what is below it as the target's. What it starts ends with it, also when it is killed. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

#define START_MS 10000
#define MANAGER_MS 3000
#define LEAVE_MS 500
#define TURN_MS 10
#define MOST_PIDS 8
#define DISPLAY_TRIES 3
#define FIRST_DISPLAY 100
#define DISPLAYS 59000
#define MOST_TEXT 512

static char log_path[MOST_TEXT], shown_path[MOST_TEXT], bus_path[MOST_TEXT], access_path[MOST_TEXT];

/* `told`: a descriptor that the program writes to, or -1. `own`: a variable for it alone, or NULL.
 */
static pid_t start(char *const words[], int told, char *own) {
  pid_t stage = getpid(), pid = fork();
  if (pid != 0) return pid;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != stage) _exit(1);
  int log = open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log >= 0) {
    dup2(log, 1);
    dup2(log, 2);
  }
  if (told >= 0) fcntl(told, F_SETFD, 0);
  if (own) putenv(own);
  execv(words[0], words);
  _exit(127);
}

/* One line that a program writes; 0 when it ends or takes too long. */
static int read_line(int from, char *line, int size) {
  for (int length = 0; length < size - 1;) {
    struct pollfd slot = {from, POLLIN, 0};
    if (poll(&slot, 1, START_MS) <= 0) return 0;
    if (read(from, line + length, 1) <= 0) return 0;
    if (line[length] == '\n') {
      line[length] = 0;
      return 1;
    }
    length++;
  }
  return 0;
}

/* Starts a program whose last word is the descriptor to which it tells its address. */
static pid_t start_told(char *words[], int last, const char *prefix, char *line, int size) {
  int ends[2];
  char number[MOST_TEXT];
  if (pipe2(ends, O_CLOEXEC) < 0) return 0;
  snprintf(number, sizeof number, "%s%d", prefix, ends[1]);
  words[last] = number;
  pid_t pid = start(words, ends[1], NULL);
  close(ends[1]);
  int is_told = pid > 0 && read_line(ends[0], line, size);
  close(ends[0]);
  return is_told ? pid : 0;
}

/* A display with a number by chance: a server that ends removes the socket of its number, also when
 * the next one has taken that. */
static pid_t start_display(char *program, char *size, char *authority, char *display, int length) {
  unsigned number;
  char line[64];
  if (getrandom(&number, sizeof number, 0) != sizeof number) return 0;
  number = FIRST_DISPLAY + number % DISPLAYS;
  snprintf(display, length, ":%u", number);
  snprintf(shown_path, sizeof shown_path, "/tmp/.X11-unix/X%u", number);
  char *words[] = {program, display, "-screen", "0",          size, "-nolisten",
                   "tcp",   "-auth", authority, "-displayfd", 0,    0};
  return start_told(words, 10, "", line, sizeof line);
}

/* Openbox runs a command once it manages the windows: it signals us. */
static pid_t start_manager(char *program, const char *folder) {
  char config[MOST_TEXT], cache[MOST_TEXT], ready[64];
  snprintf(config, sizeof config, "%s/openbox.xml", folder);
  snprintf(cache, sizeof cache, "XDG_CACHE_HOME=%s", folder);
  snprintf(ready, sizeof ready, "sh -c 'kill -USR1 %d'", getpid());
  char *words[] = {program, "--sm-disable", "--config-file", config, "--startup", ready, 0};
  return start(words, -1, cache);
}

/* 0 when it ended, or takes too long: programs do without it then. */
static int is_managed(pid_t manager) {
  const struct timespec turn = {0, TURN_MS * 1000000};
  sigset_t ready;
  sigemptyset(&ready);
  sigaddset(&ready, SIGUSR1);
  for (int waited = 0; waited < MANAGER_MS; waited += TURN_MS) {
    siginfo_t ended = {0};
    if (sigtimedwait(&ready, NULL, &turn) == SIGUSR1) return 1;
    waitid(P_PID, manager, &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid == manager) return 0;
  }
  kill(manager, SIGKILL);
  return 0;
}

/* Signals what is below this process; 0 when nothing is. */
static int signal_children(int number) {
  int count = 0, pid;
  FILE *file = fopen("/proc/thread-self/children", "re");
  if (!file) return 0;
  while (fscanf(file, "%d", &pid) == 1) {
    kill(pid, number);
    count++;
  }
  fclose(file);
  return count;
}

/* Sockets of what was killed: each removes its own where it ends by itself. */
static void sweep(void) {
  unlink(shown_path);
  unlink(bus_path);
  DIR *folder = opendir(access_path);
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder));) unlinkat(dirfd(folder), entry->d_name, 0);
  closedir(folder);
  rmdir(access_path);
}

static void leave(int code) {
  const struct timespec turn = {0, TURN_MS * 1000000};
  for (int waited = 0;; waited += TURN_MS) {
    int signal = waited == 0 ? SIGTERM : waited < LEAVE_MS ? 0 : SIGKILL;
    int count = signal_children(signal);
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
    if (count == 0) break;
    nanosleep(&turn, NULL);
  }
  sweep();
  exit(code);
}

static void fail(int answer, const char *program) {
  dprintf(answer, "%s\n", program);
  leave(1);
}

/* Waits until the display or all processes of the order have ended. */
static void stay(int orders, int ends, pid_t display) {
  char line[MOST_TEXT];
  struct pollfd slots[MOST_PIDS + 2] = {{ends, POLLIN, 0}, {orders, POLLIN, 0}};
  int count = 0, is_ordered = 0;
  while (!is_ordered || count > 0) {
    if (poll(slots, 2 + count, -1) < 0 && errno != EINTR) return;
    struct signalfd_siginfo info;
    while (read(ends, &info, sizeof info) > 0) {
      if (info.ssi_signo != SIGCHLD) return;
    }
    for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) > 0;) {
      if (pid == display) return;
    }
    for (int slot = 2; slot < count + 2;) {
      if (slots[slot].revents == 0) {
        slot++;
        continue;
      }
      close(slots[slot].fd);
      slots[slot] = slots[--count + 2];
    }
    if (slots[1].revents == 0) continue;
    if (!read_line(orders, line, sizeof line)) return;
    for (char *word = strtok(line, " "); word && count < MOST_PIDS; word = strtok(NULL, " ")) {
      int process = (int)syscall(SYS_pidfd_open, atoi(word), 0);
      if (process >= 0) slots[2 + count++] = (struct pollfd){process, POLLIN, 0};
    }
    is_ordered = 1;
    slots[1].fd = -1;
    slots[1].revents = 0;
  }
}

int main(int argc, char *argv[]) {
  if (argc != 8) return 2;
  char *folder = argv[1], *size = argv[2], *managing = argv[5];
  int orders = atoi(argv[6]), answer = atoi(argv[7]);
  char authority[MOST_TEXT], address[MOST_TEXT], display[64], line[MOST_TEXT];
  fcntl(orders, F_SETFD, FD_CLOEXEC);
  fcntl(answer, F_SETFD, FD_CLOEXEC);
  snprintf(log_path, sizeof log_path, "%s/stage.log", folder);
  snprintf(authority, sizeof authority, "%s/Xauthority", folder);
  snprintf(bus_path, sizeof bus_path, "%s/bus", folder);
  snprintf(access_path, sizeof access_path, "%s/at-spi", folder);
  snprintf(address, sizeof address, "--address=unix:path=%s/bus", folder);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t heard;
  sigemptyset(&heard);
  sigaddset(&heard, SIGCHLD);
  sigaddset(&heard, SIGTERM);
  int ends = signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
  sigaddset(&heard, SIGUSR1); /* The window manager's. */
  sigprocmask(SIG_BLOCK, &heard, NULL);

  pid_t shown = 0;
  for (int tries = 0; shown == 0 && tries < DISPLAY_TRIES; tries++)
    shown = start_display(argv[3], size, authority, display, sizeof display);
  if (shown == 0) fail(answer, "Xvfb");
  setenv("DISPLAY", display, 1);
  setenv("XAUTHORITY", authority, 1);
  setenv("XDG_RUNTIME_DIR", folder, 1);
  pid_t manager = managing[0] ? start_manager(managing, folder) : 0;
  char *bus[] = {argv[4], "--session", "--nofork", "--nopidfile", address, 0, 0};
  if (start_told(bus, 5, "--print-address=", line, sizeof line) == 0) fail(answer, "dbus-daemon");
  setenv("DBUS_SESSION_BUS_ADDRESS", line, 1);
  int managed = manager > 0 && is_managed(manager);
  dprintf(answer, "%s %s%s\n", display, line, managed ? " managed" : "");
  close(answer);
  stay(orders, ends, shown);
  leave(0);
}
