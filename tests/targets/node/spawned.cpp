#include <cstdio>

__attribute__((noinline)) int spawned_work(int number) { return number + 1; }

int main(int count, char **) { return std::printf("%d\n", spawned_work(count)) < 0; }
