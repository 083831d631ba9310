#include "texts.h"

#include <stdlib.h>
#include <string.h>

#define MOST_TEXT_BYTES ((size_t)128 << 20)
#define PIECE_BYTES ((size_t)1 << 20)
#define NONE UINT32_MAX

static uint64_t hash_text(const char *bytes, size_t length) {
  uint64_t hash = length, word;
  for (; length >= sizeof word; length -= sizeof word, bytes += sizeof word) {
    memcpy(&word, bytes, sizeof word);
    hash = hash_of(hash ^ word);
  }
  word = 0;
  memcpy(&word, bytes, length);
  return hash_of(hash ^ word);
}

static bool more_slots(struct texts *texts) {
  uint32_t count = texts->slot_count ? texts->slot_count * 2 : 1024;
  uint32_t *slots = malloc(count * sizeof *slots);
  if (!slots) return false;
  memset(slots, 0xff, count * sizeof *slots);
  for (uint32_t i = 0; i < texts->count; i++) {
    uint64_t at = hash_text(texts->all[i].bytes, (size_t)texts->all[i].length) & (count - 1);
    while (slots[at] != NONE) at = (at + 1) & (count - 1);
    slots[at] = i;
  }
  free(texts->slots);
  texts->slots = slots;
  texts->slot_count = count;
  return true;
}

/* Memory that stays where it is. */
static char *keep(struct texts *texts, const void *bytes, size_t length) {
  if (texts->left < length) {
    size_t size = length > PIECE_BYTES ? length : PIECE_BYTES;
    char *piece = malloc(size + sizeof piece);
    if (!piece) return NULL;
    memcpy(piece, &texts->piece, sizeof piece);
    texts->piece = piece;
    texts->left = size;
  }
  /* From the end of the piece on. */
  texts->left -= length;
  char *kept = texts->piece + sizeof kept + texts->left;
  if (length > 0) memcpy(kept, bytes, length);
  texts->bytes += length;
  return kept;
}

int texts_number(struct texts *texts, const void *bytes, size_t length, uint32_t *number) {
  if (texts->count * 2 >= texts->slot_count && !more_slots(texts)) return SQLITE_NOMEM;
  uint32_t mask = texts->slot_count - 1;
  uint64_t at = hash_text(bytes, length) & mask;
  for (; (*number = texts->slots[at]) != NONE; at = (at + 1) & mask) {
    const struct text *known = &texts->all[*number];
    if ((size_t)known->length == length && memcmp(known->bytes, bytes, length) == 0)
      return SQLITE_OK;
  }
  if (texts->bytes + length > MOST_TEXT_BYTES) return SQLITE_TOOBIG;
  if (texts->count == texts->room) {
    uint32_t room = texts->room ? texts->room * 2 : 256;
    struct text *all = realloc(texts->all, room * sizeof *all);
    if (!all) return SQLITE_NOMEM;
    texts->all = all;
    texts->room = room;
  }
  char *kept = keep(texts, bytes, length);
  if (!kept) return SQLITE_NOMEM;
  *number = texts->slots[at] = texts->count;
  texts->all[texts->count++] = (struct text){kept, (int)length};
  return SQLITE_OK;
}

int text_order(const struct text *a, const struct text *b) {
  if (!a->bytes || !b->bytes) return (a->bytes != NULL) - (b->bytes != NULL);
  int shorter = a->length < b->length ? a->length : b->length;
  int order = memcmp(a->bytes, b->bytes, (size_t)shorter);
  return order ? order : (a->length > b->length) - (a->length < b->length);
}

void texts_free(struct texts *texts) {
  while (texts->piece) {
    char *before;
    memcpy(&before, texts->piece, sizeof before);
    free(texts->piece);
    texts->piece = before;
  }
  free(texts->all);
  free(texts->slots);
}
