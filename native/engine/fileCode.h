/* What the file of a piece of code holds. */
#ifndef STROBE_FILE_CODE_H
#define STROBE_FILE_CODE_H

#include "types.h"

/* Whether the file that is mapped at the address holds this byte there: then no debugger wrote it.
 * 0 also where the file cannot be read. Opens files; not for the path of a call. */
int file_code_has(u64 address, u8 byte);

#endif
