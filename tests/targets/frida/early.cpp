// Shows what runs first: a static constructor, main, and then whatever its input asks for.
#include <cstdio>

extern "C" __attribute__((noinline)) int mark(int step)
{
    volatile int steps = step; // long enough to be hooked
    for (int i = 0; i < 3; i++) steps = steps + i;
    return steps;
}

struct Early {
    Early() { mark(1); }
} early;

int main()
{
    mark(2);
    puts("main");
    fflush(stdout);
    for (int c; (c = getchar()) != EOF;) {
        mark(c);
        printf("%c\n", c);
        fflush(stdout);
    }
    return 7;
}
