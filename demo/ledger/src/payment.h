#pragma once
#include <cstdint>

namespace settle {

enum class Channel { card, wallet, transfer };

/** What became of one try to settle a payment. */
enum class Outcome { settled, alreadyBooked, retryLater, givenUp };

/** Amounts are cents; the id is unique for ever. */
struct Payment {
  char id[16];
  int account;
  Channel channel;
  std::int64_t cents;
};

const char *name(Channel channel);

}  // namespace settle
