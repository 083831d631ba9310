#include "cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void give_real(sqlite3_context *result, int64_t bits) {
  double real;
  memcpy(&real, &bits, sizeof real);
  const char *word = isnan(real) ? "NaN" : real > 0 ? "Infinity" : "-Infinity";
  if (isfinite(real)) sqlite3_result_double(result, real);
  else sqlite3_result_text(result, word, -1, SQLITE_STATIC);
}

static void give_known(sqlite3_context *result, const struct text *text) {
  sqlite3_result_text(result, text->bytes, text->length, SQLITE_STATIC);
}

/* `form` has quotes around it, which are JSON's. */
static void give_written(sqlite3_context *result, const char *form, int64_t word, bool is_quoted) {
  char text[40];
  int length = snprintf(text, sizeof text, form, (long long)word), quotes = is_quoted ? 0 : 1;
  sqlite3_result_text(result, text + quotes, length - 2 * quotes, SQLITE_TRANSIENT);
}

void cell_give(sqlite3_context *result, const struct texts *texts, struct cell cell, bool is_json) {
  switch (cell.kind) {
  case NULL_VALUE:
    if (is_json) sqlite3_result_text(result, "null", 4, SQLITE_STATIC);
    break;
  case BOOLEAN:
    if (is_json) sqlite3_result_text(result, cell.word ? "true" : "false", -1, SQLITE_STATIC);
    else sqlite3_result_int64(result, cell.word);
    break;
  case WHOLE:
    if (is_json) give_written(result, "\"%lld\"", cell.word, false);
    else sqlite3_result_int64(result, cell.word);
    break;
  case REAL: give_real(result, cell.word); break;
  case TEXT:
  case JSON: give_known(result, &texts->all[cell.word]); break;
  case ADDRESS: give_written(result, "\"0x%llx\"", cell.word, is_json); break;
  case SIGNED_DIGITS: give_written(result, "\"%lld\"", cell.word, is_json); break;
  case UNSIGNED_DIGITS: give_written(result, "\"%llu\"", cell.word, is_json); break;
  default: break;
  }
}
