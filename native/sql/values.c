#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "computed.h"
#include "scan.h"

#define MOST_VALUE_BITS 18
#define MOST_VALUES (1u << MOST_VALUE_BITS)
/* Combinations that are evaluated, times of an expression that rises. */
#define MOST_EVALUATED (1u << 20)
#define NONE UINT32_MAX

/* What a row has that expressions read: which function, which thread, a stored number, or a value.
 */
enum source {
  BY_FUNCTION = NUMBER_COLUMNS,
  BY_THREAD,
  BY_VALUE,
  SOURCES = BY_VALUE + VALUE_COLUMNS
};

/* Numbers for what calls have in a column of values. */
struct cells {
  struct cell *all;
  uint32_t *slots;
  uint32_t count;
};

/* A part of what tells rows apart. */
struct field {
  enum source source;
  /* A column that reads it. */
  enum what what;
  unsigned shift;
  int64_t least;
  uint64_t most;
};

struct values {
  struct store *store;
  struct expression *expression;
  struct field fields[SOURCES];
  int field_count;
  struct cells cells[VALUE_COLUMNS];
  /* By what tells rows apart: the number of the value there; a power of two of them. */
  uint64_t *keys;
  uint32_t *numbers;
  uint32_t key_count, key_slots, evaluated;
  /* Numbers by hash. */
  uint32_t *slots;
  sqlite3_value **all;
  uint32_t *ranks;
  uint32_t count, most;
};

static enum source source_of(enum what what) {
  if (is_by_function(what)) return BY_FUNCTION;
  if (is_argument(what) || is_json(what)) return (enum source)(BY_VALUE + argument_index(what));
  return is_of_thread(what) ? BY_THREAD : (enum source)number_of(what).column;
}

/* A column that has all that is stored there. */
static enum what column_of(enum source source) {
  switch ((int)source) {
  case BY_FUNCTION: return FUNCTION_NAME;
  case BY_THREAD: return THREAD_ID;
  case DURATION: return CALL_DURATION;
  case DEPTH: return CALL_DEPTH;
  default: return CALL_END;
  }
}

/* SQLITE_TOOBIG: what tells rows apart has no room in a word. */
static int lay_out(struct store *store, const struct expression *expression, struct values *values,
                   unsigned *bits) {
  *bits = 0;
  for (int i = 0; i < expression->input_count; i++) {
    enum source source = source_of(expression->inputs[i]);
    bool isKnown = false;
    for (int j = 0; j < values->field_count; j++) isKnown |= values->fields[j].source == source;
    if (isKnown) continue;
    struct field *field = &values->fields[values->field_count++];
    *field = (struct field){.source = source, .what = expression->inputs[i], .shift = *bits};
    int code = SQLITE_OK;
    if (source >= BY_VALUE) field->most = MOST_VALUES - 1;
    else code = range_of_column(store, column_of(source), &field->least, &field->most);
    if (code != SQLITE_OK) return code;
    if (source == (enum source)END) field->most = END_MASK;
    *bits += bits_of(field->most);
    if (*bits >= 64) return SQLITE_TOOBIG;
  }
  return SQLITE_OK;
}

int computed_bits(struct store *store, enum what what, unsigned *bits) {
  const struct expression *expression = &store->computed[what - COMPUTED];
  if (expression->rises) {
    *bits = MOST_VALUE_BITS;
    return SQLITE_OK;
  }
  struct values values = {0};
  int code = lay_out(store, expression, &values, bits);
  if (*bits > MOST_VALUE_BITS) *bits = MOST_VALUE_BITS;
  return code;
}

