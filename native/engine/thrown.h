/* What an exception is: its type and its message, read from the thrown object. */
#ifndef STROBE_THROWN_H
#define STROBE_THROWN_H

#include "types.h"

struct thrown {
  u32 pid;
  u8 *type;    /* EXCEPTION_TYPE_BYTES; as the linker spells it, empty for Rust */
  u8 *message; /* EXCEPTION_MESSAGE_BYTES */
  u64 language;
  u32 type_bytes, message_bytes, message_is;
};

/* `exception`: the unwinder's header (Itanium C++ ABI: Exception Handling §1.2). */
void thrown_read(struct thrown *thrown, u64 exception);

/* The same of an object that is about to be thrown, with its type_info. */
void thrown_object(struct thrown *thrown, u64 type, u64 object);

#endif
