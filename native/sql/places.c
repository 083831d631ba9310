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
  return place->form != CHARACTERS && place->form != DYNAMIC && place->are_long == 0;
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

/* Of values that describe themselves (src/model/values/dynamicValue.ts): of those without bytes the
 * tag, above the flags; of the others that of their item. */
enum { OF_UNDEFINED = 2 << 3, OF_NONE = 1 << 3, OF_FALSE = 3 << 3, OF_TRUE = 4 << 3 };
enum { OF_INTEGER = 5 << 3 };
enum { ITEM_I8 = 4, ITEM_I16, ITEM_I32, ITEM_I64, ITEM_FLOAT = 9, ITEM_TEXT1 };

static struct cell immediate_cell(uint32_t high) {
  switch (high & 0xff) {
  case OF_NONE:
  case OF_UNDEFINED: return (struct cell){NULL_VALUE, 0};
  case OF_FALSE: return (struct cell){BOOLEAN, 0};
  case OF_TRUE: return (struct cell){BOOLEAN, 1};
  case OF_INTEGER: return (struct cell){WHOLE, (int32_t)high >> 8};
  default: return (struct cell){BY_CALL, 0};
  }
}

/* An item of a number. */
static struct cell number_item(const uint8_t *item, uint32_t length) {
  uint32_t words[2] = {0};
  static const uint8_t sizes[] = {[ITEM_I8] = 1,  [ITEM_I16] = 2,   [ITEM_I32] = 4,
                                  [ITEM_I64] = 8, [ITEM_FLOAT] = 8, [ITEM_TEXT1] = 0};
  static const uint8_t forms[] = {[ITEM_I8] = INT_8,
                                  [ITEM_I16] = INT_16,
                                  [ITEM_I32] = INT_32,
                                  [ITEM_I64] = INT_64,
                                  [ITEM_FLOAT] = FLOAT_64};
  uint8_t size = *item < sizeof sizes ? sizes[*item] : 0;
  if (size == 0 || length < 1u + size) return (struct cell){BY_CALL, 0};
  memcpy(words, item + 1, size);
  return place_number(forms[*item], words[0], words[1]);
}

/* The characters of a short text that is ASCII, and all of it; NULL: it is another. */
static const uint8_t *ascii_item(const uint8_t *item, uint32_t length, uint32_t *count) {
  if (length < 3 || *item != ITEM_TEXT1 || item[1] != item[2] || item[1] >= 0x80) return NULL;
  *count = item[1];
  if (*count > length - 3) return NULL;
  for (uint32_t at = 3; at < 3 + *count; at++)
    if (item[at] == 0 || item[at] >= 0x80) return NULL;
  return item + 3;
}

static int dynamic_cell(const struct captured *captured, uint32_t word, uint32_t i,
                        struct texts *texts, struct cell *cell) {
  uint32_t length = captured_word(captured, word, i), high = captured_word(captured, word + 1, i);
  word += 2;
  *cell = immediate_cell(high);
  if (length == 0) return SQLITE_OK;
  cell->kind = BY_CALL;
  uint32_t words[34], number, count;
  if (length > sizeof words || length > (captured->words - word) * 4) return SQLITE_OK;
  for (uint32_t at = 0; at * 4 < length; at++) words[at] = captured_word(captured, word + at, i);
  const uint8_t *item = (const uint8_t *)words, *text = ascii_item(item, length, &count);
  if (!text) {
    *cell = number_item(item, length);
    return SQLITE_OK;
  }
  int code = texts_number(texts, text, count, &number);
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
  if (place->form == DYNAMIC) return dynamic_cell(captured, at, i, texts, cell);
  *cell =
      place_number(place->form, captured_word(captured, at, i), captured_word(captured, at + 1, i));
  return SQLITE_OK;
}
