/* Decodes a piece of a file with the engine's decoder and prints the address of every
 * instruction, one per line; bytes that are no instruction are passed one by one, marked "bad".
 * usage: decodeAll FILE OFFSET SIZE ADDRESS (hexadecimal) */
#include "../../../native/engine/x64/decode.h"

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
  if (count != 5) return 2;
  u64 offset = strtoul(words[2], 0, 16), size = strtoul(words[3], 0, 16), address = strtoul(words[4], 0, 16);
  FILE *file = fopen(words[1], "rb");
  u8 *code = malloc(size);
  if (!file || !code || fseek(file, (long)offset, SEEK_SET) || fread(code, 1, size, file) != size) return 1;
  for (u64 at = 0; at < size;) {
    struct instruction in;
    int valid = decode(code + at, size - at, address + at, &in);
    printf("%lx %s", address + at, valid ? "" : "bad");
    int is_relative = valid && (in.flow == FLOW_CALL || in.flow == FLOW_JUMP || in.flow == FLOW_BRANCH || in.flow == FLOW_LOOP);
    if (is_relative) printf("%lx", in.target);
    putchar('\n');
    at += valid ? in.length : 1;
  }
  free(code);
  fclose(file);
  return 0;
}
