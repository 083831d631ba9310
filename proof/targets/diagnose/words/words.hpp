// Words and what is done with them, with faults that are seeded one at a time (-DFAULT=n).
#pragma once
#include <list>
#include <string>
#include <vector>

#ifndef FAULT
#define FAULT 0
#endif

namespace words {

/** Reads words; one in quotes may hold blanks. */
class Tokenizer {
 public:
  explicit Tokenizer(const std::string& text) : text_(text) {}
  bool next(std::string& token);

 private:
  void skipBlanks();
  size_t endOfQuoted(size_t from) const;
  size_t endOfWord(size_t from) const;
  std::string text_;
  size_t at_ = 0;
};
std::vector<std::string> tokens(const std::string& text);

/** Keeps the entries that were used last. */
class Recent {
 public:
  explicit Recent(size_t most) : most_(most) {}
  const std::string* find(const std::string& key);
  void put(const std::string& key, const std::string& value);
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string key;
    std::string value;
  };
  void moveToFront(std::list<Entry>::iterator entry);
  void dropOldest();
  std::list<Entry> entries_;
  size_t most_;
};

struct Node {
  int key;
  Node* left;
  Node* right;
};
/** The node of a search tree with the greatest key not above `key`; null: there is none. */
const Node* floorOf(const Node* node, int key);
int floorKey(const Node* root, int key, int otherwise);

struct Job {
  const char* name;
  int priority;
  int order;
};
bool isBefore(const Job& a, const Job& b);
std::vector<Job> schedule(std::vector<Job> jobs);

unsigned checksum(const std::string& text);
unsigned rotated(unsigned value, int bits);

}  // namespace words
