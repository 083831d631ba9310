#include "json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_WRITTEN 1024
/* Decimals of so many digits are different doubles. */
#define DIGITS_LIMIT 1e15
#define MOST_PLACES 6

static double real_of(struct cell cell) {
  double real;
  memcpy(&real, &cell.word, sizeof real);
  return real;
}

static const char *word_for(double real) {
  return isnan(real) ? "NaN" : real > 0 ? "Infinity" : "-Infinity";
}

static void set_text(struct sql_value *value, const char *text, int length) {
  value->type = SQLITE_TEXT;
  value->text = text;
  value->length = length;
}

static void set_known(struct sql_value *value, const struct texts *texts, struct cell cell) {
  const struct text *text = &texts->all[cell.word];
  set_text(value, text->bytes, text->length);
}

static void set_written(struct sql_value *value, const char *form, int64_t word) {
  set_text(value, value->room, snprintf(value->room, sizeof value->room, form, (long long)word));
}

void json_extracted(const struct texts *texts, struct cell cell, struct sql_value *value) {
  value->type = SQLITE_NULL;
  double real = real_of(cell);
  switch (cell.kind) {
  case WHOLE:
  case BOOLEAN:
    value->type = SQLITE_INTEGER;
    value->whole = cell.word;
    break;
  case REAL:
    value->type = SQLITE_FLOAT;
    value->real = real;
    if (!isfinite(real)) set_text(value, word_for(real), (int)strlen(word_for(real)));
    break;
  case TEXT:
  case JSON: set_known(value, texts, cell); break;
  case ADDRESS: set_written(value, "0x%llx", cell.word); break;
  case SIGNED_DIGITS: set_written(value, "%lld", cell.word); break;
  case UNSIGNED_DIGITS: set_written(value, "%llu", cell.word); break;
  default: break;
  }
}

void json_written(const struct texts *texts, struct cell cell, struct sql_value *value) {
  value->type = SQLITE_NULL;
  switch (cell.kind) {
  case NULL_VALUE: set_text(value, "null", 4); break;
  case WHOLE: set_written(value, "%lld", cell.word); break;
  case BOOLEAN:
    if (cell.word) set_text(value, "true", 4);
    else set_text(value, "false", 5);
    break;
  case JSON: set_known(value, texts, cell); break;
  case ADDRESS: set_written(value, "\"0x%llx\"", cell.word); break;
  case SIGNED_DIGITS: set_written(value, "\"%lld\"", cell.word); break;
  case UNSIGNED_DIGITS: set_written(value, "\"%llu\"", cell.word); break;
  default: break;
  }
}

/* With the fewest places, up to some; 0: it has more. JavaScript writes the same digits. */
static int write_fraction(double real, char *to, size_t room) {
  double unit = 1;
  for (int places = 1; places <= MOST_PLACES; places++) {
    unit *= 10;
    double digits = rint(real * unit);
    if (!(fabs(digits) < DIGITS_LIMIT)) return 0;
    if (digits / unit != real) continue;
    long long all = (long long)fabs(digits), base = (long long)unit;
    return snprintf(to, room, "%s%lld.%0*lld", real < 0 ? "-" : "", all / base, places, all % base);
  }
  return 0;
}

static bool is_plain(const struct text *text) {
  for (int i = 0; i < text->length; i++) {
    unsigned char byte = (unsigned char)text->bytes[i];
    if (byte < 0x20 || byte == '"' || byte == '\\') return false;
  }
  return true;
}

int json_write(struct texts *texts, struct cell cell, uint32_t *number) {
  char written[MOST_WRITTEN + 2];
  int length = 0;
  double real = real_of(cell);
  if (cell.kind == REAL && !isfinite(real))
    length = snprintf(written, sizeof written, "\"%s\"", word_for(real));
  else if (cell.kind == REAL) length = write_fraction(real, written, sizeof written);
  else {
    const struct text *text = &texts->all[cell.word];
    if (text->length <= MOST_WRITTEN && is_plain(text)) {
      written[0] = written[text->length + 1] = '"';
      memcpy(written + 1, text->bytes, (size_t)text->length);
      length = text->length + 2;
    }
  }
  return length > 0 ? texts_number(texts, written, (size_t)length, number) : SQLITE_NOTFOUND;
}
