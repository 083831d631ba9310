/* Stands for OpenSSL: what it is given counts, not what it sends. */
int SSL_write(void *session, const void *data, int length) {
  int sum = 0;
  for (int i = 0; i < length; i++) sum += ((const char *)data)[i];
  *(int *)session += sum;
  return length;
}

/* Reads what was written, each byte one further. */
int SSL_read(void *session, void *data, int room) {
  for (int i = 0; i < room; i++) ((char *)data)[i] = (char)('a' + (*(int *)session + i) % 26);
  return room;
}

int SSL_read_ex(void *session, void *data, unsigned long room, unsigned long *got) {
  *got = (unsigned long)SSL_read(session, data, (int)room);
  return 1;
}
