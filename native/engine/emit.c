/* See emit.h. */
#include "emit.h"
#include "cpu.h"

void emit_now(u8 *slot, u32 kind, u32 fn, u64 sp, const u64 *words, u32 count) {
  emit_at(slot, kind, fn, timestamp(), sp, words, count);
}

void emit_at(u8 *slot, u32 kind, u32 fn, u64 time, u64 sp, const u64 *words, u32 count) {
  emit(slot, kind, fn, time, sp, words, count);
}
