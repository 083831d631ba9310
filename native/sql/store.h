/* The blocks of calls of one session's file (src/db/blockFormat.ts), read through the connection
 * that the extension was loaded into. What was read is kept: a connection answers one statement. */
#ifndef STROBE_SQL_STORE_H
#define STROBE_SQL_STORE_H

#include <sqlite3ext.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern const sqlite3_api_routines *sqlite3_api;

#define MOST_CALLS 16384u
/* Columns of values that a statement defines (arguments.h), then all arguments and what calls
 * returned. */
#define VALUE_COLUMNS 10
/* A word and what it is. */
#define VALUE_BYTES (sizeof(int64_t) + 1)
/* Decoded columns that are kept. */
#define MOST_COLUMN_BYTES (256u << 20)
#define END_MASK 7

enum number_column { START, DURATION, CHILD, ENTRY, UP, DEPTH, END, NUMBER_COLUMNS };

enum function_text { NAME, SIGNATURE, MODULE, SOURCE_FILE, LINKAGE_NAME, FUNCTION_TEXTS };

struct text {
  /* NULL: there is none. */
  char *bytes;
  int length;
};

struct function {
  struct text texts[FUNCTION_TEXTS];
  /* -1: not known. */
  int64_t line;
};

struct thread {
  int64_t key, pid, tid;
  struct text name;
};

struct block {
  int64_t id, thread_key, first, start_ns, last_ns, max_ns;
  const struct thread *thread;
  /* Ordinals of the threads before its own: with them each call of the store has one number. */
  uint64_t ordinals_before;
  uint32_t calls, open, entries;
  /* Per entry of the dictionary. */
  double *entry_max;
  uint32_t *entry_function, *entry_calls, *entry_from;
  /* Decoded; NULL until asked for: starts since the session began, durations -1 where none is
   * known. */
  int64_t *numbers[NUMBER_COLUMNS];
  uint16_t *posting;
  /* A word of each call, then the kinds of all (arguments.h). */
  int64_t *values[VALUE_COLUMNS];
  /* Cursors that stand in it: its columns stay. */
  int pins;
  char widths[16];
};

/* Of all calls of the store, from 1 on. */
static inline uint64_t block_call_number(const struct block *block, uint32_t row) {
  return block->ordinals_before + (uint64_t)block->first + row + 1;
}

struct store {
  sqlite3 *db;
  bool loaded;
  struct function *functions;
  struct thread *threads;
  /* `by_time`: by start; `by_thread`: by thread, then by ordinal. */
  struct block **by_time, **by_thread, *blocks;
  uint32_t function_count, thread_count, block_count;
  /* `ordinal_count`: of all threads, those of calls that are gone included. */
  uint64_t call_count, ordinal_count;
  size_t column_bytes;
  uint32_t hand;
  sqlite3_stmt *column, *late, *value, *extract, *place, *pattern;
  /* NULL: none is defined (computed.h). */
  struct expression *computed;
  /* NULL: none was asked for (arguments.h). */
  struct arguments *arguments;
};

static inline uint64_t hash_of(uint64_t key) {
  key *= 0x9e3779b97f4a7c15u;
  return key ^ key >> 32;
}

/* All answer a code of SQLite; what is wrong is told as the connection's or the table's error. */
int store_load(struct store *store);
/* Gives back prepared statements, which would keep the connection open. */
void store_rest(struct store *store);
void store_free(void *store);

int store_numbers(struct store *store, struct block *block, enum number_column column,
                  const int64_t **numbers);
/* Leaves the statement `column` on a column as it is stored; `data` is NULL where there is none. */
int store_column(struct store *store, const struct block *block, int column, const uint8_t **data,
                 size_t *size);
/* Has the statement `late` answer the ends of calls that came after the block was written, what was
 * returned last. */
int store_late(struct store *store, const struct block *block);
/* Makes room for another decoded column: those of other blocks go, in turn. */
void *store_column_memory(struct store *store, size_t bytes);
/* Of all blocks. */
void store_drop_values(struct store *store, int column);
/* Row numbers by entry. */
int store_posting(struct store *store, struct block *block, const uint16_t **posting);
/* The block of a call, or NULL. */
struct block *store_find(const struct store *store, int64_t thread, int64_t ordinal);

/* One statement of the extension's own, prepared when first asked for. */
int store_statement(struct store *store, sqlite3_stmt **statement, const char *sql);

#endif
