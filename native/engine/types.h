/* Words of all that is written here. The library imports nothing: no libc, no unwinder; what it
 * needs of them (pthread keys, _Unwind_GetCFA) is handed in at the start.
 *
 *   hooked function: jump ─▶ island: jump ─▶ thunk i
 *     ─▶ engine_enter ─▶ call island's displaced code
 */
#ifndef STROBE_TYPES_H
#define STROBE_TYPES_H

#include "record.h"

/* Those of hooks, and those that runtimes define. */
#define ALL_FUNCTIONS (1 << RECORD_FUNCTION_BITS)

#ifndef __ASSEMBLER__

#include <asm/unistd.h>
#include <stdint.h>

#define PAGE_SHIFT 12

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

#define EXPORT __attribute__((visibility("default")))
#define COLD __attribute__((cold, noinline))

#endif
#endif
