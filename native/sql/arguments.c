#include "arguments.h"

#include <stdlib.h>
#include <string.h>

#include "places.h"

/* Words whose meaning is remembered. */
#define MOST_MEANINGS (1u << 20)
/* Functions that appeared at run time have numbers from here on (src/model/eventColumns.ts). */
#define FIRST_LOCAL 65536

struct argument {
  /* NULL: it is not defined. */
  char *path;
  bool is_return;
  /* By number of the function. */
  struct place *places;
  /* What words mean: functions with words, and by their numbers what is there. */
  struct texts words;
  struct cell *meanings;
  uint32_t meaning_count, meaning_room;
};

static bool is_json(const struct arguments *arguments, const struct argument *argument) {
  return argument - arguments->all >= ALL_ARGUMENTS;
}

static void forget(struct argument *argument) {
  sqlite3_free(argument->path);
  free(argument->places);
  texts_free(&argument->words);
  free(argument->meanings);
  *argument = (struct argument){0};
}

void arguments_rest(struct arguments *arguments) {
  sqlite3_finalize(arguments->value);
  sqlite3_finalize(arguments->extract);
  sqlite3_finalize(arguments->place);
  arguments->value = arguments->extract = arguments->place = NULL;
}

void arguments_free(struct arguments *arguments) {
  for (int i = 0; arguments->all && i < VALUE_COLUMNS; i++) forget(&arguments->all[i]);
  free(arguments->all);
  texts_free(&arguments->texts);
  texts_free(&arguments->captured);
}

static int make_all(struct arguments *arguments) {
  if (arguments->all) return SQLITE_OK;
  arguments->all = calloc(VALUE_COLUMNS, sizeof *arguments->all);
  if (!arguments->all) return SQLITE_NOMEM;
  for (int i = ALL_ARGUMENTS; i <= RETURNED; i++) {
    struct argument *whole = &arguments->all[i];
    whole->is_return = i == RETURNED;
    whole->path = sqlite3_mprintf("$");
    if (!whole->path) return SQLITE_NOMEM;
  }
  return SQLITE_OK;
}

static void define(sqlite3_context *result, int count, sqlite3_value **words) {
  (void)count;
  struct arguments *arguments = sqlite3_user_data(result);
  int column = sqlite3_value_int(words[0]);
  const char *what = (const char *)sqlite3_value_text(words[1]);
  const char *path = (const char *)sqlite3_value_text(words[2]);
  bool is_known = column >= 0 && column < NAMED_VALUES && what && path && *path == '$';
  if (!is_known || make_all(arguments) != SQLITE_OK) {
    sqlite3_result_error(result, "it is no column of values", -1);
    return;
  }
  struct argument *argument = &arguments->all[column];
  forget(argument);
  store_drop_values(arguments->store, column);
  argument->is_return = strcmp(what, "return_value") == 0;
  argument->path = sqlite3_mprintf("%s", path);
}

int arguments_define(struct arguments *arguments) {
  return sqlite3_create_function_v2(arguments->store->db, "strobe_argument", 3,
                                    SQLITE_UTF8 | SQLITE_DIRECTONLY, arguments, define, NULL, NULL,
                                    NULL);
}

/* Asks where the value lies in what is captured of a function. */
static int find_place(struct arguments *arguments, const struct argument *argument,
                      uint32_t function) {
  int code = store_statement(arguments->store, &arguments->place, "SELECT strobe_place(?, ?, ?)");
  if (code != SQLITE_OK) return code;
  sqlite3_bind_int64(arguments->place, 1, function);
  sqlite3_bind_int(arguments->place, 2, argument->is_return);
  sqlite3_bind_text(arguments->place, 3, argument->path, -1, SQLITE_STATIC);
  if (sqlite3_step(arguments->place) == SQLITE_ROW) {
    const char *written = (const char *)sqlite3_column_text(arguments->place, 0);
    argument->places[function] = place_read(written ? written : "?");
  }
  return sqlite3_reset(arguments->place);
}

