#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_PER_BLOCK 16
#define POSTING_COLUMN 10
#define MOST_FUNCTIONS (1u << 24)

int store_statement(struct store *store, sqlite3_stmt **statement, const char *sql) {
  if (*statement) return SQLITE_OK;
  return sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

static int read_text(sqlite3_stmt *row, int column, struct text *text) {
  const char *bytes = (const char *)sqlite3_column_text(row, column);
  if (!bytes) return SQLITE_OK;
  text->length = sqlite3_column_bytes(row, column);
  text->bytes = malloc((size_t)text->length + 1);
  if (!text->bytes) return SQLITE_NOMEM;
  memcpy(text->bytes, bytes, (size_t)text->length + 1);
  return SQLITE_OK;
}

static int count_of(struct store *store, const char *sql, uint32_t *count) {
  sqlite3_stmt *row = NULL;
  int code = sqlite3_prepare_v2(store->db, sql, -1, &row, NULL);
  if (code == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW)
    *count = (uint32_t)sqlite3_column_int64(row, 0);
  int ended = sqlite3_finalize(row);
  return code == SQLITE_OK ? ended : code;
}

typedef int (*read_row)(struct store *store, sqlite3_stmt *row, uint32_t at);

static int read_rows(struct store *store, const char *sql, uint32_t most, read_row read) {
  sqlite3_stmt *row = NULL;
  int code = sqlite3_prepare_v2(store->db, sql, -1, &row, NULL);
  for (uint32_t at = 0; code == SQLITE_OK && at < most && sqlite3_step(row) == SQLITE_ROW; at++)
    code = read(store, row, at);
  int ended = sqlite3_finalize(row);
  return code == SQLITE_OK ? ended : code;
}

static int read_function(struct store *store, sqlite3_stmt *row, uint32_t at) {
  (void)at;
  int64_t number = sqlite3_column_int64(row, 0);
  if (number < 0 || number >= store->function_count) return SQLITE_OK;
  struct function *function = &store->functions[number];
  function->line = sqlite3_column_type(row, 6) == SQLITE_NULL ? -1 : sqlite3_column_int64(row, 6);
  int code = SQLITE_OK;
  for (int text = 0; code == SQLITE_OK && text < FUNCTION_TEXTS; text++)
    code = read_text(row, text + 1, &function->texts[text]);
  return code;
}

static int name_function(struct function *function, uint32_t number) {
  for (int text = 0; text < FUNCTION_TEXTS; text++) {
    if (text == SOURCE_FILE) continue;
    char *bytes = malloc(24);
    if (!bytes) return SQLITE_NOMEM;
    int length = text == MODULE ? 0 : snprintf(bytes, 24, "function %u", number);
    bytes[length] = 0;
    function->texts[text] = (struct text){bytes, length};
  }
  return SQLITE_OK;
}

/* After the blocks, which may have functions without a row. */
static int read_functions(struct store *store) {
  uint32_t rows = 0;
  int code = count_of(store, "SELECT max(number) + 1 FROM functions", &rows);
  if (code != SQLITE_OK) return code;
  if (rows > store->function_count) store->function_count = rows;
  if (store->function_count > MOST_FUNCTIONS) return SQLITE_CORRUPT_VTAB;
  store->functions = calloc((size_t)store->function_count + 1, sizeof *store->functions);
  if (!store->functions) return SQLITE_NOMEM;
  for (uint32_t i = 0; i < store->function_count; i++) store->functions[i].line = -1;
  code = read_rows(
      store, "SELECT number, name, signature, module, file, linkage_name, line FROM functions",
      UINT32_MAX, read_function);
  for (uint32_t i = 0; code == SQLITE_OK && i < store->function_count; i++)
    if (!store->functions[i].texts[NAME].bytes) code = name_function(&store->functions[i], i);
  return code;
}

static int read_thread(struct store *store, sqlite3_stmt *row, uint32_t at) {
  struct thread *thread = &store->threads[at];
  thread->key = sqlite3_column_int64(row, 0);
  thread->pid = sqlite3_column_int64(row, 1);
  thread->tid = sqlite3_column_int64(row, 2);
  return read_text(row, 3, &thread->name);
}

static int read_threads(struct store *store) {
  int code = count_of(store, "SELECT count(*) FROM threads", &store->thread_count);
  if (code != SQLITE_OK) return code;
  store->threads = calloc((size_t)store->thread_count + 1, sizeof *store->threads);
  if (!store->threads) return SQLITE_NOMEM;
  store->threads[store->thread_count].name = (struct text){calloc(1, 1), 0};
  return read_rows(store, "SELECT key, pid, tid, name FROM threads ORDER BY key",
                   store->thread_count, read_thread);
}

static const struct thread *thread_of(const struct store *store, int64_t key) {
  uint32_t low = 0, high = store->thread_count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (store->threads[middle].key < key) low = middle + 1;
    else high = middle;
  }
  bool is_known = low < store->thread_count && store->threads[low].key == key;
  /* The last one stands for all that are not known. */
  return &store->threads[is_known ? low : store->thread_count];
}

