/* Stands for OpenSSL: what it is given counts, not what it sends. */
int SSL_write(void *session, const void *data, int length) {
  int sum = 0;
  for (int i = 0; i < length; i++) sum += ((const char *)data)[i];
  *(int *)session += sum;
  return length;
}