static int grow(struct values *values) {
  uint32_t before = values->key_slots, slots = before ? before * 2 : 1024;
  uint64_t *keys = malloc(slots * sizeof *keys), *oldKeys = values->keys;
  uint32_t *numbers = malloc(slots * sizeof *numbers), *oldNumbers = values->numbers;
  if (!keys || !numbers) {
    free(keys);
    free(numbers);
    return SQLITE_NOMEM;
  }
  memset(numbers, 0xff, slots * sizeof *numbers);
  for (uint32_t i = 0; i < before; i++) {
    if (oldNumbers[i] == NONE) continue;
    uint32_t at = (uint32_t)hash_of(oldKeys[i]) & (slots - 1);
    while (numbers[at] != NONE) at = (at + 1) & (slots - 1);
    keys[at] = oldKeys[i];
    numbers[at] = oldNumbers[i];
  }
  free(oldKeys);
  free(oldNumbers);
  values->keys = keys;
  values->numbers = numbers;
  values->key_slots = slots;
  return SQLITE_OK;
}

int values_begin(struct store *store, enum what what, struct values **begun) {
  struct values *values = calloc(1, sizeof *values);
  *begun = values;
  if (!values) return SQLITE_NOMEM;
  values->store = store;
  values->expression = &store->computed[what - COMPUTED];
  unsigned bits = MOST_VALUE_BITS;
  int code =
      values->expression->rises ? SQLITE_OK : lay_out(store, values->expression, values, &bits);
  if (code != SQLITE_OK) return code;
  values->most = 1u << (bits < MOST_VALUE_BITS ? bits : MOST_VALUE_BITS);
  values->slots = malloc(2 * (size_t)values->most * sizeof *values->slots);
  values->all = malloc((size_t)values->most * sizeof *values->all);
  if (!values->slots || !values->all) return SQLITE_NOMEM;
  memset(values->slots, 0xff, 2 * (size_t)values->most * sizeof *values->slots);
  return grow(values);
}

void values_free(struct values *values) {
  if (!values) return;
  for (uint32_t i = 0; i < values->count; i++) sqlite3_value_free(values->all[i]);
  for (int i = 0; i < VALUE_COLUMNS; i++) {
    free(values->cells[i].all);
    free(values->cells[i].slots);
  }
  free(values->all);
  free(values->slots);
  free(values->keys);
  free(values->numbers);
  free(values->ranks);
  free(values);
}

/* The number of what a call has. SQLITE_TOOBIG: there is too much. */
static int number_cell(struct cells *cells, struct cell cell, int64_t *number) {
  if (!cells->slots) {
    cells->all = malloc(MOST_VALUES * sizeof *cells->all);
    cells->slots = malloc(2 * MOST_VALUES * sizeof *cells->slots);
    if (!cells->all || !cells->slots) return SQLITE_NOMEM;
    memset(cells->slots, 0xff, 2 * MOST_VALUES * sizeof *cells->slots);
  }
  uint32_t mask = 2 * MOST_VALUES - 1, here;
  uint32_t at = (uint32_t)hash_of((uint64_t)cell.word * 16 + cell.kind) & mask;
  for (; (here = cells->slots[at]) != NONE; at = (at + 1) & mask)
    if (cells->all[here].word == cell.word && cells->all[here].kind == cell.kind) break;
  if (here == NONE) {
    if (cells->count == MOST_VALUES) return SQLITE_TOOBIG;
    here = cells->slots[at] = cells->count++;
    cells->all[here] = cell;
  }
  *number = here;
  return SQLITE_OK;
}

static void bind_value(const struct values *values, int i, enum what what, struct cell cell) {
  sqlite3_stmt *statement = values->expression->statement;
  struct sql_value value;
  argument_value(values->store, what, cell, &value);
  if (value.type == SQLITE_INTEGER) sqlite3_bind_int64(statement, i, value.whole);
  else if (value.type == SQLITE_FLOAT) sqlite3_bind_double(statement, i, value.real);
  else if (value.type == SQLITE_TEXT)
    sqlite3_bind_text(statement, i, value.text, value.length, SQLITE_TRANSIENT);
  else sqlite3_bind_null(statement, i);
}

