#define _GNU_SOURCE
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

static int order_text(const struct text *a, const struct text *b) {
  if (!a->bytes || !b->bytes) return (a->bytes != NULL) - (b->bytes != NULL);
  int shorter = a->length < b->length ? a->length : b->length;
  int order = memcmp(a->bytes, b->bytes, (size_t)shorter);
  return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int order_number(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int order_pair(const struct ranking *ranking, uint32_t a, uint32_t b) {
  const struct store *store = ranking->store;
  for (int i = 0; i < ranking->order->count; i++) {
    enum what what = ranking->order->by[i];
    if (is_by_function(what) != ranking->is_functions) continue;
    int order;
    if (what == FUNCTION_LINE)
      order = order_number(store->functions[a].line, store->functions[b].line);
    else if (ranking->is_functions)
      order = order_text(text_of(what, &store->functions[a], NULL),
                         text_of(what, &store->functions[b], NULL));
    else {
      const struct thread *one = &store->threads[a], *other = &store->threads[b];
      order = what == THREAD_NAME ? order_text(&one->name, &other->name)
              : what == THREAD_ID ? order_number(one->tid, other->tid)
                                  : order_number(one->pid, other->pid);
    }
    if (order) return ranking->order->descends[i] ? -order : order;
  }
  return 0;
}

static int order_items(const void *a, const void *b, void *ranking) {
  return order_pair(ranking, *(const uint32_t *)a, *(const uint32_t *)b);
}

uint32_t *ranks_of(const struct ranking *ranking) {
  const struct store *store = ranking->store;
  /* The last thread stands for all that are not known. */
  uint32_t count = ranking->is_functions ? store->function_count : store->thread_count + 1;
  uint32_t *items = malloc(((size_t)count + 1) * 2 * sizeof *items);
  if (!items) return NULL;
  uint32_t *place = items, *sorted = items + count;
  for (uint32_t i = 0; i < count; i++) sorted[i] = i;
  qsort_r(sorted, count, sizeof *sorted, order_items, (void *)ranking);
  uint32_t at = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0 && order_pair(ranking, sorted[i - 1], sorted[i])) at++;
    place[sorted[i]] = at;
  }
  return items;
}