static int read_block(struct store *store, sqlite3_stmt *row, uint32_t at) {
  struct block *block = &store->blocks[at];
  block->id = sqlite3_column_int64(row, 0);
  block->thread_key = sqlite3_column_int64(row, 1);
  block->thread = thread_of(store, block->thread_key);
  block->first = sqlite3_column_int64(row, 2);
  block->calls = (uint32_t)sqlite3_column_int64(row, 3);
  block->start_ns = sqlite3_column_int64(row, 4);
  block->last_ns = sqlite3_column_int64(row, 5);
  block->max_ns = sqlite3_column_int64(row, 6);
  block->open = (uint32_t)sqlite3_column_int64(row, 7);
  snprintf(block->widths, sizeof block->widths, "%s", (const char *)sqlite3_column_text(row, 8));
  const uint8_t *dictionary = sqlite3_column_blob(row, 9);
  uint32_t entries = (uint32_t)sqlite3_column_bytes(row, 9) / 16;
  store->call_count += block->calls;
  if (block->calls > MOST_CALLS || strspn(block->widths, "1248") < NUMBER_COLUMNS)
    return SQLITE_CORRUPT_VTAB;
  block->entries = entries;
  block->entry_max = malloc((size_t)entries * 20 + 8);
  if (!block->entry_max) return SQLITE_NOMEM;
  block->entry_function = (uint32_t *)(block->entry_max + entries);
  block->entry_calls = block->entry_function + entries;
  block->entry_from = block->entry_calls + entries;
  if (entries > 0) memcpy(block->entry_max, dictionary, (size_t)entries * 16);
  uint64_t from = 0;
  for (uint32_t i = 0; i < entries; i++) {
    block->entry_from[i] = (uint32_t)from;
    from += block->entry_calls[i];
    if (block->entry_function[i] >= MOST_FUNCTIONS) return SQLITE_CORRUPT_VTAB;
    if (block->entry_function[i] >= store->function_count)
      store->function_count = block->entry_function[i] + 1;
  }
  return from == block->calls ? SQLITE_OK : SQLITE_CORRUPT_VTAB;
}

