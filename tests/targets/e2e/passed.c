/* Structures passed by value (in registers, in memory), results with fields, flexible arrays, addresses that are cast. */
#include <stdlib.h>
#include <string.h>

#define KEPT __attribute__((noinline, noipa))

/* As jq's values: 16 bytes, an offset of 16 bits that wraps. */
struct view {
  unsigned char kind;
  unsigned short offset;
  int size;
  union {
    void *base;
    double number;
  } u;
};

struct big {
  int id;
  const char *name;
  double weight;
  struct view views[3];
};

struct point {
  double x, y;
};

struct mixed {
  double scale;
  long count;
};

/* As redis' skip list: levels behind the node. */
struct node {
  const char *name;
  double score;
  struct level {
    struct node *forward;
    unsigned long span;
  } level[];
};

struct list {
  struct node *header;
  unsigned long length;
};

KEPT struct view slice(struct view a, int start, int end) {
  a.offset += start;
  a.size = end - start;
  return a;
}

KEPT long weigh(int before, struct big b, int after) { return before + b.id + after + b.views[2].size; }

KEPT struct point move(struct point p, double by) {
  p.x += by;
  return p;
}

KEPT struct mixed mix(struct mixed m) {
  m.scale *= 2;
  m.count++;
  return m;
}

KEPT struct big grow(struct big *b) {
  struct big more = *b;
  more.id++;
  return more;
}

KEPT int rank(struct list *l, int index) { return (int)l->length + index; }

static struct node *make(const char *name, double score, int levels) {
  struct node *n = calloc(1, sizeof *n + levels * sizeof n->level[0]);
  n->name = name;
  n->score = score;
  return n;
}

int main(void) {
  char text[] = "base";
  struct view a = {.kind = 6, .offset = 0, .size = 100000, .u.base = text};
  for (int i = 0; i < 8; i++) a = slice(a, 20000, 90000 - i);
  struct big b = {.id = 1, .name = "first", .weight = 2.5};
  for (int i = 0; i < 4; i++) {
    b.views[2].size = 10 * i;
    b.views[1].offset = i;
    weigh(i, b, 7);
    b = grow(&b);
  }
  struct point p = {1.5, -2};
  for (int i = 0; i < 4; i++) p = move(p, 1);
  struct mixed m = {0.5, 1};
  for (int i = 0; i < 4; i++) m = mix(m);
  struct node *one = make("one", 1, 2), *two = make("two", 2, 2), *head = make(0, 0, 4);
  head->level[0].forward = one;
  head->level[1].forward = two;
  one->level[0].forward = two;
  one->level[0].span = 5;
  struct list l = {head, 2};
  for (int i = 0; i < 4; i++) {
    two->score = 10 * i;
    rank(&l, i % 2);
  }
  return 0;
}
