/* A table of mappings that is asked, and closed, once more when it is closed: another thread may have its
 * memory by then. Prints whether what lies there is left alone, and what is found. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "../../../native/engine/maps.c"

int main(void) {
  struct map_table table;
  if (!maps_open(&table) || !maps_find(&table, (u64)main)) return 1;
  void *rows = table.rows;
  u64 bytes = table.bytes;
  maps_close(&table);
  u8 *other = mmap((u8 *)rows - bytes / 2, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (other != (u8 *)rows - bytes / 2) return 2;
  int found = maps_find(&table, (u64)main) != NULL;
  maps_close(&table);
  unsigned char present;
  printf("found %d, left alone %d\n", found, mincore(other, 1, &present) == 0);
  return 0;
}
