/* Stands for OpenSSL, without what that takes itself. */
int SSL_write(void *session, const void *data, int length) {
  return session && data ? length : -1;
}
