/* Values as SQL and as JSON have them. */
#ifndef STROBE_SQL_JSON_H
#define STROBE_SQL_JSON_H

#include "arguments.h"
#include "texts.h"

/* The number of the JSON of a text or a fraction. SQLITE_NOTFOUND: how JavaScript writes it is to
 * be asked. */
int json_write(struct texts *texts, struct cell cell, uint32_t *number);
/* What json_extract answers of it. */
void json_extracted(const struct texts *texts, struct cell cell, struct sql_value *value);
/* As JSON, of what needs no more than digits or is JSON already. */
void json_written(const struct texts *texts, struct cell cell, struct sql_value *value);

#endif
