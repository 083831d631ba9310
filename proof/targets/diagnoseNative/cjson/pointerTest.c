#include <assert.h>
#include <string.h>
#include "cJSON.h"
#include "cJSON_Utils.h"

/* CVE-2025-57052: "1A" is no index. */
static void letters_are_no_digits(void) {
  char text[256] = "[0";
  for (int at = 1; at < 40; at++) strcat(text, ",7");
  strcat(text, "]");
  cJSON *list = cJSON_Parse(text);
  cJSON *found = cJSONUtils_GetPointer(list, "/1A");
  assert(found == NULL);
  cJSON_Delete(list);
}

int main(void) {
  letters_are_no_digits();
  return 0;
}
