/* Writes what a crash file holds as hexadecimal digits, for a machine that has a console and nothing else. */
#include <stdint.h>
#include <stdio.h>

#include "../../../native/engine/record.h"

int main(int count, char **words) {
  uint8_t header[CRASH_HEADER_BYTES];
  FILE *file = count > 1 ? fopen(words[1], "r") : NULL;
  if (!file || fread(header, 1, sizeof header, file) != sizeof header) return 2;
  uint64_t left = sizeof header + *(uint64_t *)(header + CRASH_AT_USED);
  rewind(file);
  for (uint64_t at = 0; at < left; at++) {
    int byte = getc(file);
    if (byte < 0) return 3;
    printf("%02x%s", byte, at % 64 == 63 ? "\n" : "");
  }
  return 0;
}
