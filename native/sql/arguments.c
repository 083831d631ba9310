#include "arguments.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "places.h"
#include "scan.h"

/* Those that a statement defines come before. */
#define ALL_ARGUMENTS (VALUE_COLUMNS - 2)
#define RETURNED (VALUE_COLUMNS - 1)
#define MOST_NAME 256
/* Words of functions whose meaning is remembered. */
#define MOST_MEANINGS (1u << 20)

/* What a word means in a function. */
struct meaning {
  uint64_t word;
  uint32_t function;
  struct cell cell;
};

struct argument {
  /* NULL: it is not defined. */
  char *path;
  bool is_return;
  /* By number of the function. */
  struct place *places;
  /* A power of two of them; `cell.kind` is BY_WORD where none is. */
  struct meaning *meanings;
  uint32_t meaning_count, meaning_slots;
};

struct arguments {
  struct argument all[VALUE_COLUMNS];
  struct texts texts;
  /* Captured bytes that stand for values. */
  struct texts captured;
};

static struct argument *argument_of(const struct store *store, enum what what) {
  return &store->arguments->all[argument_index(what)];
}

static void forget(struct argument *argument) {
  sqlite3_free(argument->path);
  free(argument->places);
  free(argument->meanings);
  *argument = (struct argument){0};
}

void arguments_free(struct store *store) {
  if (!store->arguments) return;
  for (int i = 0; i < VALUE_COLUMNS; i++) forget(&store->arguments->all[i]);
  texts_free(&store->arguments->texts);
  texts_free(&store->arguments->captured);
  free(store->arguments);
  store->arguments = NULL;
}

static int make_arguments(struct store *store) {
  if (store->arguments) return SQLITE_OK;
  store->arguments = calloc(1, sizeof *store->arguments);
  if (!store->arguments) return SQLITE_NOMEM;
  for (int i = ALL_ARGUMENTS; i <= RETURNED; i++) {
    struct argument *whole = &store->arguments->all[i];
    whole->is_return = i == RETURNED;
    whole->path = sqlite3_mprintf("$");
    if (!whole->path) return SQLITE_NOMEM;
  }
  return SQLITE_OK;
}

static void define(sqlite3_context *result, int count, sqlite3_value **words) {
  (void)count;
  struct store *store = sqlite3_user_data(result);
  int column = sqlite3_value_int(words[0]);
  const char *what = (const char *)sqlite3_value_text(words[1]);
  const char *path = (const char *)sqlite3_value_text(words[2]);
  bool isKnown = column >= 0 && column < ALL_ARGUMENTS && what && path && *path == '$';
  if (!isKnown || make_arguments(store) != SQLITE_OK) {
    sqlite3_result_error(result, "it is no column of values", -1);
    return;
  }
  struct argument *argument = &store->arguments->all[column];
  forget(argument);
  store_drop_values(store, column);
  argument->is_return = strcmp(what, "return_value") == 0;
  argument->path = sqlite3_mprintf("%s", path);
}

int arguments_define(struct store *store, sqlite3 *db) {
  return sqlite3_create_function_v2(db, "strobe_argument", 3, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                    store, define, NULL, NULL, NULL);
}

/* Asks where the value lies in what is captured of a function. */
static int find_place(struct store *store, const struct argument *argument, uint32_t function) {
  const char *path = argument->path;
  int code = store_statement(store, &store->place, "SELECT strobe_place(?, ?, ?)");
  if (code != SQLITE_OK) return code;
  sqlite3_bind_int64(store->place, 1, function);
  sqlite3_bind_int(store->place, 2, argument->is_return);
  sqlite3_bind_text(store->place, 3, path, -1, SQLITE_STATIC);
  if (sqlite3_step(store->place) == SQLITE_ROW) {
    const char *written = (const char *)sqlite3_column_text(store->place, 0);
    argument->places[function] = place_read(written ? written : "?");
  }
  return sqlite3_reset(store->place);
}

static int place_in(struct store *store, struct argument *argument, uint32_t function,
                    const struct place **place) {
  if (!argument->places) {
    argument->places = calloc((size_t)store->function_count + 1, sizeof *argument->places);
    if (!argument->places) return SQLITE_NOMEM;
  }
  *place = &argument->places[function];
  return (*place)->form == NOT_ASKED ? find_place(store, argument, function) : SQLITE_OK;
}

