// For each line of its input one thread rests line by line, while another one calls a function all the time.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int is_over;

__attribute__((noinline)) int beside(int n) {
    return n + 2; // beside
}

static void *busy(void *none) {
    for (int i = 0; !is_over; i++) {
        beside(i);
        usleep(2000);
    }
    return none;
}

__attribute__((noinline)) void rest(void) {
    usleep(200000);
}

__attribute__((noinline)) int left(int n) {
    n += 1; // first
    rest();
    n += 2; // third
    return n;
}

int main(void) {
    char line[32];
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        pthread_t other;
        is_over = 0;
        pthread_create(&other, NULL, busy, NULL);
        left(1);
        is_over = 1;
        pthread_join(other, NULL);
        puts("done");
        fflush(stdout);
    }
    return 0;
}
