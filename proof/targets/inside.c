/* What breakpoints are compared at: locals of many kinds, loops, recursion, structures, text, doubles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
  int key;
  double weight;
  char tag[8];
  struct entry *next;
};

static unsigned seed = 7;
static long total;

__attribute__((noinline)) static int next(int limit) {
  seed = seed * 1103515245u + 12345u;
  int value = (int)(seed >> 16) % limit;
  return value;
}

__attribute__((noinline)) static struct entry *insert(struct entry *head, int key) {
  struct entry *made = malloc(sizeof *made);
  struct entry **at = &head;
  int steps = 0;
  made->key = key;
  made->weight = key / 4.0;
  snprintf(made->tag, sizeof made->tag, "t%d", key);
  while (*at && (*at)->key < key) {
    at = &(*at)->next;
    steps++;
  }
  made->next = *at;
  *at = made;
  total += steps;
  return head;
}

__attribute__((noinline)) static long depth(const struct entry *list, long so_far) {
  char first = list ? list->tag[0] : '-';
  if (!list) return so_far;
  long here = so_far + (first == 't');
  return depth(list->next, here);
}

__attribute__((noinline)) static double mean(const struct entry *list) {
  double sum = 0;
  float last = 0;
  int count = 0;
  for (const struct entry *one = list; one; one = one->next) {
    double before = sum;
    sum += one->weight;
    last = (float)(sum - before);
    count++;
  }
  double result = count ? sum / count : 0;
  return result + last / 1000;
}

__attribute__((noinline)) static int classify(int value) {
  unsigned char small = (unsigned char)(value * 7);
  short step = (short)(value - 40);
  int kind = 0;
  switch (value % 4) {
  case 0:
    kind = small > 100 ? 1 : 2;
    break;
  case 1:
    kind = step < 0 ? -step : step;
    break;
  case 2: {
    unsigned long long wide = (unsigned long long)value << 33;
    kind = (int)(wide % 97);
    break;
  }
  default:
    kind = -1;
  }
  int is_even = kind % 2 == 0;
  return is_even ? kind : kind + small;
}

__attribute__((noinline)) static int count_letters(const char *text, char wanted) {
  int found = 0;
  size_t length = strlen(text);
  for (size_t i = 0; i < length; i++) {
    char letter = text[i];
    if (letter == wanted) {
      found++;
      continue;
    }
    if (letter == '!') break;
  }
  return found;
}

__attribute__((noinline)) static void sort(int *numbers, int count) {
  for (int i = 1; i < count; i++) {
    int one = numbers[i];
    int at = i - 1;
    while (at >= 0 && numbers[at] > one) {
      numbers[at + 1] = numbers[at];
      at--;
    }
    numbers[at + 1] = one;
  }
}

__attribute__((noinline)) static void round_of(int number) {
  struct entry *list = 0;
  int numbers[6];
  int sum = 0;
  for (int i = 0; i < 6; i++) {
    int key = next(90);
    numbers[i] = key;
    list = insert(list, key);
    sum += classify(key);
  }
  sort(numbers, 6);
  long deep = depth(list, number);
  double average = mean(list);
  int letters = count_letters("that is the text! tt", 't');
  printf("%d %d %ld %.3f %d\n", numbers[0], sum, deep, average, letters);
  while (list) {
    struct entry *gone = list;
    list = list->next;
    free(gone);
  }
}

int main(void) {
  char line[32];
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    int rounds = atoi(line);
    for (int round = 0; round < rounds; round++) round_of(round);
  }
  printf("total %ld\n", total);
  return 0;
}