/* What the call itself is said to have. */
static int ask(struct store *store, const struct argument *argument, const struct block *block,
               uint32_t row, struct cell *cell) {
  bool isWhole = argument - store->arguments->all >= ALL_ARGUMENTS;
  int code =
      store_statement(store, &store->extract, "SELECT json_extract(strobe_value(?, ?, ?), ?)");
  if (code == SQLITE_OK)
    code = store_statement(store, &store->value, "SELECT strobe_value(?, ?, ?)");
  if (code != SQLITE_OK) return code;
  sqlite3_stmt *asked = isWhole ? store->value : store->extract;
  sqlite3_bind_text(asked, 1, argument->is_return ? "return_value" : "arguments", -1,
                    SQLITE_STATIC);
  sqlite3_bind_int64(asked, 2, block->thread_key);
  sqlite3_bind_int64(asked, 3, block->first + row);
  if (!isWhole) sqlite3_bind_text(asked, 4, argument->path, -1, SQLITE_STATIC);
  *cell = (struct cell){NOTHING, 0};
  if (sqlite3_step(asked) == SQLITE_ROW) {
    double real;
    uint32_t number;
    switch (sqlite3_column_type(asked, 0)) {
    case SQLITE_INTEGER: *cell = (struct cell){WHOLE, sqlite3_column_int64(asked, 0)}; break;
    case SQLITE_FLOAT:
      real = sqlite3_column_double(asked, 0);
      cell->kind = REAL;
      memcpy(&cell->word, &real, sizeof real);
      break;
    case SQLITE_TEXT: {
      const void *text = sqlite3_column_text(asked, 0);
      size_t length = (size_t)sqlite3_column_bytes(asked, 0);
      code = texts_number(&store->arguments->texts, text, length, &number);
      *cell = (struct cell){isWhole ? JSON : TEXT, number};
    }
    }
  }
  int ended = sqlite3_reset(asked);
  return code == SQLITE_OK ? ended : code;
}

static bool more_meanings(struct argument *argument) {
  uint32_t before = argument->meaning_slots, slots = before ? before * 2 : 256;
  struct meaning *old = argument->meanings, *all = malloc(slots * sizeof *all);
  if (!all) return false;
  for (uint32_t i = 0; i < slots; i++) all[i].cell.kind = BY_WORD;
  for (uint32_t i = 0; i < before; i++) {
    if (old[i].cell.kind == BY_WORD) continue;
    uint64_t at = hash_of(old[i].word ^ hash_of(old[i].function)) & (slots - 1);
    while (all[at].cell.kind != BY_WORD) at = (at + 1) & (slots - 1);
    all[at] = old[i];
  }
  free(old);
  argument->meanings = all;
  argument->meaning_slots = slots;
  return true;
}

/* Where the meaning of a word is, or has its place. */
static struct meaning *meaning_of(const struct argument *argument, uint32_t function,
                                  uint64_t word) {
  uint64_t at = hash_of(word ^ hash_of(function));
  for (;; at++) {
    struct meaning *meaning = &argument->meanings[at & (argument->meaning_slots - 1)];
    if (meaning->cell.kind == BY_WORD || (meaning->word == word && meaning->function == function))
      return meaning;
  }
}

/* What is known of a word, or the word. */
static struct cell known(const struct argument *argument, uint32_t function, struct cell cell) {
  if (cell.kind != BY_WORD || !argument->meanings) return cell;
  const struct meaning *meaning = meaning_of(argument, function, (uint64_t)cell.word);
  return meaning->cell.kind == BY_WORD ? cell : meaning->cell;
}

/* Of a word that this call has. */
static int find_meaning(struct store *store, struct argument *argument, struct block *block,
                        uint32_t row, struct cell *cell) {
  const int64_t *entries;
  int code = store_numbers(store, block, ENTRY, &entries);
  if (code != SQLITE_OK) return code;
  if ((uint64_t)entries[row] >= block->entries) return SQLITE_CORRUPT_VTAB;
  uint32_t function = block->entry_function[entries[row]];
  uint64_t word = (uint64_t)cell->word;
  if (argument->meaning_count * 2 >= argument->meaning_slots && !more_meanings(argument))
    return SQLITE_NOMEM;
  struct meaning *meaning = meaning_of(argument, function, word);
  if (meaning->cell.kind != BY_WORD) {
    *cell = meaning->cell;
    return SQLITE_OK;
  }
  code = ask(store, argument, block, row, cell);
  if (code != SQLITE_OK || argument->meaning_count == MOST_MEANINGS) return code;
  *meaning = (struct meaning){word, function, *cell};
  argument->meaning_count++;
  return SQLITE_OK;
}

/* Fills one column of a block. */
struct filling {
  struct store *store;
  struct argument *argument;
  struct block *block;
  int64_t *words;
  uint8_t *kinds;
  uint32_t low[MOST_CALLS], high[MOST_CALLS];
  uint8_t ends[MOST_CALLS];
};

static void put(struct filling *filling, const struct captured *captured, uint32_t i,
                struct cell cell) {
  uint16_t row = captured->rows[i];
  cell = known(filling->argument, filling->block->entry_function[captured->entry], cell);
  filling->kinds[row] = (uint8_t)cell.kind;
  filling->words[row] = cell.word;
}