static int place_in(struct arguments *arguments, struct argument *argument, uint32_t function,
                    const struct place **place) {
  if (!argument->places) {
    argument->places = calloc((size_t)arguments->store->function_count + 1, sizeof **place);
    if (!argument->places) return SQLITE_NOMEM;
  }
  *place = &argument->places[function];
  return (*place)->form == NOT_ASKED ? find_place(arguments, argument, function) : SQLITE_OK;
}

/* Steps a statement that asks for a value of the call, or for what is at a path in it; the caller
 * resets it. */
static int step(struct arguments *arguments, const char *what, const char *path,
                const struct block *block, uint32_t row, sqlite3_stmt **stepped) {
  sqlite3_stmt **asked = path ? &arguments->extract : &arguments->value;
  int code = store_statement(arguments->store, asked,
                             path ? "SELECT json_extract(strobe_value(?, ?, ?), ?)"
                                  : "SELECT strobe_value(?, ?, ?)");
  *stepped = *asked;
  if (code != SQLITE_OK) return code;
  sqlite3_bind_text(*asked, 1, what, -1, SQLITE_STATIC);
  sqlite3_bind_int64(*asked, 2, block->thread_key);
  sqlite3_bind_int64(*asked, 3, block->first + row);
  if (path) sqlite3_bind_text(*asked, 4, path, -1, SQLITE_STATIC);
  return sqlite3_step(*asked);
}

static int give(sqlite3_context *result, struct arguments *arguments, const char *what,
                const char *path, const struct block *block, uint32_t row) {
  sqlite3_stmt *asked;
  int code = step(arguments, what, path, block, row, &asked);
  if (code == SQLITE_ROW) sqlite3_result_value(result, sqlite3_column_value(asked, 0));
  int ended = sqlite3_reset(asked);
  return code == SQLITE_ROW || code == SQLITE_DONE ? ended : code;
}

int argument_ask(sqlite3_context *result, struct arguments *arguments, const char *what,
                 const struct block *block, uint32_t row) {
  return give(result, arguments, what, NULL, block, row);
}

static const char *source_of(const struct argument *argument) {
  return argument->is_return ? "return_value" : "arguments";
}

/* NULL: all of it. */
static const char *path_in(const struct arguments *arguments, const struct argument *argument) {
  return is_json(arguments, argument) ? NULL : argument->path;
}

/* What the call itself is said to have. SQLITE_TOOBIG: it cannot be kept. */
static int ask(struct arguments *arguments, const struct argument *argument,
               const struct block *block, uint32_t row, struct cell *cell) {
  sqlite3_stmt *asked;
  int code = step(arguments, source_of(argument), path_in(arguments, argument), block, row, &asked);
  double real;
  uint32_t number;
  *cell = (struct cell){NOTHING, 0};
  if (code == SQLITE_ROW) {
    code = SQLITE_OK;
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
      code = texts_number(&arguments->texts, text, length, &number);
      *cell = (struct cell){is_json(arguments, argument) ? JSON : TEXT, number};
    }
    }
  }
  int ended = sqlite3_reset(asked);
  return code == SQLITE_OK ? ended : code;
}

static bool more_meanings(struct argument *argument) {
  uint32_t room = argument->meaning_room ? argument->meaning_room * 2 : 256;
  struct cell *meanings = realloc(argument->meanings, room * sizeof *meanings);
  if (!meanings) return false;
  argument->meanings = meanings;
  argument->meaning_room = room;
  return true;
}

/* What the word that a call has means in its function: asked for once. */
static int find_meaning(struct arguments *arguments, struct argument *argument, struct block *block,
                        uint32_t row, struct cell *cell) {
  const int64_t *entries;
  int code = store_numbers(arguments->store, block, ENTRY, &entries);
  if (code != SQLITE_OK) return code;
  if ((uint64_t)entries[row] >= block->entries) return SQLITE_CORRUPT_VTAB;
  uint32_t function = block->entry_function[entries[row]];
  /* What values of other functions mean says their process. */
  int64_t key[] = {function, cell->word, function < FIRST_LOCAL ? 0 : block->thread_key};
  uint32_t number;
  if (argument->meaning_count == MOST_MEANINGS) return ask(arguments, argument, block, row, cell);
  code = texts_number(&argument->words, key, sizeof key, &number);
  if (code != SQLITE_OK) return code;
  if (number < argument->meaning_count) {
    *cell = argument->meanings[number];
    return SQLITE_OK;
  }
  if (number == argument->meaning_room && !more_meanings(argument)) return SQLITE_NOMEM;
  code = ask(arguments, argument, block, row, cell);
  argument->meanings[number] = code == SQLITE_OK ? *cell : (struct cell){BY_CALL, 0};
  argument->meaning_count++;
  return code;
}