static int compare(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare_time(const void *a, const void *b) {
  const struct block *one = *(struct block *const *)a, *other = *(struct block *const *)b;
  int order = compare(one->start_ns, other->start_ns);
  return order ? order : compare(one->id, other->id);
}

static int compare_thread(const void *a, const void *b) {
  const struct block *one = *(struct block *const *)a, *other = *(struct block *const *)b;
  int order = compare(one->thread_key, other->thread_key);
  return order ? order : compare(one->first, other->first);
}

static void number_ordinals(struct store *store) {
  uint64_t before = 0;
  for (uint32_t i = 0; i < store->block_count; i++) {
    struct block *block = store->by_thread[i];
    if (i > 0 && store->by_thread[i - 1]->thread_key != block->thread_key)
      before = store->ordinal_count;
    block->ordinals_before = before;
    store->ordinal_count = before + (uint64_t)block->first + block->calls;
  }
}

static int read_blocks(struct store *store) {
  int code = count_of(store, "SELECT count(*) FROM blocks", &store->block_count);
  if (code != SQLITE_OK) return code;
  size_t count = (size_t)store->block_count + 1;
  store->blocks = calloc(count, sizeof *store->blocks);
  store->by_time = malloc(count * sizeof *store->by_time);
  store->by_thread = malloc(count * sizeof *store->by_thread);
  if (!store->blocks || !store->by_time || !store->by_thread) return SQLITE_NOMEM;
  code = read_rows(store,
                   "SELECT id, thread, first, calls, start_ns, last_ns, max_ns, open, widths,"
                   " dictionary FROM blocks",
                   store->block_count, read_block);
  if (code != SQLITE_OK) return code;
  for (uint32_t i = 0; i < store->block_count; i++)
    store->by_time[i] = store->by_thread[i] = &store->blocks[i];
  qsort(store->by_time, store->block_count, sizeof *store->by_time, compare_time);
  qsort(store->by_thread, store->block_count, sizeof *store->by_thread, compare_thread);
  number_ordinals(store);
  return SQLITE_OK;
}

int store_load(struct store *store) {
  if (store->loaded) return SQLITE_OK;
  int code = read_threads(store);
  if (code == SQLITE_OK) code = read_blocks(store);
  if (code == SQLITE_OK) code = read_functions(store);
  store->loaded = code == SQLITE_OK;
  return code;
}

static void drop_values(struct store *store, struct block *block, int column) {
  if (!block->values[column]) return;
  free(block->values[column]);
  block->values[column] = NULL;
  store->column_bytes -= block->calls * VALUE_BYTES;
}

void store_drop_values(struct store *store, int column) {
  for (uint32_t i = 0; store->blocks && i < store->block_count; i++)
    drop_values(store, &store->blocks[i], column);
}

static void drop_columns(struct store *store, struct block *block) {
  for (int column = 0; column < VALUE_COLUMNS; column++) drop_values(store, block, column);
  for (int column = 0; column < NUMBER_COLUMNS; column++) {
    if (!block->numbers[column]) continue;
    free(block->numbers[column]);
    block->numbers[column] = NULL;
    store->column_bytes -= block->calls * sizeof(int64_t);
  }
  if (!block->posting) return;
  free(block->posting);
  block->posting = NULL;
  store->column_bytes -= block->calls * sizeof(uint16_t);
}

void *store_column_memory(struct store *store, size_t bytes) {
  for (uint32_t tried = 0; store->column_bytes + bytes > MOST_COLUMN_BYTES; tried++) {
    if (tried == store->block_count) break;
    store->hand = (store->hand + 1) % store->block_count;
    struct block *block = &store->blocks[store->hand];
    if (block->pins == 0) drop_columns(store, block);
  }
  void *memory = malloc(bytes + 8);
  if (memory) store->column_bytes += bytes;
  return memory;
}

int store_column(struct store *store, const struct block *block, int column, const uint8_t **data,
                 size_t *size) {
  *data = NULL;
  *size = 0;
  int code = store_statement(store, &store->column, "SELECT data FROM columns WHERE key = ?");
  if (code != SQLITE_OK) return code;
  sqlite3_reset(store->column);
  sqlite3_bind_int64(store->column, 1, block->id * COLUMNS_PER_BLOCK + column);
  code = sqlite3_step(store->column);
  if (code != SQLITE_ROW) return code == SQLITE_DONE ? SQLITE_OK : code;
  *data = sqlite3_column_blob(store->column, 0);
  *size = (size_t)sqlite3_column_bytes(store->column, 0);
  return SQLITE_OK;
}

/* The same for a column that has at least so many bytes. */
static int stored_column(struct store *store, const struct block *block, int column, size_t bytes,
                         const uint8_t **data) {
  size_t size;
  int code = store_column(store, block, column, data, &size);
  return code == SQLITE_OK && (!*data || size < bytes) ? SQLITE_CORRUPT_VTAB : code;
}

/* `base` is added to each. */
static void decode(const uint8_t *data, char width, uint32_t calls, int64_t base, int64_t *to) {
  switch (width) {
  case '1':
    for (uint32_t i = 0; i < calls; i++) to[i] = base + data[i];
    return;
  case '2': {
    const uint16_t *from = (const uint16_t *)data;
    for (uint32_t i = 0; i < calls; i++) to[i] = base + from[i];
    return;
  }
  case '4': {
    const uint32_t *from = (const uint32_t *)data;
    for (uint32_t i = 0; i < calls; i++) to[i] = base + from[i];
    return;
  }
  default: {
    const double *from = (const double *)data;
    for (uint32_t i = 0; i < calls; i++) to[i] = base + (int64_t)from[i];
  }
  }
}

int store_late(struct store *store, const struct block *block) {
  int code = store_statement(store, &store->late,
                             "SELECT ordinal, duration_ns, child_ns, end, payload FROM late"
                             " WHERE thread = ? AND ordinal >= ? AND ordinal < ?");
  if (code != SQLITE_OK) return code;
  sqlite3_bind_int64(store->late, 1, block->thread_key);
  sqlite3_bind_int64(store->late, 2, block->first);
  return sqlite3_bind_int64(store->late, 3, block->first + block->calls);
}

static int apply_late(struct store *store, const struct block *block, enum number_column column,
                      int64_t *numbers) {
  int code = store_late(store, block);
  if (code != SQLITE_OK) return code;
  while (sqlite3_step(store->late) == SQLITE_ROW) {
    int64_t row = sqlite3_column_int64(store->late, 0) - block->first;
    int from = column == DURATION ? 1 : column == CHILD ? 2 : 3;
    bool is_known = sqlite3_column_type(store->late, from) != SQLITE_NULL;
    numbers[row] = is_known ? sqlite3_column_int64(store->late, from) : -1;
  }
  return sqlite3_reset(store->late);
}

int store_numbers(struct store *store, struct block *block, enum number_column column,
                  const int64_t **numbers) {
  if (block->numbers[column]) {
    *numbers = block->numbers[column];
    return SQLITE_OK;
  }
  char width = block->widths[column];
  size_t bytes = (size_t)block->calls * (size_t)(width - '0');
  const uint8_t *data = NULL;
  int64_t *memory = NULL;
  int code = stored_column(store, block, column, bytes, &data);
  if (code == SQLITE_OK) {
    memory = store_column_memory(store, block->calls * sizeof *memory);
    if (!memory) code = SQLITE_NOMEM;
  }
  if (code == SQLITE_OK)
    decode(data, width, block->calls,
           column == START      ? block->start_ns
           : column == DURATION ? -1
                                : 0,
           memory);
  sqlite3_reset(store->column);
  bool may_end_late = column == DURATION || column == CHILD || column == END;
  if (code == SQLITE_OK && may_end_late && block->open > 0)
    code = apply_late(store, block, column, memory);
  block->numbers[column] = memory;
  *numbers = memory;
  return code;
}

int store_posting(struct store *store, struct block *block, const uint16_t **posting) {
  if (!block->posting) {
    const uint8_t *data = NULL;
    size_t bytes = block->calls * sizeof(uint16_t);
    int code = stored_column(store, block, POSTING_COLUMN, bytes, &data);
    if (code == SQLITE_OK) {
      block->posting = store_column_memory(store, bytes);
      if (!block->posting) code = SQLITE_NOMEM;
      else memcpy(block->posting, data, bytes);
    }
    sqlite3_reset(store->column);
    if (code != SQLITE_OK) return code;
    for (uint32_t i = 0; i < block->calls; i++)
      if (block->posting[i] >= block->calls) return SQLITE_CORRUPT_VTAB;
  }
  *posting = block->posting;
  return SQLITE_OK;
}

struct block *store_find(const struct store *store, int64_t thread, int64_t ordinal) {
  uint32_t low = 0, high = store->block_count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    const struct block *block = store->by_thread[middle];
    int64_t key = block->thread_key;
    if (key < thread || (key == thread && block->first + block->calls <= ordinal)) low = middle + 1;
    else high = middle;
  }
  if (low == store->block_count) return NULL;
  struct block *found = store->by_thread[low];
  return found->thread_key == thread && found->first <= ordinal ? found : NULL;
}

void store_rest(struct store *store) {
  sqlite3_finalize(store->column);
  sqlite3_finalize(store->late);
  store->column = store->late = NULL;
}

void store_free(struct store *store) {
  for (uint32_t i = 0; store->blocks && i < store->block_count; i++) {
    drop_columns(store, &store->blocks[i]);
    free(store->blocks[i].entry_max);
  }
  for (uint32_t i = 0; store->functions && i < store->function_count; i++)
    for (int text = 0; text < FUNCTION_TEXTS; text++) free(store->functions[i].texts[text].bytes);
  for (uint32_t i = 0; store->threads && i <= store->thread_count; i++)
    free(store->threads[i].name.bytes);
  free(store->functions);
  free(store->threads);
  free(store->blocks);
  free(store->by_time);
  free(store->by_thread);
}
