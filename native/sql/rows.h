/* The rows of one question to a table: as they are stored, or sorted. */
#ifndef STROBE_SQL_ROWS_H
#define STROBE_SQL_ROWS_H

#include "sorted.h"

struct rows {
  struct arguments *arguments;
  /* `scan.block` is NULL at the end. */
  struct scan scan;
  struct sorted sorted;
};

int rows_begin(struct rows *rows, struct arguments *arguments, const char *plan,
               sqlite3_value **values);
int rows_next(struct rows *rows);
void rows_end(struct rows *rows);

/* -1: a duration that is not known. */
int rows_number(struct rows *rows, enum what what, int64_t *number);
/* What a column of values has. */
int rows_give_value(struct rows *rows, enum what what, sqlite3_context *result);
/* The function, or one that has the same in this column. */
int rows_function(struct rows *rows, enum what what, const struct function **function);

#endif
