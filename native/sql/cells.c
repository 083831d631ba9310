#include "cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void show_text(struct shown *shown, char *bytes, size_t length) {
  shown->type = SQLITE_TEXT;
  shown->text = (struct text){bytes, (int)length};
}

static void show_constant(struct shown *shown, const char *word) {
  strcpy(shown->written, word);
  show_text(shown, shown->written, strlen(word));
}

static void show_real(struct shown *shown, int64_t bits) {
  memcpy(&shown->real, &bits, sizeof bits);
  shown->type = SQLITE_FLOAT;
  if (!isfinite(shown->real))
    show_constant(shown, isnan(shown->real) ? "NaN" : shown->real > 0 ? "Infinity" : "-Infinity");
}

/* `form` has quotes around it, which are JSON's. */
static void show_written(struct shown *shown, const char *form, int64_t word, bool is_quoted) {
  int length = snprintf(shown->written, sizeof shown->written, form, (long long)word);
  int quotes = is_quoted ? 0 : 1;
  show_text(shown, shown->written + quotes, (size_t)(length - 2 * quotes));
}

void cell_show(const struct texts *texts, struct cell cell, bool is_json, struct shown *shown) {
  shown->type = SQLITE_NULL;
  shown->whole = cell.word;
  switch (cell.kind) {
  case NULL_VALUE:
    if (is_json) show_constant(shown, "null");
    break;
  case BOOLEAN:
    if (is_json) show_constant(shown, cell.word ? "true" : "false");
    else shown->type = SQLITE_INTEGER;
    break;
  case WHOLE:
    if (is_json) show_written(shown, "\"%lld\"", cell.word, false);
    else shown->type = SQLITE_INTEGER;
    break;
  case REAL: show_real(shown, cell.word); break;
  case TEXT:
  case JSON:
    shown->type = SQLITE_TEXT;
    shown->text = texts->all[cell.word];
    break;
  case ADDRESS: show_written(shown, "\"0x%llx\"", cell.word, is_json); break;
  case SIGNED_DIGITS: show_written(shown, "\"%lld\"", cell.word, is_json); break;
  case UNSIGNED_DIGITS: show_written(shown, "\"%llu\"", cell.word, is_json); break;
  default: break;
  }
}

void cell_give(sqlite3_context *result, const struct texts *texts, struct cell cell, bool is_json) {
  struct shown shown;
  cell_show(texts, cell, is_json, &shown);
  bool is_kept = cell.kind == TEXT || cell.kind == JSON;
  if (shown.type == SQLITE_INTEGER) sqlite3_result_int64(result, shown.whole);
  else if (shown.type == SQLITE_FLOAT) sqlite3_result_double(result, shown.real);
  else if (shown.type == SQLITE_TEXT)
    sqlite3_result_text(result, shown.text.bytes, shown.text.length,
                        is_kept ? SQLITE_STATIC : SQLITE_TRANSIENT);
}

static int order_with_real(int64_t whole, double real) {
  if (real < -0x1p63) return 1;
  if (real >= 0x1p63) return -1;
  int64_t cut = (int64_t)real;
  if (whole != cut) return whole < cut ? -1 : 1;
  double rest = real - (double)cut;
  return (rest < 0) - (rest > 0);
}

static int order_shown_numbers(const struct shown *a, const struct shown *b) {
  if (a->type == SQLITE_INTEGER)
    return b->type == SQLITE_INTEGER ? (a->whole > b->whole) - (a->whole < b->whole)
                                     : order_with_real(a->whole, b->real);
  return b->type == SQLITE_INTEGER ? -order_with_real(b->whole, a->real)
                                   : (a->real > b->real) - (a->real < b->real);
}

int shown_order(const struct shown *a, const struct shown *b) {
  static const uint8_t classes[] = {
      [SQLITE_NULL] = 0, [SQLITE_INTEGER] = 1, [SQLITE_FLOAT] = 1, [SQLITE_TEXT] = 2};
  if (classes[a->type] != classes[b->type]) return classes[a->type] < classes[b->type] ? -1 : 1;
  if (a->type == SQLITE_NULL) return 0;
  return a->type == SQLITE_TEXT ? text_order(&a->text, &b->text) : order_shown_numbers(a, b);
}
