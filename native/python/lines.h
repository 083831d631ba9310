/* Lines of code objects, read as if they might be gone. */
#ifndef STROBE_PYTHON_LINES_H
#define STROBE_PYTHON_LINES_H

#include "api.h"

/* The line of an instruction, in bytes from the first; 0: it is not known. */
u32 lines_find(u64 code, u32 instruction);

#endif
