#include <gtest/gtest.h>
#include "library.hpp"

static Shelf shelf() {
  Shelf books;
  books.add("atlas", 1);
  books.add("novel", 2);
  return books;
}

TEST(Library, KnowsItsBooks) {
  Shelf books = shelf();
  EXPECT_EQ(books.copies("novel"), 2);
  EXPECT_EQ(books.copies("poems"), 0);
}

TEST(Library, TakesBackInTime) {
  Shelf books = shelf();
  Desk desk(books);
  desk.lend("ann", "atlas", 10);
  EXPECT_EQ(desk.giveBack("atlas", 31), 0);
}

TEST(Library, ChargesForLateDays) {
  Shelf books = shelf();
  Desk desk(books);
  desk.lend("ann", "novel", 10);
  EXPECT_EQ(desk.giveBack("novel", 34), 60);
}

TEST(Library, RemindsThoseWhoAreLate) {
  Shelf books = shelf();
  Desk desk(books);
  desk.lend("ann", "atlas", 10);
  desk.lend("bob", "novel", 30);
  EXPECT_EQ(desk.overdue(40), std::vector<std::string>{"ann"});
}

TEST(Library, LendsLongerOnceMore) {
  Shelf books = shelf();
  Desk desk(books);
  desk.lend("ann", "atlas", 0);
  EXPECT_TRUE(desk.renew("atlas", 20));
  EXPECT_EQ(desk.giveBack("atlas", 35), 0);
}

#if FAULT == 1
TEST(Library, LendsLongerTwice) {
  Shelf books = shelf();
  Desk desk(books);
  desk.lend("ann", "atlas", 0);
  desk.renew("atlas", 20);
  desk.renew("atlas", 34);
  EXPECT_EQ(desk.giveBack("atlas", 49), 0);
}
#else
TEST(Library, HasNoMoreThanThereAre) {
  Shelf books = shelf();
  Desk desk(books);
  desk.lend("ann", "novel", 1);
  desk.lend("bob", "novel", 2);
  EXPECT_FALSE(desk.lend("cid", "novel", 3));
}
#endif
