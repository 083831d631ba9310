/* See ownThreadsHidden.h. */
#include "ownThreadsHidden.h"
#include "ownThreads.h"
#include "raw.h"
#include "tasks.h"

#define KIND 0170000u
#define FOLDER 0040000u

static void count_ours(u32 tid, void *count) {
  if (thread_is_ignored(tid)) ++*(u64 *)count;
}

/* What is read already rules out nearly all files: a folder of /proc has no size. */
static int is_task_folder(const struct file_status *status) {
  if ((status->mode & KIND) != FOLDER || status->size || status->blocks || status->links < 3)
    return 0;
  struct file_status own;
  long failed = raw4(__NR_newfstatat, CURRENT_FOLDER, (long)"/proc/self/task", (long)&own, 0);
  return !failed && own.inode == status->inode && own.device == status->device;
}

void own_threads_hide(struct file_status *status) {
  if (!is_task_folder(status)) return;
  u64 ours = 0;
  tasks_each(count_ours, &ours);
  if (ours && status->links > ours + 2) status->links -= ours;
}
