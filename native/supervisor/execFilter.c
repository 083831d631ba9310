/* See execFilter.h. */
#define _GNU_SOURCE
#include "execFilter.h"
#include "passing.h"
#include "standbyLine.h"
#include "target.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void filter_let_go(int listener, struct seccomp_notif *notice) {
  struct seccomp_notif_resp answer = {.id = notice->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  /* Fails when the caller was killed meanwhile. */
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  notice->id = 0;
}

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IS(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define GIVE(action) BPF_STMT(BPF_RET | BPF_K, action)

/* Linux 5.19 and 6.6; older headers lack them. */
#define WAIT_KILLABLE (1u << 5)
#define SET_FLAGS _IOW('!', 4, uint64_t)
#define SYNC_WAKE_UP 1ul

static int install_filter(unsigned flags) {
  struct sock_filter steps[] = {
#if defined(__x86_64__)
      LOAD(arch),
      IS(AUDIT_ARCH_I386, 7, 0),
      IS(AUDIT_ARCH_X86_64, 0, 9),
      LOAD(nr),
      IS(SYS_execve, 8, 0),
      IS(SYS_execveat, 7, 0),
      IS(0x40000000 | 520, 6, 0), /* x32 */
      IS(0x40000000 | 545, 5, 0),
      GIVE(SECCOMP_RET_ALLOW),
      LOAD(nr),
      IS(11, 2, 0),
      IS(358, 1, 0),
      GIVE(SECCOMP_RET_ALLOW),
      GIVE(SECCOMP_RET_USER_NOTIF),
#else
      LOAD(nr),
      IS(SYS_execve, 2, 0),
      IS(SYS_execveat, 1, 0),
      GIVE(SECCOMP_RET_ALLOW),
      GIVE(SECCOMP_RET_USER_NOTIF),
#endif
  };
  struct sock_fprog program = {sizeof steps / sizeof steps[0], steps};
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                      SECCOMP_FILTER_FLAG_NEW_LISTENER | flags, &program);
}

struct entered {
  int error, no_new_privs, waits_killable;
};

static int install_best(struct entered *entered) {
  int listener = install_filter(WAIT_KILLABLE);
  entered->waits_killable = listener >= 0;
  return listener < 0 && errno == EINVAL ? install_filter(0) : listener;
}

void filter_enter(int line) {
  struct entered entered = {0};
  int listener = install_best(&entered);
  if (listener < 0 && errno == EACCES) {
    /* Only who may administrate the system may filter without it; it takes sudo's privilege away.
     */
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    entered.no_new_privs = 1;
    listener = install_best(&entered);
  }
  if (listener < 0) entered.error = errno;
  pass_send(line, &entered, sizeof entered, listener);
  if (listener >= 0) close(listener);
}

/* A signal may stop the target on its way to the exec, as it is traced already. */
static void pass_signals(pid_t pid) {
  siginfo_t info = {0};
  if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG | __WALL) < 0 || info.si_pid == 0) return;
  ptrace(PTRACE_CONT, pid, NULL, (void *)(intptr_t)info.si_status);
}

void filter_begin(int line, struct target *target, struct seccomp_notif *notice) {
  struct entered entered;
  if (!pass_receive(line, &entered, sizeof entered, &target->listener, 0))
    return; /* it ended; why comes another way */
  target->unfollowed = entered.error;
  target->no_new_privs = entered.no_new_privs;
  target->waits_killable = entered.waits_killable;
  if (target->listener < 0) return;
  standby_give(KEPT_LISTENER, target->listener);
  /* Until we have seen it a caller's wait is ended by signals: we come before others that want its
   * processor. An error where the kernel does not know of it. */
  ioctl(target->listener, SET_FLAGS, SYNC_WAKE_UP);
  for (;;) {
    struct pollfd slot = {target->listener, POLLIN, 0};
    if (poll(&slot, 1, 20) <= 0) {
      pass_signals(target->pid);
      continue;
    }
    if (!(slot.revents & POLLIN)) return; /* killed before its exec */
    memset(notice, 0, sizeof *notice);
    if (ioctl(target->listener, SECCOMP_IOCTL_NOTIF_RECV, notice) < 0) continue;
    filter_let_go(target->listener, notice);
    return;
  }
}
