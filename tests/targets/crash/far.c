/* What is read as a pointer never was one, and no variable tells it; another that is null has nothing to do with it. */
#include <stdio.h>
#include <string.h>

struct item {
  int kind, weight;
};
__attribute__((noinline)) int weigh(const struct item *none, const char *raw) {
  return (*(const struct item *const *)(const void *)raw)->weight + (none != NULL);
}
int main(void) {
  const unsigned long bits = 0x5603fd07d924;
  char raw[sizeof bits];
  memcpy(raw, &bits, sizeof bits);
  printf("%d\n", weigh(NULL, raw));
}
