#include "words.hpp"

#include <algorithm>

namespace words {

void Tokenizer::skipBlanks() {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
}

size_t Tokenizer::endOfQuoted(size_t from) const {
  const size_t end = text_.find('"', from);
  return end == std::string::npos ? text_.size() : end;
}

size_t Tokenizer::endOfWord(size_t from) const {
  const size_t end = text_.find(' ', from);
  return end == std::string::npos ? text_.size() : end;
}

bool Tokenizer::next(std::string& token) {
  skipBlanks();
  if (at_ >= text_.size()) return false;
  if (text_[at_] == '"') {
#if FAULT == 1
    const size_t end = endOfQuoted(at_);
#else
    const size_t end = endOfQuoted(at_ + 1);
#endif
    token = text_.substr(at_ + 1, end - at_ - 1);
    at_ = std::min(end + 1, text_.size());
    return true;
  }
  const size_t end = endOfWord(at_);
  token = text_.substr(at_, end - at_);
  at_ = end;
  return true;
}

std::vector<std::string> tokens(const std::string& text) {
  Tokenizer tokenizer(text);
  std::vector<std::string> found;
  for (std::string token; found.size() < 20 && tokenizer.next(token);) found.push_back(token);
  return found;
}

const std::string* Recent::find(const std::string& key) {
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->key != key) continue;
#if FAULT != 2
    moveToFront(entry);
#endif
    return &entries_.front().value;
  }
  return nullptr;
}

void Recent::put(const std::string& key, const std::string& value) {
  entries_.push_front({key, value});
  if (entries_.size() > most_) dropOldest();
}

void Recent::moveToFront(std::list<Entry>::iterator entry) {
  entries_.splice(entries_.begin(), entries_, entry);
}

void Recent::dropOldest() { entries_.pop_back(); }

const Node* floorOf(const Node* node, int key) {
  if (node == nullptr) return nullptr;
  if (node->key == key) return node;
  if (node->key > key) return floorOf(node->left, key);
  const Node* right = floorOf(node->right, key);
  return right != nullptr ? right : node;
}

int floorKey(const Node* root, int key, int otherwise) {
  const Node* found = floorOf(root, key);
#if FAULT == 3
  (void)otherwise;
  return found->key;
#else
  return found == nullptr ? otherwise : found->key;
#endif
}

bool isBefore(const Job& a, const Job& b) {
#if FAULT == 4
  if (a.priority != b.priority) return a.priority < b.priority;
#else
  if (a.priority != b.priority) return a.priority > b.priority;
#endif
  return a.order < b.order;
}

std::vector<Job> schedule(std::vector<Job> jobs) {
  std::sort(jobs.begin(), jobs.end(), isBefore);
  return jobs;
}

unsigned rotated(unsigned value, int bits) {
#if FAULT == 5
  return (value << bits) | (value >> bits);
#else
  return (value << bits) | (value >> (32 - bits));
#endif
}

unsigned checksum(const std::string& text) {
  unsigned sum = 1;
  for (const char sign : text) sum = rotated(sum, 5) ^ static_cast<unsigned char>(sign);
  return sum;
}

}  // namespace words
