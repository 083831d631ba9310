/* What tracers of languages ask of the kernel in threads of the program. No hook in the C library
 * sees it, so it is not among the program's calls. Results and errors are those of the functions of
 * the C library with these names. */
#ifndef STROBE_UNSEEN_CALLS_H
#define STROBE_UNSEEN_CALLS_H

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static inline int unseen_open(const char *path, int flags, mode_t mode) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline int unseen_close(int file) { return (int)syscall(SYS_close, file); }

static inline ssize_t unseen_read_at(int file, void *to, size_t bytes, off_t at) {
  return syscall(SYS_pread64, file, to, bytes, at);
}

static inline int unseen_stat(const char *path, struct stat *status) {
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, 0);
}

static inline ssize_t unseen_write(int file, const void *from, size_t bytes) {
  return syscall(SYS_write, file, from, bytes);
}

/* A stream of the local family, closed at exec. */
static inline int unseen_socket(void) {
  return (int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static inline int unseen_connect(int file, const struct sockaddr *address, socklen_t bytes) {
  return (int)syscall(SYS_connect, file, address, bytes);
}

/* Without SIGPIPE. */
static inline ssize_t unseen_send(int file, const void *from, size_t bytes) {
  return syscall(SYS_sendto, file, from, bytes, MSG_NOSIGNAL, 0, 0);
}

static inline ssize_t unseen_receive(int file, void *to, size_t bytes) {
  return syscall(SYS_recvfrom, file, to, bytes, 0, 0, 0);
}

#endif