static void bind_input(const struct values *values, int i, const int64_t *row) {
  sqlite3_stmt *statement = values->expression->statement;
  enum what what = values->expression->inputs[i];
  enum source source = source_of(what);
  int64_t here = row[source];
  if (source >= BY_VALUE) {
    bind_value(values, i + 1, what, values->cells[source - BY_VALUE].all[here]);
    return;
  }
  const struct function *function = &values->store->functions[source == BY_FUNCTION ? here : 0];
  const struct thread *thread = &values->store->threads[source == BY_THREAD ? here : 0];
  if (is_of_function(what) || what == THREAD_NAME) {
    const struct text *text = text_of(what, function, thread);
    if (text->bytes) sqlite3_bind_text(statement, i + 1, text->bytes, text->length, SQLITE_STATIC);
    else sqlite3_bind_null(statement, i + 1);
    return;
  }
  if (what == CALL_END) {
    sqlite3_bind_text(statement, i + 1, end_name(here), -1, SQLITE_STATIC);
    return;
  }
  int64_t number = what == FUNCTION_LINE ? function->line
                   : what == THREAD_ID   ? thread->tid
                   : what == PROCESS_ID  ? thread->pid
                                         : divided(number_of(what), here);
  bool mayMiss = what == FUNCTION_LINE || source == (enum source)DURATION;
  if (mayMiss && number < 0) sqlite3_bind_null(statement, i + 1);
  else sqlite3_bind_int64(statement, i + 1, number);
}

