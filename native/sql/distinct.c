#include "distinct.h"

#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)
/* There may be a million groups: one should not take much memory. */
#define RECENT 32u
#define FIRST_ROOM 32u
/* So few are sorted without counting digits. */
#define FEW 512u

/* Texts, blobs and numbers that are not whole, by their bytes. */
struct kept {
  uint64_t hash;
  int type, length;
  uint8_t *bytes;
};

struct distinct {
  /* Whole numbers: each once or more often, until they are sorted. */
  int64_t *whole;
  size_t count, room;
  /* Numbers that are among them; 0 where there is none. */
  int64_t recent[RECENT];
  /* A power of two of slots; `bytes` is NULL in those that are free. */
  struct kept *slots;
  size_t slot_count, kept_count;
};

static bool is_sorted(const int64_t *numbers, size_t count) {
  for (size_t i = 1; i < count; i++)
    if (numbers[i - 1] > numbers[i]) return false;
  return true;
}

static int compare_whole(const void *a, const void *b) {
  int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
  return (one > other) - (one < other);
}

/* By their differences from the least, digit by digit. */
static bool sort_whole(struct distinct *distinct) {
  int64_t *from = distinct->whole, least = INT64_MAX, most = INT64_MIN;
  size_t count = distinct->count;
  if (is_sorted(from, count)) return true;
  if (count <= FEW) {
    qsort(from, count, sizeof *from, compare_whole);
    return true;
  }
  for (size_t i = 0; i < count; i++) {
    if (from[i] < least) least = from[i];
    if (from[i] > most) most = from[i];
  }
  int64_t *to = malloc(distinct->room * sizeof *to);
  if (!to) return false;
  uint64_t range = (uint64_t)most - (uint64_t)least;
  for (unsigned shift = 0; shift < 64 && range >> shift; shift += DIGIT_BITS) {
    size_t places[DIGITS] = {0}, at = 0;
    for (size_t i = 0; i < count; i++)
      places[((uint64_t)from[i] - (uint64_t)least) >> shift & (DIGITS - 1)]++;
    for (unsigned i = 0; i < DIGITS; i++) {
      size_t here = places[i];
      places[i] = at;
      at += here;
    }
    for (size_t i = 0; i < count; i++)
      to[places[((uint64_t)from[i] - (uint64_t)least) >> shift & (DIGITS - 1)]++] = from[i];
    int64_t *other = from;
    from = to;
    to = other;
  }
  distinct->whole = from;
  free(to);
  return true;
}

/* Leaves each number once. */
static bool settle(struct distinct *distinct) {
  if (!sort_whole(distinct)) return false;
  size_t left = 0;
  for (size_t i = 0; i < distinct->count; i++)
    if (i == 0 || distinct->whole[i] != distinct->whole[left - 1])
      distinct->whole[left++] = distinct->whole[i];
  distinct->count = left;
  return true;
}

static bool make_room(struct distinct *distinct) {
  if (!settle(distinct)) return false;
  if (distinct->room > 0 && distinct->count <= distinct->room / 2) return true;
  size_t room = distinct->room ? distinct->room * 4 : FIRST_ROOM;
  int64_t *whole = realloc(distinct->whole, room * sizeof *whole);
  if (!whole) return false;
  distinct->whole = whole;
  distinct->room = room;
  return true;
}

static bool add_whole(struct distinct *distinct, int64_t number) {
  int64_t *recent = &distinct->recent[hash_of((uint64_t)number) % RECENT];
  if (*recent == number && number != 0) return true;
  if (distinct->count == distinct->room && !make_room(distinct)) return false;
  *recent = number;
  distinct->whole[distinct->count++] = number;
  return true;
}

static struct kept *slot_for(struct distinct *distinct, const struct kept *wanted) {
  size_t mask = distinct->slot_count - 1, at = wanted->hash & mask;
  for (; distinct->slots[at].bytes; at = (at + 1) & mask) {
    const struct kept *here = &distinct->slots[at];
    if (here->hash == wanted->hash && here->type == wanted->type &&
        here->length == wanted->length &&
        memcmp(here->bytes, wanted->bytes, (size_t)wanted->length) == 0)
      break;
  }
  return &distinct->slots[at];
}

static bool more_slots(struct distinct *distinct) {
  struct kept *before = distinct->slots;
  size_t count = distinct->slot_count;
  distinct->slot_count = count ? count * 2 : 64;
  distinct->slots = calloc(distinct->slot_count, sizeof *before);
  if (!distinct->slots) {
    distinct->slots = before;
    distinct->slot_count = count;
    return false;
  }
  for (size_t i = 0; i < count; i++)
    if (before[i].bytes) *slot_for(distinct, &before[i]) = before[i];
  free(before);
  return true;
}

static bool add_bytes(struct distinct *distinct, int type, const void *bytes, int length) {
  if (distinct->kept_count * 2 >= distinct->slot_count && !more_slots(distinct)) return false;
  uint64_t hash = (uint64_t)type;
  const uint8_t *at = bytes;
  int left = length;
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    hash = hash_of(hash ^ word);
  }
  for (; left > 0; left--) hash = hash_of(hash ^ *at++);
  struct kept wanted = {hash, type, length, (uint8_t *)bytes};
  struct kept *slot = slot_for(distinct, &wanted);
  if (slot->bytes) return true;
  *slot = wanted;
  slot->bytes = malloc((size_t)length + 1);
  if (!slot->bytes) return false;
  if (length > 0) memcpy(slot->bytes, bytes, (size_t)length);
  distinct->kept_count++;
  return true;
}

static bool add_double(struct distinct *distinct, double number) {
  bool isWhole = number >= -9223372036854775808.0 && number < 9223372036854775808.0 &&
                 number == (double)(int64_t)number;
  return isWhole ? add_whole(distinct, (int64_t)number)
                 : add_bytes(distinct, SQLITE_FLOAT, &number, sizeof number);
}

static void step(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  struct distinct **known = sqlite3_aggregate_context(context, sizeof *known);
  if (known && !*known) *known = calloc(1, sizeof **known);
  int type = sqlite3_value_type(values[0]);
  bool isDone = known && *known;
  if (!isDone || type == SQLITE_NULL) {
    if (!isDone) sqlite3_result_error_nomem(context);
    return;
  }
  if (type == SQLITE_INTEGER) isDone = add_whole(*known, sqlite3_value_int64(values[0]));
  else if (type == SQLITE_FLOAT) isDone = add_double(*known, sqlite3_value_double(values[0]));
  else {
    /* Of a text as well: as one it would be copied to end in a zero. */
    const void *bytes = sqlite3_value_blob(values[0]);
    isDone = add_bytes(*known, type, bytes ? bytes : "", sqlite3_value_bytes(values[0]));
  }
  if (!isDone) sqlite3_result_error_nomem(context);
}

static void finish(sqlite3_context *context) {
  struct distinct **known = sqlite3_aggregate_context(context, 0);
  struct distinct *distinct = known ? *known : NULL;
  if (!distinct) {
    sqlite3_result_int64(context, 0);
    return;
  }
  if (settle(distinct))
    sqlite3_result_int64(context, (sqlite3_int64)(distinct->count + distinct->kept_count));
  else sqlite3_result_error_nomem(context);
  for (size_t i = 0; i < distinct->slot_count; i++) free(distinct->slots[i].bytes);
  free(distinct->slots);
  free(distinct->whole);
  free(distinct);
}

int distinct_define(sqlite3 *db) {
  return sqlite3_create_function_v2(db, "strobe_count_distinct", 1, SQLITE_UTF8, NULL, NULL, step,
                                    finish, NULL);
}
