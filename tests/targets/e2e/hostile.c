// Prints and is called what could pass for somebody else's words: escapes, JSON, protocol lines.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

// A test writes hostile bytes of the same length over this name.
__attribute__((noinline)) int renamedByTheTest_________(const char *text) {
  return (int)strlen(text);
}

static void *work(void *text) {
  prctl(PR_SET_NAME, "x\nFAKE\x1b[2Jy\xff");
  printf("%d\n", renamedByTheTest_________(text));
  return NULL;
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  puts("\x1b[2J\x1b[1;1H\x1b]0;FAKE title\x07\x1b[31mred\xc2\x9b" "31m");
  puts("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[]}}");
  puts("a\rFAKE carriage return");
  puts("\xe2\x80\xaeright to left\xe2\x80\xa9" "FAKE paragraph");
  puts("\xff\xfe not UTF-8 \xc0\x80");
  fputs("strobe: FAKE\nNext: FAKE\n", stderr);
  char text[] = "\nFAKE argument\x1b[2J\xff";
  pthread_t thread;
  pthread_create(&thread, NULL, work, argc > 1 ? argv[1] : text);
  pthread_join(thread, NULL);
  return 0;
}