static int fill_fixed(struct filling *filling, const struct place *place,
                      const struct captured *captured) {
  uint32_t word = 2u * place->before;
  bool isThere = word + 2 <= captured->words;
  if (isThere) {
    captured_column(captured, word, filling->low);
    captured_column(captured, word + 1, filling->high);
  }
  for (uint32_t i = 0; i < captured->calls; i++) {
    struct cell cell = {NOTHING, 0};
    if (isThere) cell = place_number(place->form, filling->low[i], filling->high[i]);
    put(filling, captured, i, cell);
  }
  return SQLITE_OK;
}

/* What is captured stands for the value: it is asked for once. */
static int fill_any(struct filling *filling, const struct captured *captured) {
  int code = SQLITE_OK;
  for (uint32_t i = 0; code == SQLITE_OK && i < captured->calls; i++) {
    uint32_t number;
    if (captured->words > MOST_CALLS) return SQLITE_OK;
    for (uint32_t word = 0; word < captured->words; word++)
      filling->low[word] = captured_word(captured, word, i);
    code = texts_number(&filling->store->arguments->captured, filling->low,
                        (size_t)captured->words * 4, &number);
    if (code == SQLITE_OK) put(filling, captured, i, (struct cell){BY_WORD, number});
  }
  /* The others are asked for one by one. */
  return code == SQLITE_TOOBIG ? SQLITE_OK : code;
}

static int fill(void *taker, const struct captured *captured) {
  struct filling *filling = taker;
  const struct place *place;
  int code = place_in(filling->store, filling->argument,
                      filling->block->entry_function[captured->entry], &place);
  if (code != SQLITE_OK || place->form == NO_VALUE || place->form == ONE_VALUE) return code;
  if (place->form == ANY_VALUE) return fill_any(filling, captured);
  if (place_is_fixed(place)) return fill_fixed(filling, place, captured);
  for (uint32_t i = 0; code == SQLITE_OK && i < captured->calls; i++) {
    struct cell cell = {NOTHING, 0};
    code = place_cell(place, captured, i, &filling->store->arguments->texts, &cell);
    put(filling, captured, i, cell);
  }
  return code;
}

/* What is not in the captures. Answers whether these are read. */
static int fill_other(struct filling *filling, const uint16_t *posting, bool *isRead) {
  const struct block *block = filling->block;
  for (uint32_t entry = 0; entry < block->entries; entry++) {
    const struct place *place;
    int code = place_in(filling->store, filling->argument, block->entry_function[entry], &place);
    if (code != SQLITE_OK) return code;
    *isRead |= place->form != NO_VALUE && place->form != ONE_VALUE;
    uint8_t kind = place->form == ONE_VALUE   ? BY_WORD
                   : place->form == ANY_VALUE ? BY_CALL
                                              : NOTHING;
    const uint16_t *rows = posting + block->entry_from[entry];
    for (uint32_t i = 0; kind != NOTHING && i < block->entry_calls[entry]; i++)
      filling->kinds[rows[i]] = kind;
  }
  return SQLITE_OK;
}

/* The dictionary entry of one call, where the column is not needed for more. */
static int entry_of(struct store *store, const struct block *block, uint32_t row, uint32_t *entry) {
  const uint8_t *data;
  size_t size, width = (size_t)(block->widths[ENTRY] - '0');
  uint64_t stored = 0;
  int code = store_column(store, block, ENTRY, &data, &size);
  if (code == SQLITE_OK && (width > 4 || size < (row + 1) * width)) code = SQLITE_CORRUPT_VTAB;
  if (code == SQLITE_OK) memcpy(&stored, data + row * width, width);
  sqlite3_reset(store->column);
  *entry = (uint32_t)stored;
  return code == SQLITE_OK && stored >= block->entries ? SQLITE_CORRUPT_VTAB : code;
}

/* Ends that came after the block was written, and results with them. */
static int fill_late(struct filling *filling) {
  struct store *store = filling->store;
  const struct block *block = filling->block;
  int code = store_late(store, block);
  while (code == SQLITE_OK && sqlite3_step(store->late) == SQLITE_ROW) {
    uint16_t row = (uint16_t)(sqlite3_column_int64(store->late, 0) - block->first);
    filling->ends[row] = (uint8_t)sqlite3_column_int64(store->late, 3);
    struct captured captured = {.calls = 1, .rows = &row};
    captured.data = sqlite3_column_blob(store->late, 4);
    captured.words = (uint32_t)sqlite3_column_bytes(store->late, 4) / 4;
    if (captured.words == 0) continue;
    code = entry_of(store, block, row, &captured.entry);
    if (code == SQLITE_OK) code = fill(filling, &captured);
  }
  int ended = sqlite3_reset(store->late);
  return code == SQLITE_OK ? ended : code;
}

