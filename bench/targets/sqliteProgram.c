/* Opens an in-memory database and ends; linked with SQLite for its debug information. */
#include <stdio.h>
#include "sqlite3.h"

int main(void) {
  sqlite3 *database;
  if (sqlite3_open(":memory:", &database) != SQLITE_OK) return 1;
  puts(sqlite3_libversion());
  return sqlite3_close(database);
}
