#include "special.h"
#include "attributes.h"
#include "texts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* These structures are the same in all versions; they begin behind the head of an object. */
enum { HEAD = 16 };

/* PyDateTime_Date and its like: a hash, whether there is a zone, the bytes. */
enum { DATE_HAS_ZONE = HEAD + 8, DATE_BYTES = HEAD + 9 };
/* Where the zone lies: behind 6 bytes of a time, or 10 of a date with a time, and the fold. */
enum { TIME_ZONE = HEAD + 16, DATETIME_ZONE = HEAD + 24 };
/* PyDateTime_Delta: a hash, days, seconds, microseconds. */
enum { DELTA_DAYS = HEAD + 8 };
/* PyDateTime_TimeZone: its offset, a delta, and its name. */
enum { ZONE_OFFSET = HEAD, ZONE_NAME = HEAD + 8 };
/* PyDecObject: a hash · mpd_t: flags, exponent, digits, words in use, words there, words. */
enum {
  DECIMAL_FLAGS = HEAD + 8,
  DECIMAL_EXPONENT = HEAD + 16,
  DECIMAL_DIGITS = HEAD + 24,
  DECIMAL_LENGTH = HEAD + 32,
  DECIMAL_WORDS = HEAD + 48,
};
enum { DECIMAL_NEGATIVE = 1, DECIMAL_INFINITE = 2, DECIMAL_NAN = 4, DECIMAL_SIGNALLING = 8 };
#define DECIMAL_WORD_DIGITS 19
struct line {
  char *text;
  size_t length;
};

