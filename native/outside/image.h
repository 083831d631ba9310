/* The program's ELF file and the table that Go's linker leaves of its functions. */
#ifndef STROBE_OUTSIDE_IMAGE_H
#define STROBE_OUTSIDE_IMAGE_H

#include "../engine/types.h"
#include <sys/types.h>

struct image {
  u64 begin, end; /* of what is mapped of it */
  u64 text, text_end, constants, constants_end;
  u64 bias;               /* run-time less link-time address */
  u64 table, table_bytes; /* .gopclntab */
  u64 goroutines;         /* runtime.allgs; 0: not known */
};

/* What the table says of the function that begins at an address. */
struct go_function {
  u64 end;          /* where the next begins */
  u64 defer_return; /* where a recovered panic goes on; 0: nowhere */
  u32 is_assembler;
};

/* Returns 0 or an error number; ENOEXEC: not a program of Go that is known here. */
int image_read(pid_t pid, struct image *image);
/* Returns whether one begins there. */
int image_function(const struct image *image, u64 address, struct go_function *found);

#endif
