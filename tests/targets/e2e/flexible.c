// Structures that end in an array whose length only the program knows.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__clang__)
#define OWN __attribute__((noinline, weak))
#else
#define OWN __attribute__((noipa))
#endif

struct message { size_t n; char data[]; };
struct numbers { unsigned short count; int values[]; };
struct old { int n; char data[0]; };
struct oldest { int n; char data[1]; };
struct pair { int a; struct { int x; } inner; };
struct rows { int n; struct pair pairs[]; };
struct holder { int before; struct message *last; struct numbers *next; };

/** Makes a function large enough to be traced. */
volatile int calls;

OWN size_t takeMessage(struct message *m) { calls += 3; return m->n; }
OWN int takeNumbers(const struct numbers *v) { calls += 3; return v->values[v->count - 1]; }
OWN int takeOld(struct old *o) { calls += 3; return o->data[0]; }
OWN int takeOldest(struct oldest *o) { calls += 3; return o->data[0]; }
OWN int takeRows(struct rows *r) { calls += 3; return r->pairs[0].a; }
OWN int takeHolder(struct holder *h) { calls += 3; return h->before; }
OWN int takeWord(struct message m) { calls += 3; return (int)m.n; }
OWN int takeRow(int n, int (*p)[n]) { calls += 3; return (*p)[n - 1]; }
OWN int takeTable(int n, int m, int p[n][m]) { calls += 3; return p[n - 1][m - 1]; }
OWN int takeFixed(int (*p)[3]) { calls += 3; return (*p)[2]; }

int main(void) {
  // Its last byte is the last that can be read.
  size_t page = 4096, room = sizeof(struct message) + 24;
  char *pages = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || munmap(pages + page, page) != 0 || munmap(pages + 3 * page, page) != 0) return 1;
  char *last = pages + 2 * page;
  struct message *m = (struct message *)(pages + page - room);
  m->n = 24;
  memset(m->data, 'x', 24);
  // Nothing behind it can be read.
  struct message *none = (struct message *)(last + page - sizeof(struct message));
  none->n = 0;
  struct numbers *v = malloc(sizeof *v + 3 * sizeof(int));
  v->count = 3;
  v->values[0] = 10; v->values[1] = 20; v->values[2] = 30;
  struct old *o = malloc(sizeof *o + 8);
  o->n = 8; strcpy(o->data, "old");
  struct oldest *e = malloc(sizeof *e + 8);
  e->n = 8; strcpy(e->data, "older");
  struct rows *r = malloc(sizeof *r + sizeof(struct pair));
  r->n = 1; r->pairs[0] = (struct pair){5, {6}};
  struct holder h = {1, m, v};
  struct message word = {.n = 9};
  int row[3] = {1, 2, 3}, table[2][3] = {{1, 2, 3}, {4, 5, 6}};
  printf("%zu %zu %d %d %d %d %d %d %d %d %d\n", takeMessage(m), takeMessage(none), takeNumbers(v), takeOld(o),
         takeOldest(e), takeRows(r), takeHolder(&h), takeWord(word), takeRow(3, &row), takeTable(2, 3, table),
         takeFixed(&row));
  return 0;
}
