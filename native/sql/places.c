#include "places.h"

#include <string.h>

/* Beyond, JSON has whole numbers as text, as JavaScript's numbers are not exact there. */
#define MOST_EXACT 9007199254740991
/* JavaScript writes larger ones with an exponent. */
#define LEAST_EXPONENT 1e21

/* Flags of texts (src/model/eventColumns.ts). */
enum { TRUNCATED = 1, UNREADABLE = 2, IS_NULL = 4 };

struct place place_read(const char *written) {
  struct place place = {.form = (uint8_t)written[0]};
  size_t before = place.form ? strlen(written + 1) : 0;
  if (before > MOST_BEFORE) return (struct place){.form = ANY_VALUE};
  place.before = (uint8_t)before;
  for (size_t i = 0; i < before; i++)
    if (written[i + 1] == 'l') place.are_long |= UINT64_C(1) << i;
  return place;
}

bool place_is_fixed(const struct place *place) {
  return place->form != CHARACTERS && place->are_long == 0;
}

static struct cell real_cell(double value) {
  struct cell cell = {.kind = REAL};
  memcpy(&cell.word, &value, sizeof value);
  /* False for what is no number. */
  if (!(value > -LEAST_EXPONENT && value < LEAST_EXPONENT)) return cell;
  bool is_exact = value >= -MOST_EXACT && value <= MOST_EXACT;
  if (is_exact && value == (double)(int64_t)value) return (struct cell){WHOLE, (int64_t)value};
  /* All that are so large are whole; which digits JavaScript writes is asked. */
  if (!is_exact) cell.kind = BY_WORD;
  return cell;
}

struct cell place_number(enum form form, uint32_t low, uint32_t high) {
  uint64_t word = (uint64_t)high << 32 | low;
  float single;
  double number;
  switch (form) {
  case INT_8: return (struct cell){WHOLE, (int8_t)low};
  case UINT_8: return (struct cell){WHOLE, (uint8_t)low};
  case INT_16: return (struct cell){WHOLE, (int16_t)low};
  case UINT_16: return (struct cell){WHOLE, (uint16_t)low};
  case INT_32: return (struct cell){WHOLE, (int32_t)low};
  case UINT_32: return (struct cell){WHOLE, low};
  case INT_64: {
    int64_t whole = (int64_t)word;
    return (struct cell){whole >= -MOST_EXACT && whole <= MOST_EXACT ? WHOLE : SIGNED_DIGITS,
                         whole};
  }
  case UINT_64: return (struct cell){word <= MOST_EXACT ? WHOLE : UNSIGNED_DIGITS, (int64_t)word};
  case UNKNOWN_64: return (struct cell){word <= MOST_EXACT ? WHOLE : ADDRESS, (int64_t)word};
  case POINTER: return (struct cell){word ? ADDRESS : NULL_VALUE, (int64_t)word};
  case BOOL_8: return (struct cell){BOOLEAN, (low & 0xff) != 0};
  case FLOAT_32: memcpy(&single, &low, sizeof single); return real_cell(single);
  case FLOAT_64: memcpy(&number, &word, sizeof number); return real_cell(number);
  case BY_WORD_8: return (struct cell){BY_WORD, (uint8_t)low};
  case BY_WORD_16: return (struct cell){BY_WORD, (uint16_t)low};
  case BY_WORD_32: return (struct cell){BY_WORD, low};
  default: return (struct cell){BY_WORD, (int64_t)word};
  }
}

/* Whether it is UTF-8 without a zero: JSON has it as it is. */
static bool is_plain(const uint8_t *bytes, size_t length) {
  for (size_t at = 0; at < length;) {
    uint8_t first = bytes[at++];
    if (first < 0x80) {
      if (first == 0) return false;
      continue;
    }
    size_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4 || length - at < more) return false;
    uint32_t code = first & (0x3f >> more);
    for (size_t i = 0; i < more; i++, at++) {
      if (bytes[at] >> 6 != 2) return false;
      code = code << 6 | (bytes[at] & 0x3f);
    }
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (code < least[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
  }
  return true;
}

static int text_cell(const struct captured *captured, uint32_t word, uint32_t i,
                     struct texts *texts, struct cell *cell) {
  uint32_t length = captured_word(captured, word, i), flags = captured_word(captured, word + 1, i);
  word += 2;
  if (flags & IS_NULL) {
    cell->kind = NULL_VALUE;
    return SQLITE_OK;
  }
  cell->kind = BY_CALL;
  uint32_t bytes[256];
  if (flags & (UNREADABLE | TRUNCATED) || length > sizeof bytes ||
      length > (captured->words - word) * 4)
    return SQLITE_OK;
  for (uint32_t at = 0; at * 4 < length; at++) bytes[at] = captured_word(captured, word + at, i);
  if (!is_plain((const uint8_t *)bytes, length)) return SQLITE_OK;
  uint32_t number;
  int code = texts_number(texts, bytes, length, &number);
  if (code == SQLITE_TOOBIG) return SQLITE_OK;
  *cell = (struct cell){TEXT, number};
  return code;
}

int place_cell(const struct place *place, const struct captured *captured, uint32_t i,
               struct texts *texts, struct cell *cell) {
  uint64_t word = 0;
  cell->kind = NOTHING;
  for (unsigned k = 0; k < place->before && word + 2 <= captured->words; k++) {
    bool is_long = place->are_long >> k & 1;
    word += 2 + (is_long ? ((uint64_t)captured_word(captured, (uint32_t)word, i) + 7) / 8 * 2 : 0);
  }
  if (word + 2 > captured->words) return SQLITE_OK;
  uint32_t at = (uint32_t)word;
  if (place->form == CHARACTERS) return text_cell(captured, at, i, texts, cell);
  *cell =
      place_number(place->form, captured_word(captured, at, i), captured_word(captured, at + 1, i));
  return SQLITE_OK;
}
