/* Holds its TLS itself: so programs are linked with OpenSSL statically. */
#include "lateTlsLibrary.c"

int main(void) {
  int session = 0;
  return SSL_write(&session, "0123456789", 10) != 10;
}
