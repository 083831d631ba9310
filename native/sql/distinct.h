/* The aggregate strobe_count_distinct(x): what count(DISTINCT x) is, where no collation is named.
 */
#ifndef STROBE_SQL_DISTINCT_H
#define STROBE_SQL_DISTINCT_H

#include "store.h"

int distinct_define(sqlite3 *db);

#endif
