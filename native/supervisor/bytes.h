/* Numbers in what is written and read. */
#ifndef STROBE_BYTES_H
#define STROBE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline void put32(uint8_t *at, uint32_t value) { memcpy(at, &value, 4); }
static inline void put64(uint8_t *at, uint64_t value) { memcpy(at, &value, 8); }
static inline uint32_t get32(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, at, 4);
  return value;
}
static inline uint64_t get64(const uint8_t *at) {
  uint64_t value;
  memcpy(&value, at, 8);
  return value;
}

#endif
