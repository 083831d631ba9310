/* Holds its TLS itself: so programs are linked with OpenSSL statically. */
#include "lateTlsLibrary.c"

int main(void) {
  int session = 0;
  char answer[64];
  unsigned long got = 0;
  int isWritten = SSL_write(&session, "0123456789", 10) == 10;
  SSL_read(&session, answer, 5);
  SSL_read_ex(&session, answer, 7, &got);
  return !isWritten || got != 7;
}
