/* What the compiler makes up calls of, for large values: it does so on arm64 even without a C
 * library. */
#include "../cpu.h"

__attribute__((visibility("hidden"))) void *memset(void *to, int byte, u64 length) {
  if (!byte) clear_bytes(to, length);
  for (u64 i = 0; byte && i < length; i++) ((volatile u8 *)to)[i] = (u8)byte;
  return to;
}

__attribute__((visibility("hidden"))) void *memcpy(void *restrict to, const void *restrict from,
                                                   u64 length) {
  copy_bytes(to, from, length);
  return to;
}
