// Variables that are more than a number or a text, which change in known calls.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

struct Point { int x, y; };
struct Config { Point at; const char *title; Config *next; };
struct Login { std::string user, apiKey; };

Config settings = {{1, 2}, "first", nullptr};
std::vector<int> numbers = {3, 1};
std::map<std::string, int> ages = {{"ann", 31}};
std::vector<Point> points;
int grid[3] = {7, 8, 9};
Login login = {"ann", "k3y"};
Config *behind = &settings;
Config *wild = reinterpret_cast<Config *>(0x10);

extern "C" {
__attribute__((noinline)) void move(int x) { settings.at.x = x; asm volatile("" ::: "memory"); }
__attribute__((noinline)) void grow(int by) { numbers.push_back(by); points.push_back({by, -by}); asm volatile("" ::: "memory"); }
__attribute__((noinline)) void birthday(const char *who) { ages[who]++; asm volatile("" ::: "memory"); }
__attribute__((noinline)) void copyNumbers() { auto same = numbers; same.reserve(100); numbers.swap(same); asm volatile("" ::: "memory"); }
}

int main() {
  move(1);
  move(10);
  grow(4);
  copyNumbers();
  birthday("ann");
  birthday("bob");
  std::printf("%d %zu %d %s %d\n", settings.at.x, numbers.size(), ages["bob"], login.user.c_str(), grid[1]);
  return behind == wild;
}
