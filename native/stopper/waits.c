/* See waits.h. */
#define _GNU_SOURCE
#include "waits.h"
#include <signal.h>
#include <string.h>

pid_t wait_look(idtype_t which, pid_t id, int *status) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  if (waitid(which, (id_t)id, &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL)) return -1;
  int is_signal = info.si_code == CLD_TRAPPED && info.si_status >> 8 == 0;
  if (info.si_pid && !is_signal) return waitpid(info.si_pid, status, __WALL | WNOHANG);
  *status = info.si_status << 8 | 0x7f;
  return info.si_pid;
}

void wait_end(pid_t tid) {
  int status;
  waitpid(tid, &status, __WALL | WNOHANG);
}
