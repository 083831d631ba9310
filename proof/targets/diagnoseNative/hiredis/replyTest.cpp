#include <gtest/gtest.h>
#include <cmath>
#include <cstring>
extern "C" {
#include "hiredis.h"
}

static double asNumber(const char *wire) {
  redisReader *reader = redisReaderCreate();
  redisReaderFeed(reader, wire, std::strlen(wire));
  void *reply = nullptr;
  int status = redisReaderGetReply(reader, &reply);
  double number = status == REDIS_OK && reply ? static_cast<redisReply *>(reply)->dval : -1;
  if (reply) freeReplyObject(reply);
  redisReaderFree(reader);
  return number;
}

TEST(Reply, IsANumber) { EXPECT_EQ(asNumber(",3.5\r\n"), 3.5); }

// hiredis 1.1.0: "Handle the case where an invalid NaN is passed", RESP3 allows nan.
TEST(Reply, IsNotANumber) { EXPECT_TRUE(std::isnan(asNumber(",nan\r\n"))); }
