/* See process.h. */
#include "process.h"
#include "tables.h"

u32 engine_pid, engine_sandboxed;

void process_give_up(void) {
  engine_process.has_failed = 1;
  __atomic_store_n(&engine_process.epoch, 0, __ATOMIC_SEQ_CST);
}
