/* Where it dies the statement of line 9 begins, and behind it stands what the compiler moved there, of line 3. */
int main(int count, char **words) {
  int given = count;
  (void)words;
  __asm__ volatile(".loc 1 9 3 is_stmt 1\n"
                   "nop\n"
                   ".loc 1 9 3 is_stmt 1\n"
                   ".loc 1 3 7 is_stmt 0\n"
                   "ud2");
  return given;
}
