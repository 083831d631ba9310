/* The program's ELF file, and what it says of its functions: the table that Go's linker leaves, or
 * symbols. */
#ifndef STROBE_OUTSIDE_IMAGE_H
#define STROBE_OUTSIDE_IMAGE_H

#include "../engine/types.h"
#include <sys/types.h>

#define WAIT_COUNT 9
/* As many as a program may have, and more. */
#define SETTER_COUNT 4
/* Where these are among them. */
#define WAIT_PANIC 3
#define WAIT_RECOVER 5
#define WAIT_LEAVES_C 7
#define WAIT_CALLS_C 8

/* What a program may set a filter of system calls through: what is passed the number of any call
 * first, or prctl. */
enum sets_filters { SETS_NONE, SETS_BY_NUMBER, SETS_BY_PRCTL };
struct filter_setter {
  u64 address; /* 0: none */
  enum sets_filters how;
};

struct image {
  u64 begin, end; /* of what is mapped of it */
  u64 text, text_end, constants, constants_end;
  const u8 *code;         /* from `text` on, as its file has it; null: it has none */
  u64 bias;               /* run-time less link-time address */
  u64 table, table_bytes; /* .gopclntab */
  u64 goroutines;         /* runtime.allgs; 0: not known */
  /* runtime.gopark, syscall.Syscall and Syscall6, by which goroutines wait, runtime.gopanic and
   * Goexit, by which they leave calls, gorecover and fatalpanic, by which panics end, and, of a
   * program with a loader, exitsyscall and cgocall, by which they come back from C and call it;
   * 0: not known. */
  u64 waits[WAIT_COUNT];
  struct filter_setter setters[SETTER_COUNT];
  u64 reasons, reasons_bytes; /* runtime.waitReasonStrings */
  int is_go;
};

/* What is known of the function that begins at an address. */
struct function {
  u64 end;          /* where the next begins */
  u32 size;         /* of C: its code; 0: as far as there is no padding */
  u64 defer_return; /* where a recovered panic goes on; 0: nowhere */
  u8 is_assembler, is_c;
  u8 is_sure; /* what it accesses is there */
  enum sets_filters sets;
  u8 has_entry_alone; /* its ends are of no interest */
};

/* Returns 0 or an error number; ENOEXEC: not a program of Go that is known here, where it is to be
 * one. */
int image_read(pid_t pid, struct image *image, int is_go);
/* Returns whether one begins there. `size`: as its debug information has it. */
int image_function(const struct image *image, u64 address, u32 size, struct function *found);

#endif
