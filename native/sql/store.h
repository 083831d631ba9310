/* Reads the blocks of calls of one session's file (src/db/blockFormat.ts) through the connection
 * that the extension was loaded into, and keeps what it read: a connection answers one statement.
 *
 * The layers of this folder; each file calls only files of the layers below its own:
 *
 *   table      the extension: the tables `calls` and `events`
 *   rows       gives the rows of a statement, as they are stored or sorted
 *   sorted     sorts rows
 *   tuples     numbers what rows have in columns of values
 *   scan       finds the rows that a filter takes
 *   plan       agrees with SQLite what of a statement the blocks answer
 *   order      orders of rows, and what each costs
 *   columns    the columns of the tables
 *   arguments  values of calls as columns
 *   places, json   where a value is captured, and how it is written
 *   captures   what was captured, word by word
 *   store      blocks, functions, threads
 *   texts      texts, each kept once
 */
#ifndef STROBE_SQL_STORE_H
#define STROBE_SQL_STORE_H

#include "texts.h"

#define MOST_CALLS 16384u
/* Columns of values (arguments.h): those that a statement names, all arguments, what was returned.
 */
#define NAMED_VALUES 8
enum { ALL_ARGUMENTS = NAMED_VALUES, RETURNED, VALUE_COLUMNS };
/* A word and what it is. */
#define VALUE_BYTES (sizeof(int64_t) + 1)
/* Decoded columns that are kept. */
#define MOST_COLUMN_BYTES (256u << 20)
#define END_MASK 7

enum number_column { START, DURATION, CHILD, ENTRY, UP, DEPTH, END, NUMBER_COLUMNS };

/* By the codes of `returned` and `unwound`. */
static inline bool end_is_returned(int64_t stored) { return (stored & END_MASK) == 1; }
static inline bool end_is_unwound(int64_t stored) { return (stored & END_MASK) == 2; }

enum function_text { NAME, SIGNATURE, MODULE, SOURCE_FILE, LINKAGE_NAME, FUNCTION_TEXTS };

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
  /* Too many to sort rows by them. */
  bool has_many_values;
  size_t column_bytes;
  uint32_t hand;
  sqlite3_stmt *column, *late;
};

/* All answer a code of SQLite; what is wrong is told as the connection's or the table's error. */
int store_load(struct store *store);
/* Gives back prepared statements, which would keep the connection open. */
void store_rest(struct store *store);
void store_free(struct store *store);

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
