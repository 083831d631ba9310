#define _GNU_SOURCE
#include "tuples.h"

#include <stdlib.h>
#include <string.h>

void tuples_begin(struct tuples *tuples, struct arguments *arguments, const struct order *order) {
  *tuples = (struct tuples){.arguments = arguments};
  for (int i = 0; i < order->count; i++) {
    int column = value_column(order->by[i]);
    if (column < 0) continue;
    tuples->descends[tuples->count] = order->descends[i];
    tuples->columns[tuples->count++] = column;
  }
}

int tuples_number(struct tuples *tuples, struct block *block, uint32_t row, uint32_t *number) {
  int64_t key[MOST_ORDERS][2];
  for (int i = 0; i < tuples->count; i++) {
    struct cell cell;
    int code = argument_cell(tuples->arguments, tuples->columns[i], block, row, &cell);
    if (code != SQLITE_OK) return code;
    key[i][0] = cell.word;
    key[i][1] = cell.kind;
  }
  int code = texts_number(&tuples->keys, key, (size_t)tuples->count * sizeof *key, number);
  return code == SQLITE_OK && *number >= MOST_TUPLES ? SQLITE_TOOBIG : code;
}

/* What SQL has of a column in a tuple. */
static void shown_in(const struct tuples *tuples, uint32_t number, int i, struct shown *shown) {
  int64_t key[2];
  memcpy(key, tuples->keys.all[number].bytes + (size_t)i * sizeof key, sizeof key);
  cell_show(&tuples->arguments->texts, (struct cell){(enum cell_kind)key[1], key[0]},
            tuples->columns[i] >= ALL_ARGUMENTS, shown);
}

/* `differ`: equal ones are 1 and 1.0, or 0.0 and -0.0. */
static int order_tuples(const struct tuples *tuples, uint32_t a, uint32_t b, bool *differ) {
  for (int i = 0; i < tuples->count; i++) {
    struct shown one, other;
    shown_in(tuples, a, i, &one);
    shown_in(tuples, b, i, &other);
    int order = shown_order(&one, &other);
    if (order) return tuples->descends[i] ? -order : order;
    *differ |= one.type != other.type ||
               (one.type == SQLITE_FLOAT && memcmp(&one.real, &other.real, sizeof one.real) != 0);
  }
  return 0;
}

static int order_numbers(const void *a, const void *b, void *tuples) {
  uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
  bool differ;
  return order_tuples(tuples, one, other, &differ);
}

/* What is written as text is kept, so that no row needs it written. */
static int keep_cells(struct tuples *tuples, uint32_t number, struct cell *cells) {
  for (int i = 0; i < tuples->count; i++) {
    struct shown shown;
    shown_in(tuples, number, i, &shown);
    cells[i] = (struct cell){shown.type == SQLITE_NULL ? NOTHING : WHOLE, shown.whole};
    if (shown.type == SQLITE_FLOAT) {
      cells[i].kind = REAL;
      memcpy(&cells[i].word, &shown.real, sizeof shown.real);
    }
    if (shown.type != SQLITE_TEXT) continue;
    uint32_t text;
    int code =
        texts_number(&tuples->arguments->texts, shown.text.bytes, (size_t)shown.text.length, &text);
    if (code != SQLITE_OK) return code;
    cells[i] = (struct cell){TEXT, text};
  }
  return SQLITE_OK;
}

int tuples_rank(struct tuples *tuples) {
  uint32_t count = tuples->keys.count, place = 0;
  uint32_t *sorted = malloc(((size_t)count + 1) * sizeof *sorted);
  tuples->ranks = malloc(((size_t)count + 1) * sizeof *tuples->ranks);
  tuples->cells = malloc(((size_t)count + 1) * (size_t)tuples->count * sizeof *tuples->cells);
  int code = sorted && tuples->ranks && tuples->cells ? SQLITE_OK : SQLITE_NOMEM;
  for (uint32_t i = 0; code == SQLITE_OK && i < count; i++) sorted[i] = i;
  if (code == SQLITE_OK) qsort_r(sorted, count, sizeof *sorted, order_numbers, tuples);
  for (uint32_t i = 0; code == SQLITE_OK && i < count; i++) {
    bool differ = false;
    if (i > 0 && order_tuples(tuples, sorted[i - 1], sorted[i], &differ)) place++;
    else if (differ) code = SQLITE_TOOBIG;
    tuples->ranks[sorted[i]] = place;
    if (code == SQLITE_OK)
      code = keep_cells(tuples, sorted[i], tuples->cells + (size_t)place * (size_t)tuples->count);
  }
  free(sorted);
  return code;
}

void tuples_end(struct tuples *tuples) {
  texts_free(&tuples->keys);
  free(tuples->ranks);
  free(tuples->cells);
}

bool tuples_give(const struct tuples *tuples, uint64_t rank, enum what what,
                 sqlite3_context *result) {
  int column = value_column(what);
  for (int i = 0; i < tuples->count; i++) {
    if (tuples->columns[i] != column) continue;
    cell_give(result, &tuples->arguments->texts,
              tuples->cells[rank * (uint64_t)tuples->count + (uint64_t)i], false);
    return true;
  }
  return false;
}