__attribute__((format(printf, 2, 3))) static void say(struct line *line, const char *format, ...) {
  va_list values;
  va_start(values, format);
  size_t room = MOST_SPECIAL_BYTES - line->length;
  int wanted = vsnprintf(line->text + line->length, room, format, values);
  va_end(values);
  if (wanted > 0) line->length += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

static void say_date(struct line *line, const u8 *bytes) {
  say(line, "%04d-%02d-%02d", bytes[0] << 8 | bytes[1], bytes[2], bytes[3]);
}

static void say_time(struct line *line, const u8 *bytes) {
  int micro = bytes[3] << 16 | bytes[4] << 8 | bytes[5];
  say(line, "%02d:%02d:%02d", bytes[0], bytes[1], bytes[2]);
  if (micro) say(line, ".%06d", micro);
}

static void say_delta(struct line *line, const object *delta) {
  const int *numbers = &AT(delta, DELTA_DAYS, const int);
  int days = numbers[0], seconds = numbers[1], micro = numbers[2];
  if (days) say(line, "%d day%s, ", days, days == 1 || days == -1 ? "" : "s");
  say(line, "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (micro) say(line, ".%06d", micro);
}

static void say_zone(struct line *line, const object *zone) {
  object *name = AT(zone, ZONE_NAME, object *);
  const object *offset = AT(zone, ZONE_OFFSET, object *);
  if (name && is_text(name)) {
    struct text text = text_of(name);
    if (text.is_ascii && text.length < 64)
      say(line, "%.*s", (int)text.length, (const char *)text.units);
    return;
  }
  const int *numbers = &AT(offset, DELTA_DAYS, const int);
  int seconds = numbers[0] * 86400 + numbers[1];
  int minutes = (seconds < 0 ? -seconds : seconds) / 60;
  say(line, "UTC");
  if (seconds) say(line, "%c%02d:%02d", seconds < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

/* The digits of a Decimal, the highest first; returns how many, 0: too many to write. */
static size_t decimal_digits(const object *value, char *digits, size_t most) {
  ssize_t count = AT(value, DECIMAL_DIGITS, ssize_t), length = AT(value, DECIMAL_LENGTH, ssize_t);
  const u64 *words = AT(value, DECIMAL_WORDS, const u64 *);
  if (count < 1 || (size_t)count > most || length < 1 || !words) return 0;
  size_t at = 0;
  for (ssize_t i = length - 1; i >= 0; i--) {
    char word[DECIMAL_WORD_DIGITS + 2];
    snprintf(word, sizeof word, "%019llu", (unsigned long long)words[i]);
    const char *from = word;
    if (i == length - 1) {
      ssize_t first = count - i * DECIMAL_WORD_DIGITS;
      if (first < 1 || first > DECIMAL_WORD_DIGITS) return 0;
      from += DECIMAL_WORD_DIGITS - first;
    }
    size_t bytes = strlen(from);
    memcpy(digits + at, from, bytes);
    at += bytes;
  }
  return at;
}

/* To-scientific-string of the General Decimal Arithmetic Specification. */
static void say_decimal(struct line *line, const object *value) {
  char digits[256];
  u8 flags = AT(value, DECIMAL_FLAGS, u8);
  if (flags & DECIMAL_NEGATIVE) say(line, "-");
  if (flags & DECIMAL_INFINITE) say(line, "Infinity");
  else if (flags & DECIMAL_NAN) say(line, "NaN");
  else if (flags & DECIMAL_SIGNALLING) say(line, "sNaN");
  else {
    int count = (int)decimal_digits(value, digits, sizeof digits);
    ssize_t exponent = AT(value, DECIMAL_EXPONENT, ssize_t), scale = exponent + count - 1;
    if (!count) say(line, "…");
    else if (exponent > 0 || scale < -6) {
      say(line, "%c", digits[0]);
      if (count > 1) say(line, ".%.*s", count - 1, digits + 1);
      say(line, "E%+zd", scale);
    } else if (exponent == 0) say(line, "%.*s", count, digits);
    else if (scale >= 0) {
      int whole = (int)scale + 1;
      say(line, "%.*s.%.*s", whole, digits, count - whole, digits + whole);
    } else say(line, "0.%.*s%.*s", (int)(-scale - 1), "000000", count, digits);
  }
}

static void say_text(struct line *line, object *text) {
  struct text found = text_of(text);
  if (found.unit_bytes == 1)
    say(line, "%.*s", (int)(found.length < 400 ? found.length : 400), (const char *)found.units);
}

/* Its text where it was asked for before; else what it was made of: from 3.12 on the parts as they
 * were given, before that parts of which the first may be the root. */
static void say_path(struct line *line, object *path) {
  object *text = attribute_named(path, "_str");
  if (text && is_text(text)) {
    say_text(line, text);
    return;
  }
  object *parts = attribute_named(path, "_raw_paths");
  if (!parts) parts = attribute_named(path, "_parts");
  if (!parts || !(flags_of(type_of(parts)) & TYPE_IS_LIST)) return;
  object *const *items = GET(parts, list_items, object **);
  for (ssize_t i = 0; i < GET(parts, ob_size, ssize_t); i++) {
    if (!items[i] || !is_text(items[i])) return;
    if (i > 0 && line->length > 0 && line->text[line->length - 1] != '/') say(line, "/");
    say_text(line, items[i]);
  }
}

size_t special_text(object *value, enum class_kind kind, char text[MOST_SPECIAL_BYTES]) {
  struct line line = {text, 0};
  const u8 *bytes = &AT(value, DATE_BYTES, const u8);
  switch (kind) {
  case CLASS_DECIMAL: say_decimal(&line, value); break;
  case CLASS_DATE: say_date(&line, bytes); break;
  case CLASS_DATETIME:
    say_date(&line, bytes);
    say(&line, " ");
    say_time(&line, bytes + 4);
    break;
  case CLASS_TIME: say_time(&line, bytes); break;
  case CLASS_TIMEDELTA: say_delta(&line, value); break;
  case CLASS_TIMEZONE: say_zone(&line, value); break;
  case CLASS_PATH: say_path(&line, value); break;
  case CLASS_NOT_A_TIME: say(&line, "NaT"); break;
  default: break;
  }
  return line.length;
}

object *special_zone(object *value, enum class_kind kind) {
  if ((kind != CLASS_DATETIME && kind != CLASS_TIME) || !AT(value, DATE_HAS_ZONE, u8)) return 0;
  return AT(value, kind == CLASS_TIME ? TIME_ZONE : DATETIME_ZONE, object *);
}
