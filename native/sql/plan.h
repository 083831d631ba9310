/* What SQLite asks of a table and what of it the blocks answer: xBestIndex writes it down as text,
 * xFilter reads it. */
#ifndef STROBE_SQL_PLAN_H
#define STROBE_SQL_PLAN_H

#include "order.h"

/* The calls that are wanted. */
struct filter {
  /* By number, by index of the thread: 1 where its calls are; NULL: all. */
  uint8_t *functions, *threads;
  int64_t time_from, time_to, least_ns, most_ns;
  /* Calls without a duration are not wanted. */
  bool is_timed;
  /* One call alone. */
  bool is_one;
  int64_t thread, ordinal;
  bool is_none;
  /* A pattern was given. */
  bool has_pattern;
};

int plan_best(struct store *store, const struct table_kind *kind, sqlite3_index_info *info);
int plan_read(struct store *store, const char *plan, sqlite3_value **values, struct filter *filter,
              struct order *order);
void filter_free(struct filter *filter);

#endif
