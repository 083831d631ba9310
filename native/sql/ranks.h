/* The order of functions and of threads by their columns. */
#ifndef STROBE_SQL_RANKS_H
#define STROBE_SQL_RANKS_H

#include "plan.h"

/* By the columns of `order` that are of functions, or of threads. */
struct ranking {
  const struct store *store;
  const struct order *order;
  bool is_functions;
};

/* The place of each function or thread in the order, those that are equal have the same. NULL: no
 * memory. */
uint32_t *ranks_of(const struct ranking *ranking);

#endif
