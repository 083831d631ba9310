// What C++ programs do every day: streams, regular expressions, threads, exceptions, containers.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iomanip>
#include <iostream>
#include <locale>
#include <map>
#include <mutex>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace everyday {

struct Guard {
  int &count;
  ~Guard() { ++count; }
};

int unwound = 0;

int descend(int depth) {
  Guard guard{unwound};
  if (depth == 0) throw std::runtime_error("the bottom");
  return descend(depth - 1) + 1;
}

std::map<std::string, int> words(const std::string &text) {
  std::map<std::string, int> counts;
  const std::regex word("[a-z]+");
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) counts[at->str()]++;
  return counts;
}

long double wide(double a, float b, long double c, int d, int e, int f, int g, int h, int i, std::string s) {
  return a + b + c + d + e + f + g + h + i + s.size();
}

std::mutex lock;
std::vector<int> collected;

void collect(int from) {
  for (int i = 0; i < 500; i++) {
    std::lock_guard<std::mutex> held(lock);
    collected.push_back(from + i);
  }
}

}  // namespace everyday

int main(int argc, char **argv) {
  using namespace everyday;
  for (int i = 0; i < 50; i++) {
    try {
      descend(40);
    } catch (const std::exception &error) {
      if (i == 0) std::cout << "caught: " << error.what() << '\n';
    }
  }
  std::cout << "unwound " << unwound << '\n';
  for (const auto &[word, count] : words("the cat saw the dog and the bird saw the cat")) {
    std::cout << std::setw(6) << std::left << word << count << '\n';
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) threads.emplace_back(collect, i * 1000);
  for (auto &thread : threads) thread.join();
  std::sort(collected.begin(), collected.end());
  long sum = 0;
  for (int value : collected) sum += value;
  std::cout << collected.size() << " values, sum " << sum << '\n';
  auto later = std::async(std::launch::async, [] {
    std::vector<int> few{1, 2, 3};
    return few.at(7);
  });
  try {
    later.get();
  } catch (const std::out_of_range &error) {
    std::cerr << "from a thread: " << error.what() << '\n';
  }
  std::cout << std::fixed << std::setprecision(3) << wide(1.5, 2.25F, 3.125L, 1, 2, 3, 4, 5, 6, "seven") << '\n';
  std::ostringstream line;
  line << std::hex << std::showbase << 48879 << ' ' << std::scientific << 12345.678;
  std::cout << line.str() << '\n';
  std::ofstream("everyday.out") << line.str() << '\n';
  try {
    throw std::string("a string");
  } catch (const std::string &thrown) {
    std::cout << thrown << '\n';
  }
  if (argc > 1 && std::string(argv[1]) == "uncaught") throw std::logic_error("nobody catches this");
  return 7;
}
