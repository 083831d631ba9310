/* A pointer that a text was copied over: reading through it is a general protection fault. */
#include <stdio.h>
#include <string.h>

struct entry {
  char key[8];
  const int *value;
};
__attribute__((noinline)) int look(const struct entry *entry) { return *entry->value; }
__attribute__((noinline)) void fill(struct entry *entry, const char *key) { strcpy(entry->key, key); }
int main(void) {
  int seven = 7;
  struct entry entry = {"", &seven};
  fill(&entry, "far-too-long-key");
  printf("%d\n", look(&entry));
}
