/**
 * Functions of libraries that come without debug information, as their manual pages declare them. In brackets stands
 * how long a buffer is: `[length]`: as that parameter says; `[return]`: the function fills it, and its result is the
 * number of bytes, or negative; `[*got]`: the same, and the number lies where that parameter points to; `[&length]`: as long as
 * the number says to which that parameter leads, and shown beside the result; `[&length or peer]`: where the program
 * gives no room, the address is that of the result's peer. Buffers of `struct iovec` and `struct msghdr`
 * (`[message]`) are in parts. `_`: a parameter of no interest.
 * `enum NAME`: of `constants`. Longer lists of parameters than six do not occur.
 */
export interface KnownLibrary {
  /** Names of its files. */
  readonly files: RegExp;
  /** They are also known where a program holds them itself. */
  readonly isInPrograms?: true;
  /** What a result of -1 leaves in errno. */
  readonly hasErrno: boolean;
  readonly prototypes: string;
}

export const knownLibraries: readonly KnownLibrary[] = [
  {
    files: /^(?:libc\.so\.6|libc-2\.\d+\.so|libpthread\.so\.0|libpthread-2\.\d+\.so)$/,
    hasErrno: true,
    prototypes: `
      int socket(enum domain domain, enum socket type, int protocol);
      int socketpair(enum domain domain, enum socket type, int protocol, int *pair);
      int connect(int fd, const struct sockaddr *address[length], socklen_t length);
      int bind(int fd, const struct sockaddr *address[length], socklen_t length);
      int listen(int fd, int backlog);
      int accept(int fd, struct sockaddr *address[&length or peer], socklen_t *length);
      int accept4(int fd, struct sockaddr *address[&length or peer], socklen_t *length, enum socket flags);
      int getsockname(int fd, struct sockaddr *address[&length], socklen_t *length);
      int getpeername(int fd, struct sockaddr *address[&length], socklen_t *length);
      int getsockopt(int fd, enum level level, int option, void *value[&length], socklen_t *length);
      int shutdown(int fd, enum shutdown how);
      ssize_t send(int fd, const void *data[length], size_t length, enum message flags);
      ssize_t recv(int fd, void *data[return], size_t room, enum message flags);
      ssize_t sendto(int fd, const void *data[length], size_t length, enum message flags, struct sockaddr *to[toLength], socklen_t toLength);
      ssize_t recvfrom(int fd, void *data[return], size_t room, enum message flags, struct sockaddr *from, socklen_t *fromLength);
      ssize_t sendmsg(int fd, const struct msghdr *data[message], enum message flags);
      ssize_t recvmsg(int fd, struct msghdr *data[return], enum message flags);
      ssize_t sendfile(int to, int from, off_t *offset, size_t length);
      ssize_t sendfile64(int to, int from, off_t *offset, size_t length);
      int open(const char *path, enum open flags);
      int open64(const char *path, enum open flags);
      int openat(enum folder folder, const char *path, enum open flags);
      int openat64(enum folder folder, const char *path, enum open flags);
      int creat(const char *path, int mode);
      int creat64(const char *path, int mode);
      int close(int fd);
      int dup(int fd);
      int dup2(int from, int to);
      int dup3(int from, int to, enum open flags);
      int pipe(int *pair);
      int pipe2(int *pair, enum open flags);
      ssize_t read(int fd, void *data[return], size_t room);
      ssize_t write(int fd, const void *data[length], size_t length);
      ssize_t pread(int fd, void *data[return], size_t room, off_t offset);
      ssize_t pread64(int fd, void *data[return], size_t room, off_t offset);
      ssize_t pwrite(int fd, const void *data[length], size_t length, off_t offset);
      ssize_t pwrite64(int fd, const void *data[length], size_t length, off_t offset);
      ssize_t readv(int fd, const struct iovec *data[return], int count);
      ssize_t writev(int fd, const struct iovec *data[count], int count);
      int ftruncate(int fd, off_t length);
      int ftruncate64(int fd, off_t length);
      int truncate(const char *path, off_t length);
      int truncate64(const char *path, off_t length);
      int fsync(int fd);
      int fdatasync(int fd);
      int rename(const char *from, const char *to);
      int renameat(enum folder fromFolder, const char *from, enum folder toFolder, const char *to);
      int renameat2(enum folder fromFolder, const char *from, enum folder toFolder, const char *to, int flags);
      int unlink(const char *path);
      int unlinkat(enum folder folder, const char *path, int flags);
      int remove(const char *path);
      int link(const char *from, const char *to);
      int symlink(const char *target, const char *path);
      int mkdir(const char *path, int mode);
      int mkdirat(enum folder folder, const char *path, int mode);
      int rmdir(const char *path);
      int chdir(const char *path);
      int access(const char *path, int mode);
      int chmod(const char *path, int mode);
      FILE *fopen(const char *path, const char *mode);
      FILE *fopen64(const char *path, const char *mode);
      int getaddrinfo(const char *host, const char *service, struct addrinfo *hints, struct addrinfo **results);
      int poll(struct pollfd *fds, unsigned long count, int timeoutMs);
      char *getenv(const char *name);
    `,
  },
  {
    files: /^(?:libssl\.so(?:\.[\d.]+)?|node|libnode\.so(?:\.\d+)?)$/,
    isInPrograms: true,
    hasErrno: false,
    prototypes: `
      int SSL_connect(SSL *connection);
      int SSL_accept(SSL *connection);
      int SSL_do_handshake(SSL *connection);
      int SSL_shutdown(SSL *connection);
      int SSL_write(SSL *connection, const void *data[length], int length);
      int SSL_read(SSL *connection, void *data[return], int room);
      int SSL_write_ex(SSL *connection, const void *data[length], size_t length, size_t *written);
      int SSL_read_ex(SSL *connection, void *data[*got], _, size_t *got);
      int SSL_set_fd(SSL *connection, int fd);
    `,
  },
  {
    files: /^libgnutls\.so(?:\.[\d.]+)?$/,
    isInPrograms: true,
    hasErrno: false,
    prototypes: `
      ssize_t gnutls_record_send(gnutls_session_t *session, const void *data[length], size_t length);
      ssize_t gnutls_record_recv(gnutls_session_t *session, void *data[return], size_t room);
      int gnutls_handshake(gnutls_session_t *session);
    `,
  },
  {
    // libuv closes by `syscall`. Its functions return less than 0 and set no errno.
    files: /^(?:node|libnode\.so(?:\.\d+)?|libuv\.so(?:\.\d+)?)$/,
    isInPrograms: true,
    hasErrno: false,
    prototypes: `
      int uv__close(int fd);
      int uv__close_nocheckstdio(int fd);
      int uv__close_nocancel(int fd);
    `,
  },
];

