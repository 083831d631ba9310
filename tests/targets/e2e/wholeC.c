// C values of all kinds, by value and returned; each function prints what it got and gave as a line of JSON.
#include <complex.h>
#include <stdio.h>

#if defined(__clang__)
#define OWN __attribute__((noinline, weak))
#else
#define OWN __attribute__((noipa))
#endif

struct point { int x, y; };
struct mixed { double ratio; long count; };
struct floats { float a, b, c; };
struct large { long rows[4]; const char *label; };
struct bits { unsigned low : 3, middle : 7; int high : 10; };
union number { int whole; float real; };
enum access { READ = 1, WRITE = 2, EXECUTE = 4 };
struct node { int value; struct node *next; struct point at; };
struct line { char name[8]; struct point ends[2]; _Bool closed; };

OWN struct point points(struct point p, struct point *q) {
  printf("points {\"p\":{\"x\":%d,\"y\":%d},\"q\":{\"x\":%d,\"y\":%d},\"return\":{\"x\":%d,\"y\":7}}\n", p.x, p.y, q->x, q->y, p.x + q->x);
  return (struct point){p.x + q->x, 7};
}
OWN struct mixed mix(struct mixed m, struct floats f, int after) {
  printf("mix {\"m\":{\"ratio\":%g,\"count\":%ld},\"f\":{\"a\":%g,\"b\":%g,\"c\":%g},\"after\":%d,\"return\":{\"ratio\":%g,\"count\":%d}}\n",
         m.ratio, m.count, f.a, f.b, f.c, after, m.ratio * 2, after);
  return (struct mixed){m.ratio * 2, after};
}
OWN struct large grow(struct large l, int by) {
  printf("grow {\"l\":{\"rows\":[%ld,%ld,%ld,%ld],\"label\":\"%s\"},\"by\":%d,", l.rows[0], l.rows[1], l.rows[2], l.rows[3], l.label, by);
  l.rows[3] += by;
  l.label = "grown";
  printf("\"return\":{\"rows\":[%ld,%ld,%ld,%ld],\"label\":\"grown\"}}\n", l.rows[0], l.rows[1], l.rows[2], l.rows[3]);
  return l;
}
OWN int small(struct bits b, union number n, enum access a) {
  printf("small {\"b\":{\"low\":%d,\"middle\":%d,\"high\":%d},\"n\":{\"whole\":%d,\"real\":%g},\"a\":\"READ|EXECUTE\",\"return\":%d}\n",
         b.low, b.middle, b.high, n.whole, n.real, (int)a);
  return (int)a;
}
OWN long double wide(long double v, double complex c, float complex s) {
  printf("wide {\"v\":%Lg,\"c\":{\"re\":%g,\"im\":%g},\"s\":{\"re\":%g,\"im\":%g},\"return\":%Lg}\n", v, creal(c), cimag(c), crealf(s), cimagf(s), v / 4);
  return v / 4;
}
OWN __int128 huge(__int128 v) {
  printf("huge {\"v\":\"170141183460469231731687303715884105727\",\"return\":\"-170141183460469231731687303715884105728\"}\n");
  return -v - 1;
}
OWN void ring(struct node *first) {
  struct node *second = first->next;
  printf("ring {\"first\":{\"value\":%d,\"next\":{\"value\":%d,\"next\":\"circular\",\"at\":{\"x\":%d,\"y\":%d}},\"at\":{\"x\":%d,\"y\":%d}}}\n",
         first->value, second->value, second->at.x, second->at.y, first->at.x, first->at.y);
}
OWN struct line cut(const struct line *l) {
  printf("cut {\"l\":{\"name\":\"%s\",\"ends\":[{\"x\":%d,\"y\":%d},{\"x\":%d,\"y\":%d}],\"closed\":true},", l->name, l->ends[0].x, l->ends[0].y, l->ends[1].x, l->ends[1].y);
  printf("\"return\":{\"name\":\"%s\",\"ends\":[{\"x\":%d,\"y\":%d},{\"x\":%d,\"y\":%d}],\"closed\":true}}\n", l->name, l->ends[0].x, l->ends[0].y, l->ends[1].x, l->ends[1].y);
  return *l;
}

int main(void) {
  struct point q = {30, -40};
  struct node second = {2, 0, {5, 6}}, first = {1, &second, {3, 4}};
  struct line l = {"edge", {{1, 2}, {3, 4}}, 1};
  second.next = &first;
  points((struct point){1, -2}, &q);
  mix((struct mixed){0.25, -9}, (struct floats){1.5f, -2.5f, 3.5f}, 77);
  grow((struct large){{1, -2, 3, 4}, "label"}, 10);
  small((struct bits){5, 100, -300}, (union number){.whole = 1080033280}, READ | EXECUTE);
  wide(10.5L, 1.5 - 2.5 * I, 0.5f + 4 * I);
  huge((__int128)(((unsigned __int128)1 << 127) - 1));
  ring(&first);
  cut(&l);
  return 0;
}
