/* Relocates the functions named by lines "address size" (hexadecimal) of a piece of a file, and
 * compares each result, instruction by instruction, with the original. Prints: moved refused wrong.
 * usage: relocateAll FILE OFFSET SIZE ADDRESS (hexadecimal) */
#include "../../../native/engine/relocate.h"
#include "../../../native/engine/x64/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static u64 read_disp(const u8 *p) {
  int value;
  memcpy(&value, p, 4);
  return (u64)(long)value;
}

/* What an instruction refers to, wherever it lies. */
static u64 reference(const u8 *code, const struct instruction *in, u64 address) {
  if (in->rip_offset) return address + in->length + read_disp(code + in->rip_offset);
  return in->target;
}

/* push imm32; mov dword [rsp+4], imm32; jmp rel32: the return address and target of a call. */
static int same_call(const u8 *moved, u64 moved_at, const struct instruction *call, u64 original_at) {
  struct instruction jump;
  u64 return_address = (u64)(u32)read_disp(moved + 1) | read_disp(moved + 9) << 32;
  if (moved[0] != 0x68 || moved[5] != 0xc7) return 0;
  if (!decode(moved + 13, 5, moved_at + 13, &jump)) return 0;
  return return_address == original_at + call->length && jump.target == call->target;
}

static int same(const struct displaced *displaced, u64 at, const u8 *code, u64 room, u64 address) {
  u32 from = 0, to = 0;
  while (from < displaced->consumed) {
    struct instruction original, moved;
    u64 original_at = address + from, moved_at = at + to;
    if (!decode(code + from, room - from, original_at, &original)) return 0;
    for (int i = 0; i < displaced->moves; i++)
      if (displaced->from[i] == from && displaced->to[i] != to) return 0;
    const u8 *bytes = displaced->code + to;
    if (original.flow == FLOW_CALL) return same_call(bytes, moved_at, &original, original_at);
    if (!decode(bytes, DISPLACED_BYTES - to, moved_at, &moved)) return 0;
    if (moved.flow != original.flow || moved.condition != original.condition) return 0;
    if (reference(bytes, &moved, moved_at) != reference(code + from, &original, original_at)) return 0;
    int is_copy = moved.flow != FLOW_JUMP && moved.flow != FLOW_BRANCH && !moved.rip_offset;
    if (is_copy && memcmp(bytes, code + from, original.length)) return 0;
    from += original.length;
    to += moved.length;
    if (moved.flow == FLOW_JUMP || moved.flow == FLOW_END) return to == displaced->length;
  }
  struct instruction back;
  if (!decode(displaced->code + to, DISPLACED_BYTES - to, at + to, &back)) return 0;
  return back.flow == FLOW_JUMP && back.target == address + from && to + back.length == displaced->length;
}

int main(int count, char **words) {
  if (count != 5) return 2;
  u64 offset = strtoul(words[2], 0, 16), size = strtoul(words[3], 0, 16), start = strtoul(words[4], 0, 16);
  FILE *file = fopen(words[1], "rb");
  u8 *code = malloc(size);
  if (!file || !code || fseek(file, (long)offset, SEEK_SET) || fread(code, 1, size, file) != size) return 1;
  u64 address;
  u32 bytes, moved = 0, refused = 0, wrong = 0;
  while (scanf("%lx %x", &address, &bytes) == 2) {
    struct displaced displaced;
    u64 room = start + size - address, at = address + 0x12345678;
    const u8 *function = code + (address - start);
    struct function_code all = {.bytes = function, .address = address, .before = address - start, .room = room, .size = bytes};
    if (relocate(&all, at, &displaced) != VERDICT_HOOKED) {
      refused++;
      continue;
    }
    moved++;
    if (!same(&displaced, at, function, room, address)) {
      wrong++;
      fprintf(stderr, "wrong: %lx\n", address);
    }
  }
  printf("%u %u %u\n", moved, refused, wrong);
  free(code);
  fclose(file);
  return 0;
}