/* A call that did not return has no result. */
static int leave_returned(struct filling *filling) {
  struct store *store = filling->store;
  const struct block *block = filling->block;
  const uint8_t *ends;
  size_t size;
  int code = store_column(store, block, END, &ends, &size);
  if (code == SQLITE_OK && (block->widths[END] != '1' || size < block->calls))
    code = SQLITE_CORRUPT_VTAB;
  if (code == SQLITE_OK) memcpy(filling->ends, ends, block->calls);
  sqlite3_reset(store->column);
  if (code == SQLITE_OK && block->open > 0) code = fill_late(filling);
  for (uint32_t row = 0; code == SQLITE_OK && row < block->calls; row++)
    if (!end_is_returned(filling->ends[row])) filling->kinds[row] = NOTHING;
  return code;
}

static int fill_column(struct store *store, struct argument *argument, struct block *block,
                       int64_t *words) {
  struct filling *filling = malloc(sizeof *filling);
  if (!filling) return SQLITE_NOMEM;
  filling->store = store;
  filling->argument = argument;
  filling->block = block;
  filling->words = words;
  filling->kinds = (uint8_t *)(words + block->calls);
  memset(words, 0, block->calls * VALUE_BYTES);
  const uint16_t *posting;
  bool isRead = false;
  int code = store_posting(store, block, &posting);
  if (code == SQLITE_OK) code = fill_other(filling, posting, &isRead);
  if (code == SQLITE_OK && isRead)
    code = captures_read(store, block, argument->is_return, fill, filling);
  if (code == SQLITE_OK && argument->is_return) code = leave_returned(filling);
  free(filling);
  return code;
}

/* A result that takes more than digits, once as JSON; false: it is to be asked. */
static bool write_json(struct store *store, struct cell *cell) {
  uint32_t number;
  int code = json_write(&store->arguments->texts, *cell, &number);
  if (code == SQLITE_OK) *cell = (struct cell){JSON, number};
  return code == SQLITE_OK;
}

int argument_cell(struct store *store, enum what what, struct block *block, uint32_t row,
                  struct cell *cell) {
  int code = make_arguments(store);
  if (code != SQLITE_OK) return code;
  struct argument *argument = argument_of(store, what);
  if (!argument->path) return SQLITE_MISUSE;
  int64_t **words = &block->values[argument_index(what)];
  if (!*words) {
    int64_t *made = store_column_memory(store, block->calls * VALUE_BYTES);
    *words = made;
    code = made ? fill_column(store, argument, block, made) : SQLITE_NOMEM;
    if (code != SQLITE_OK) {
      store_drop_values(store, argument_index(what));
      return code;
    }
  }
  uint8_t *kind = (uint8_t *)(*words + block->calls) + row;
  *cell = (struct cell){*kind, (*words)[row]};
  bool isWritten = !is_json(what) || !(*kind == REAL || *kind == TEXT);
  if (*kind < BY_WORD && isWritten) return SQLITE_OK;
  if (*kind == BY_WORD) code = find_meaning(store, argument, block, row, cell);
  else if (*kind == BY_CALL || !write_json(store, cell))
    code = ask(store, argument, block, row, cell);
  if (code != SQLITE_OK) return code;
  *kind = (uint8_t)cell->kind;
  (*words)[row] = cell->word;
  return SQLITE_OK;
}

void argument_value(const struct store *store, enum what what, struct cell cell,
                    struct sql_value *value) {
  const struct texts *texts = &store->arguments->texts;
  if (is_json(what)) json_written(texts, cell, value);
  else json_extracted(texts, cell, value);
}

static void give(sqlite3_context *result, const struct sql_value *value) {
  switch (value->type) {
  case SQLITE_INTEGER: sqlite3_result_int64(result, value->whole); break;
  case SQLITE_FLOAT: sqlite3_result_double(result, value->real); break;
  case SQLITE_TEXT:
    sqlite3_result_text(result, value->text, value->length,
                        value->text == value->room ? SQLITE_TRANSIENT : SQLITE_STATIC);
    break;
  default: break;
  }
}

int argument_give(sqlite3_context *result, struct scan *scan, enum what what) {
  struct cell cell;
  int code = argument_cell(scan->store, what, scan->block, scan_row(scan), &cell);
  if (code != SQLITE_OK) return code;
  struct sql_value value;
  argument_value(scan->store, what, cell, &value);
  bool isNumber = value.type != SQLITE_TEXT && cell.kind != BOOLEAN && cell.kind != NULL_VALUE;
  /* Sums take JSON that is no number for 0. */
  if (what == RETURN_NUMBER && !isNumber && cell.kind != JSON)
    sqlite3_result_text(result, "no number", -1, SQLITE_STATIC);
  else give(result, &value);
  return SQLITE_OK;
}
