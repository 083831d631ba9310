#include "computed.h"

#include <stdlib.h>
#include <string.h>

static struct expression *expression_of(const struct store *store, enum what what) {
  return &store->computed[what - COMPUTED];
}

bool computed_is_defined(const struct store *store, enum what what) {
  return store->computed && expression_of(store, what)->sql;
}

static void forget(struct expression *expression) {
  sqlite3_finalize(expression->statement);
  sqlite3_free(expression->sql);
  *expression = (struct expression){0};
}

void computed_rest(struct store *store) {
  for (int i = 0; store->computed && i < MOST_COMPUTED; i++) {
    sqlite3_finalize(store->computed[i].statement);
    store->computed[i].statement = NULL;
  }
}

void computed_free(struct store *store) {
  for (int i = 0; store->computed && i < MOST_COMPUTED; i++) forget(&store->computed[i]);
  free(store->computed);
  store->computed = NULL;
}

static bool define(struct expression *expression, int count, sqlite3_value **words) {
  forget(expression);
  if (count > MOST_INPUTS) return false;
  for (int i = 0; i < count; i++) {
    const char *name = (const char *)sqlite3_value_text(words[i + 3]);
    if (!name || !call_column(name, &expression->inputs[i])) return false;
  }
  expression->input_count = count;
  expression->rises = sqlite3_value_int(words[2]) != 0;
  const char *text = (const char *)sqlite3_value_text(words[1]);
  /* A client's statement may call this, too: it evaluates and does nothing else. */
  expression->sql = text ? sqlite3_mprintf("SELECT (%s)", text) : NULL;
  return expression->sql != NULL;
}

static void compute(sqlite3_context *result, int count, sqlite3_value **words) {
  struct store *store = sqlite3_user_data(result);
  int column = count < 3 ? -1 : sqlite3_value_int(words[0]);
  if (!store->computed) store->computed = calloc(MOST_COMPUTED, sizeof *store->computed);
  bool isDefined = store->computed && column >= 0 && column < MOST_COMPUTED &&
                   define(&store->computed[column], count - 3, words);
  if (!isDefined) sqlite3_result_error(result, "it is no column that can be computed", -1);
}

int computed_define(struct store *store, sqlite3 *db) {
  return sqlite3_create_function_v2(db, "strobe_compute", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                    store, compute, NULL, NULL, NULL);
}
