/* Keeps a list in order, until "move" puts a key where it does not belong, for invariants and lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  struct node *next;
  double key;
};

struct list {
  struct node *head;
  unsigned long size, room;
};

static struct list list = {0, 0, 4};

static __attribute__((noipa)) struct node *insert(struct list *to, double key) {
  struct node **at = &to->head, *node = malloc(sizeof *node);
  while (*at && (*at)->key < key) at = &(*at)->next;
  node->key = key;
  node->next = *at;
  *at = node;
  to->size++;
  return node;
}

static __attribute__((noipa)) int move(struct list *in, double from, double to) {
  struct node *node = in->head;
  while (node && node->key != from) node = node->next;
  if (!node) return 0;
  node->key = to; /* its place stays the same */
  return 1;
}

int main(void) {
  char line[64];
  double a, b;
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "move %lf %lf", &a, &b) == 2) move(&list, a, b);
    else if (sscanf(line, "insert %lf", &a) == 1) insert(&list, a);
    puts("done");
    fflush(stdout);
  }
  printf("%lu\n", list.size);
  return 0;
}
