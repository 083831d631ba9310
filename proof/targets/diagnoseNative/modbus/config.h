/* What configure finds here. */
#define HAVE_BYTESWAP_H 1
