#include <assert.h>
#include <string.h>
#include <yajl/yajl_tree.h>

static int isRead(const char *json, const char *wanted) {
  char why[200];
  yajl_val text = yajl_tree_parse(json, why, sizeof why);
  int isAlike = text != NULL && strcmp(YAJL_GET_STRING(text), wanted) == 0;
  yajl_tree_free(text);
  return isAlike;
}

static void plain_texts(void) { assert(isRead("\"to be or not\"", "to be or not")); }

static void escaped_letters(void) {
  assert(isRead("\"a\\tb\\u0041c\"", "a\tbAc"));
  assert(isRead("\"\\u00e4\"", "\xc3\xa4"));
}

/* CVE-2017-16516: what follows half a pair is looked at, and lost. */
static void half_a_pair(void) { assert(isRead("\"x\\ud800yz\"", "x?yz")); }

int main(void) {
  plain_texts();
  escaped_letters();
  half_a_pair();
  return 0;
}