/* Fills one column of a block. */
struct filling {
  struct arguments *arguments;
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
  /* JavaScript writes JSON of what takes more than digits. */
  bool is_written =
      !is_json(filling->arguments, filling->argument) || !(cell.kind == REAL || cell.kind == TEXT);
  filling->kinds[row] = (uint8_t)(is_written ? cell.kind : BY_WORD);
  filling->words[row] = cell.word;
}

static int fill_fixed(struct filling *filling, const struct place *place,
                      const struct captured *captured) {
  uint32_t word = 2u * place->before;
  bool is_there = word + 2 <= captured->words;
  if (is_there) {
    captured_column(captured, word, filling->low);
    captured_column(captured, word + 1, filling->high);
  }
  for (uint32_t i = 0; i < captured->calls; i++) {
    struct cell cell = {NOTHING, 0};
    if (is_there) cell = place_number(place->form, filling->low[i], filling->high[i]);
    put(filling, captured, i, cell);
  }
  return SQLITE_OK;
}

/* What is captured stands for the value: it is asked for once. */
static int put_captured(struct filling *filling, const struct captured *captured, uint32_t i) {
  uint32_t number;
  if (captured->words > MOST_CALLS) return SQLITE_TOOBIG;
  for (uint32_t word = 0; word < captured->words; word++)
    filling->low[word] = captured_word(captured, word, i);
  int code = texts_number(&filling->arguments->captured, filling->low, (size_t)captured->words * 4,
                          &number);
  if (code == SQLITE_OK) put(filling, captured, i, (struct cell){BY_WORD, number});
  return code;
}

static int fill_any(struct filling *filling, const struct captured *captured) {
  int code = SQLITE_OK;
  for (uint32_t i = 0; code == SQLITE_OK && i < captured->calls; i++)
    code = put_captured(filling, captured, i);
  /* The others are asked for one by one. */
  return code == SQLITE_TOOBIG ? SQLITE_OK : code;
}

/* The same of what does not say what it is in its first bytes. */
static int fill_dynamic(struct filling *filling, const struct place *place,
                        const struct captured *captured) {
  bool asks_json = is_json(filling->arguments, filling->argument);
  int code = SQLITE_OK;
  for (uint32_t i = 0; code == SQLITE_OK && i < captured->calls; i++) {
    struct cell cell;
    code = place_cell(place, captured, i, &filling->arguments->texts, &cell);
    if (code != SQLITE_OK) return code;
    bool is_written = asks_json && (cell.kind == REAL || cell.kind == TEXT);
    if (!is_written && cell.kind != BY_CALL && cell.kind != BY_WORD)
      put(filling, captured, i, cell);
    else code = put_captured(filling, captured, i);
  }
  return code == SQLITE_TOOBIG ? SQLITE_OK : code;
}

static int fill(void *taker, const struct captured *captured) {
  struct filling *filling = taker;
  const struct place *place;
  int code = place_in(filling->arguments, filling->argument,
                      filling->block->entry_function[captured->entry], &place);
  if (code != SQLITE_OK || place->form == NO_VALUE || place->form == ONE_VALUE) return code;
  if (place->form == ANY_VALUE) return fill_any(filling, captured);
  if (place->form == DYNAMIC) return fill_dynamic(filling, place, captured);
  if (place_is_fixed(place)) return fill_fixed(filling, place, captured);
  for (uint32_t i = 0; code == SQLITE_OK && i < captured->calls; i++) {
    struct cell cell = {NOTHING, 0};
    code = place_cell(place, captured, i, &filling->arguments->texts, &cell);
    put(filling, captured, i, cell);
  }
  return code;
}