type Constants = readonly (readonly [string, string])[];

/** By the name behind `enum` (Linux on x86-64: `asm-generic/fcntl.h`, `linux/socket.h`). */
export const constants: Readonly<Record<string, Constants>> = {
  domain: [
    ['1', 'AF_UNIX'],
    ['2', 'AF_INET'],
    ['10', 'AF_INET6'],
    ['16', 'AF_NETLINK'],
    ['17', 'AF_PACKET'],
  ],
  socket: flags({ SOCK_STREAM: 1, SOCK_DGRAM: 2, SOCK_NONBLOCK: 0o4000, SOCK_CLOEXEC: 0o2000000 }),
  level: [
    ['0', 'IPPROTO_IP'],
    ['1', 'SOL_SOCKET'],
    ['6', 'IPPROTO_TCP'],
    ['17', 'IPPROTO_UDP'],
    ['41', 'IPPROTO_IPV6'],
  ],
  message: [
    ['0', '0'],
    ...flags({
      MSG_OOB: 1,
      MSG_PEEK: 2,
      MSG_DONTWAIT: 0x40,
      MSG_WAITALL: 0x100,
      MSG_NOSIGNAL: 0x4000,
      MSG_MORE: 0x8000,
      MSG_CMSG_CLOEXEC: 0x40000000,
    }),
  ],
  open: [
    ['0', 'O_RDONLY'],
    ...flags({
      O_WRONLY: 1,
      O_RDWR: 2,
      O_CREAT: 0o100,
      O_EXCL: 0o200,
      O_NOCTTY: 0o400,
      O_TRUNC: 0o1000,
      O_APPEND: 0o2000,
      O_NONBLOCK: 0o4000,
      O_DIRECTORY: 0o200000,
      O_NOFOLLOW: 0o400000,
      O_CLOEXEC: 0o2000000,
    }),
  ],
  shutdown: [
    ['0', 'SHUT_RD'],
    ['1', 'SHUT_WR'],
    ['2', 'SHUT_RDWR'],
  ],
  folder: [['-100', 'AT_FDCWD']],
};

function flags(values: Readonly<Record<string, number>>): Constants {
  return Object.entries(values).map(([name, value]) => [String(value), name] as const);
}
