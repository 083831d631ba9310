// Functions whose parameters and results look like secrets by their names, or only almost.
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) int login(const char *user, const char *password, int pinTries) {
  return (int)(strlen(user) + strlen(password)) + pinTries;
}

__attribute__((noinline)) const char *readApiKey(int account) {
  return account > 0 ? "K-4711-hidden" : "";
}

__attribute__((noinline)) int parse(const char *token) { return token[0] == '{'; }

int main(void) {
  printf("%d\n", login("ada", "correct horse", 2));
  printf("%zu\n", strlen(readApiKey(7)));
  printf("%d\n", parse("{"));
  return 0;
}