/* What is not in the captures. Answers whether these are read. */
static int fill_other(struct filling *filling, const uint16_t *posting, bool *is_read) {
  const struct block *block = filling->block;
  for (uint32_t entry = 0; entry < block->entries; entry++) {
    const struct place *place;
    int code =
        place_in(filling->arguments, filling->argument, block->entry_function[entry], &place);
    if (code != SQLITE_OK) return code;
    *is_read |= place->form != NO_VALUE && place->form != ONE_VALUE;
    uint8_t kind = place->form == ONE_VALUE                             ? BY_WORD
                   : place->form == ANY_VALUE || place->form == DYNAMIC ? BY_CALL
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
  struct store *store = filling->arguments->store;
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
  struct store *store = filling->arguments->store;
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

static int fill_column(struct arguments *arguments, struct argument *argument, struct block *block,
                       int64_t *words) {
  struct filling *filling = malloc(sizeof *filling);
  if (!filling) return SQLITE_NOMEM;
  filling->arguments = arguments;
  filling->argument = argument;
  filling->block = block;
  filling->words = words;
  filling->kinds = (uint8_t *)(words + block->calls);
  memset(words, 0, block->calls * VALUE_BYTES);
  const uint16_t *posting;
  bool is_read = false;
  int code = store_posting(arguments->store, block, &posting);
  if (code == SQLITE_OK) code = fill_other(filling, posting, &is_read);
  if (code == SQLITE_OK && is_read)
    code = captures_read(arguments->store, block, argument->is_return, fill, filling);
  if (code == SQLITE_OK && argument->is_return) code = leave_returned(filling);
  free(filling);
  return code;
}

/* What the row of a block has in a column. */
static int cell_in(struct arguments *arguments, int column, struct block *block, uint32_t row,
                   struct cell *cell) {
  struct argument *argument = &arguments->all[column];
  int64_t **words = &block->values[column];
  int code = SQLITE_OK;
  if (!*words) {
    int64_t *made = store_column_memory(arguments->store, block->calls * VALUE_BYTES);
    *words = made;
    code = made ? fill_column(arguments, argument, block, made) : SQLITE_NOMEM;
    if (code != SQLITE_OK) {
      store_drop_values(arguments->store, column);
      return code;
    }
  }
  uint8_t *kind = (uint8_t *)(*words + block->calls) + row;
  *cell = (struct cell){*kind, (*words)[row]};
  if (*kind == BY_WORD) code = find_meaning(arguments, argument, block, row, cell);
  if (code == SQLITE_OK && cell->kind == BY_CALL) code = ask(arguments, argument, block, row, cell);
  if (code != SQLITE_OK) return code;
  *kind = (uint8_t)cell->kind;
  (*words)[row] = cell->word;
  return SQLITE_OK;
}

int argument_cell(struct arguments *arguments, int column, struct block *block, uint32_t row,
                  struct cell *cell) {
  int code = make_all(arguments);
  if (code != SQLITE_OK) return code;
  return arguments->all[column].path ? cell_in(arguments, column, block, row, cell) : SQLITE_MISUSE;
}

int argument_give(sqlite3_context *result, struct arguments *arguments, int column,
                  struct block *block, uint32_t row) {
  struct cell cell;
  int code = argument_cell(arguments, column, block, row, &cell);
  if (code == SQLITE_MISUSE) return code;
  const struct argument *argument = &arguments->all[column];
  /* There are more different ones than are kept. */
  if (code == SQLITE_TOOBIG)
    return give(result, arguments, source_of(argument), path_in(arguments, argument), block, row);
  if (code == SQLITE_OK) cell_give(result, &arguments->texts, cell, is_json(arguments, argument));
  return code;
}

int argument_give_number(sqlite3_context *result, struct arguments *arguments, struct block *block,
                         uint32_t row) {
  struct cell cell;
  int code = argument_cell(arguments, RETURNED, block, row, &cell);
  if (code == SQLITE_TOOBIG) return argument_ask(result, arguments, "return_value", block, row);
  if (code != SQLITE_OK) return code;
  bool is_number = cell.kind == WHOLE || cell.kind == JSON || cell.kind == NOTHING;
  if (is_number) cell_give(result, &arguments->texts, cell, false);
  else sqlite3_result_text(result, "no number", -1, SQLITE_STATIC);
  return code;
}
