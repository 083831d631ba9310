/* Runs the SQL of a file against a database in memory and prints every row: what SQLite's shell does. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static int print(void *nothing, int count, char **values, char **names) {
  (void)nothing;
  (void)names;
  for (int i = 0; i < count; i++) printf("%s%s", i ? "|" : "", values[i] ? values[i] : "");
  putchar('\n');
  return 0;
}

int main(int argc, char **argv) {
  static char text[1 << 20];
  FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (!file) return 2;
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  sqlite3 *db;
  char *error = NULL;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 3;
  const int failed = sqlite3_exec(db, text, print, NULL, &error);
  if (failed) printf("error %d: %s\n", failed, error);
  sqlite3_free(error);
  sqlite3_close(db);
  return failed != 0;
}
