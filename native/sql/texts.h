/* Keeps texts, and bytes that were captured, each once. */
#ifndef STROBE_SQL_TEXTS_H
#define STROBE_SQL_TEXTS_H

#include <sqlite3ext.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern const sqlite3_api_routines *sqlite3_api;

struct text {
  /* NULL: there is none. */
  char *bytes;
  int length;
};

static inline uint64_t hash_of(uint64_t key) {
  key *= 0x9e3779b97f4a7c15u;
  return key ^ key >> 32;
}

struct texts {
  struct text *all;
  uint32_t count, room;
  /* Numbers by hash, a power of two of them. */
  uint32_t *slots;
  uint32_t slot_count;
  size_t bytes;
  /* Pieces of memory that they lie in, each beginning with the address of the one before. */
  char *piece;
  size_t left;
};

/* The number of a text. SQLITE_TOOBIG: there are too many. */
int texts_number(struct texts *texts, const void *bytes, size_t length, uint32_t *number);
void texts_free(struct texts *texts);
/* By their bytes, as SQL orders them; none comes before all. */
int text_order(const struct text *a, const struct text *b);

#endif
