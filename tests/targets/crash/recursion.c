/* Two functions that call each other for ever over a list whose end is its beginning. */
#include <stdio.h>

struct node {
  int value;
  struct node *next;
};
long odd(const struct node *node, long sum);
__attribute__((noinline)) long even(const struct node *node, long sum) {
  volatile char room[200];
  room[0] = (char)sum;
  return node ? odd(node->next, sum + node->value) + room[0] : sum;
}
__attribute__((noinline)) long odd(const struct node *node, long sum) {
  volatile char room[100];
  room[0] = (char)sum;
  return node ? even(node->next, sum - node->value) + room[0] : sum;
}
int main(void) {
  struct node second = {2, NULL}, first = {1, &second};
  second.next = &first;
  printf("%ld\n", even(&first, 0));
}
