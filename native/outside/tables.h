/* Rows of the contract that code in the program reads. */
#ifndef STROBE_OUTSIDE_TABLES_H
#define STROBE_OUTSIDE_TABLES_H

#include "../engine/probeRow.h"

/* Of a function, WAY_…, and its policy: a policyEntry row as target/policy.c has it, by the number
 * of its row of counted calls. */
int tables_way(u32 fn, u8 way);
int tables_policy(u32 number, const u8 *row);
/* What is recorded at a statement, by its number in the table of the program. */
int tables_probe(u32 index, const struct probe *probe);
/* What is asked of traced calls (watchEntry); `by_function`: the set of each, plus 1. */
int tables_watches(const struct watch *watches, u32 count, const struct watch_set *sets,
                   u32 set_count, const u16 *by_function);

#endif