static uint64_t hash_bytes(const uint8_t *bytes, int count) {
  uint64_t hash = 14695981039346656037u;
  for (int i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
  return hash_of(hash);
}

static uint64_t double_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t hash_value(sqlite3_value *value) {
  switch (sqlite3_value_type(value)) {
  case SQLITE_INTEGER: return hash_of((uint64_t)sqlite3_value_int64(value));
  case SQLITE_FLOAT: return hash_of(double_bits(sqlite3_value_double(value)) + 1);
  case SQLITE_NULL: return 0;
  default: return hash_bytes(sqlite3_value_blob(value), sqlite3_value_bytes(value));
  }
}

static int type_rank(int type) {
  return type == SQLITE_NULL ? 0 : type == SQLITE_TEXT ? 2 : type == SQLITE_BLOB ? 3 : 1;
}

/* As SQLite compares them. A long double has every int64_t, and every double. */
static int compare(sqlite3_value *a, sqlite3_value *b) {
  int type = sqlite3_value_type(a), other = sqlite3_value_type(b);
  if (type_rank(type) != type_rank(other)) return type_rank(type) < type_rank(other) ? -1 : 1;
  if (type_rank(type) == 0) return 0;
  if (type_rank(type) == 1) {
    long double one = type == SQLITE_INTEGER ? (long double)sqlite3_value_int64(a)
                                             : (long double)sqlite3_value_double(a);
    long double two = other == SQLITE_INTEGER ? (long double)sqlite3_value_int64(b)
                                              : (long double)sqlite3_value_double(b);
    return (one > two) - (one < two);
  }
  int length = sqlite3_value_bytes(a), otherLength = sqlite3_value_bytes(b);
  int shorter = length < otherLength ? length : otherLength;
  int order = shorter ? memcmp(sqlite3_value_blob(a), sqlite3_value_blob(b), (size_t)shorter) : 0;
  return order ? order : (length > otherLength) - (length < otherLength);
}

/* Its number. SQLITE_TOOBIG: there are too many. */
static int number_value(struct values *values, sqlite3_value *value, uint32_t *number) {
  uint32_t mask = 2 * values->most - 1, at = (uint32_t)hash_value(value) & mask;
  for (; (*number = values->slots[at]) != NONE; at = (at + 1) & mask) {
    sqlite3_value *known = values->all[*number];
    if (sqlite3_value_type(known) == sqlite3_value_type(value) && compare(known, value) == 0)
      return SQLITE_OK;
  }
  if (values->count == values->most) return SQLITE_TOOBIG;
  sqlite3_value *kept = sqlite3_value_dup(value);
  if (!kept) return SQLITE_NOMEM;
  *number = values->slots[at] = values->count;
  values->all[values->count++] = kept;
  return SQLITE_OK;
}

/* `row`: what it has, by source. */
static int evaluate(struct values *values, const int64_t *row, uint32_t *number) {
  struct expression *expression = values->expression;
  if (++values->evaluated > MOST_EVALUATED) return SQLITE_TOOBIG;
  int code = store_statement(values->store, &expression->statement, expression->sql);
  if (code != SQLITE_OK) return code;
  for (int i = 0; i < expression->input_count; i++) bind_input(values, i, row);
  code = sqlite3_step(expression->statement);
  if (code == SQLITE_ROW)
    code = number_value(values, sqlite3_column_value(expression->statement, 0), number);
  int ended = sqlite3_reset(expression->statement);
  return code == SQLITE_OK ? ended : code;
}

static int find(struct values *values, uint64_t key, const int64_t *row, uint32_t *number) {
  uint32_t mask = values->key_slots - 1, at = (uint32_t)hash_of(key) & mask;
  for (; (*number = values->numbers[at]) != NONE; at = (at + 1) & mask)
    if (values->keys[at] == key) return SQLITE_OK;
  int code = evaluate(values, row, number);
  if (code != SQLITE_OK) return code;
  values->keys[at] = key;
  values->numbers[at] = *number;
  return ++values->key_count * 2 > values->key_slots ? grow(values) : SQLITE_OK;
}

static uint32_t row_at(const struct scan *scan, uint32_t i) {
  return scan->rows ? scan->rows[i] : scan->base + i;
}

static int read_columns(struct scan *scan, const struct values *values, const int64_t **columns) {
  for (int i = 0; i < values->field_count; i++) {
    enum source source = values->fields[i].source;
    if (source == BY_THREAD || source >= BY_VALUE) continue;
    enum number_column column = source == BY_FUNCTION ? ENTRY : (enum number_column)source;
    int code = store_numbers(scan->store, scan->block, column, &columns[i]);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

/* What a row has, of the columns that were read. */
static int read_field(struct scan *scan, struct values *values, const struct field *field,
                      const int64_t *column, uint32_t row, int64_t *here) {
  struct block *block = scan->block;
  if (field->source >= BY_VALUE) {
    int of = field->source - BY_VALUE;
    struct cell cell;
    int code = argument_cell(scan->store, field->what, block, row, &cell);
    return code == SQLITE_OK ? number_cell(&values->cells[of], cell, here) : code;
  }
  if (field->source == BY_THREAD) return SQLITE_OK;
  *here = column[row];
  if (field->source == BY_FUNCTION) {
    if ((uint64_t)*here >= block->entries) return SQLITE_CORRUPT_VTAB;
    *here = block->entry_function[*here];
  }
  if (field->source == (enum source)END) *here &= END_MASK;
  return SQLITE_OK;
}

static int add_any(struct scan *scan, struct values *values, unsigned shift, uint64_t *words) {
  const struct block *block = scan->block;
  const int64_t *columns[SOURCES];
  int64_t row[SOURCES] = {[BY_THREAD] = block->thread - scan->store->threads};
  int code = read_columns(scan, values, columns);
  uint64_t last = 0;
  uint32_t number = NONE;
  for (uint32_t i = 0; code == SQLITE_OK && i < scan->row_count; i++) {
    uint64_t key = 0;
    for (int j = 0; j < values->field_count; j++) {
      const struct field *field = &values->fields[j];
      code = read_field(scan, values, field, columns[j], row_at(scan, i), &row[field->source]);
      if (code != SQLITE_OK) return code;
      uint64_t value = (uint64_t)row[field->source] - (uint64_t)field->least;
      if (value > field->most) return SQLITE_CORRUPT_VTAB;
      key |= value << field->shift;
    }
    if (number == NONE || key != last) code = find(values, key, row, &number);
    last = key;
    words[i] |= (uint64_t)number << shift;
  }
  return code;
}

/* Rows of a block are in the order of their starts: where two have the same value, all between them
 * have. */
struct rise {
  struct scan *scan;
  struct values *values;
  const int64_t *start;
  uint64_t *words;
  unsigned shift;
};

static int at_start(const struct rise *rise, uint32_t i, uint32_t *number) {
  int64_t row[SOURCES] = {[START] = rise->start[row_at(rise->scan, i)]};
  return evaluate(rise->values, row, number);
}

/* The rows in [from, to], of which the outer ones are known. */
static int add_between(const struct rise *rise, uint32_t from, uint32_t low, uint32_t to,
                       uint32_t high) {
  if (low == high)
    for (uint32_t i = from; i <= to; i++) rise->words[i] |= (uint64_t)low << rise->shift;
  else if (to - from == 1) {
    rise->words[from] |= (uint64_t)low << rise->shift;
    rise->words[to] |= (uint64_t)high << rise->shift;
  } else {
    uint32_t middle = from + (to - from) / 2, number;
    int code = at_start(rise, middle, &number);
    if (code == SQLITE_OK) code = add_between(rise, from, low, middle, number);
    /* The middle one again: the same number. */
    return code == SQLITE_OK ? add_between(rise, middle, number, to, high) : code;
  }
  return SQLITE_OK;
}

static int add_rising(struct scan *scan, struct values *values, unsigned shift, uint64_t *words) {
  struct rise rise = {scan, values, NULL, words, shift};
  int code = store_numbers(scan->store, scan->block, START, &rise.start);
  uint32_t low, high, last = scan->row_count - 1;
  if (code == SQLITE_OK) code = at_start(&rise, 0, &low);
  if (code == SQLITE_OK) code = at_start(&rise, last, &high);
  return code == SQLITE_OK ? add_between(&rise, 0, low, last, high) : code;
}

int values_add(struct scan *scan, struct values *values, unsigned shift, uint64_t *words) {
  return values->expression->rises ? add_rising(scan, values, shift, words)
                                   : add_any(scan, values, shift, words);
}

static int compare_numbers(const void *a, const void *b, void *all) {
  sqlite3_value **values = all;
  return compare(values[*(const uint32_t *)a], values[*(const uint32_t *)b]);
}

int values_rank(struct values *values, const uint32_t **ranks) {
  uint32_t count = values->count;
  uint32_t *sorted = malloc(((size_t)count + 1) * sizeof *sorted);
  sqlite3_value **inOrder = malloc((size_t)values->most * sizeof *inOrder);
  values->ranks = malloc(((size_t)count + 1) * sizeof *values->ranks);
  int code = sorted && inOrder && values->ranks ? SQLITE_OK : SQLITE_NOMEM;
  for (uint32_t i = 0; code == SQLITE_OK && i < count; i++) sorted[i] = i;
  if (code == SQLITE_OK) qsort_r(sorted, count, sizeof *sorted, compare_numbers, values->all);
  for (uint32_t i = 0; code == SQLITE_OK && i < count; i++) {
    inOrder[i] = values->all[sorted[i]];
    values->ranks[sorted[i]] = i;
    /* 1 and 1.0 are one group, but SQLite alone knows which of them it shows. */
    if (i > 0 && compare(inOrder[i - 1], inOrder[i]) == 0) code = SQLITE_MISMATCH;
  }
  free(sorted);
  if (code != SQLITE_OK) free(inOrder);
  else {
    free(values->all);
    values->all = inOrder;
  }
  *ranks = values->ranks;
  return code;
}

sqlite3_value *values_at(const struct values *values, uint64_t rank) { return values->all[rank]; }
