/* See ownFiles.h. */
#include "ownFiles.h"
#include "raw.h"

int own_files[MOST_OWN_FILES];
u32 own_file_count;

void own_files_set(const int *files, u32 count) {
  own_file_count = 0;
  if (count > MOST_OWN_FILES) count = MOST_OWN_FILES;
  for (u32 i = 0; i < count; i++) own_files[i] = files[i];
  __atomic_store_n(&own_file_count, count, __ATOMIC_RELEASE);
}

int own_files_hold(u32 file) {
  for (u32 i = 0; i < own_file_count; i++)
    if (own_files[i] == (int)file) return 1;
  return 0;
}
