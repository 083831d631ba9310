#include <cstdio>

__attribute__((noinline)) int spawned_work(int number) { return std::printf("%d\n", number + 1); }

int main(int count, char **) { return spawned_work(count) < 0; }
